"""One stage: whole folders in, a whole folder out, or none."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from layercrawl import config, job, records, stores
from layercrawl.config import BadConfig, Config
from layercrawl.job import Job, JobFailed, Ran
from layercrawl.records import Target
from layercrawl.running import stage
from layercrawl.running.report import Report
from layercrawl.running.stage import Stages
from layercrawl.stores import Marker, Stores
from tests import tasks


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764547200")


class Stage:
    """A crawl with one folder of Targets, and what was said of its stages."""

    def __init__(self, root: Path, **values: Any) -> None:
        self.crawl = Stores(root)
        self.source, self.output = self.crawl.layer("in", 0), self.crawl.layer("doc", 0)
        self.settings: Config = config.make({"runner": "inline", "exclude": "x", **values})
        self.said = io.StringIO()
        report = Report(self.settings, self.said)
        self.stages = Stages(self.settings, self.crawl, report, ["a.example"])

    def give(self, now: str = "2026-11-30T12:00:00Z") -> None:
        sibling = stores.new(self.source)
        sibling.mkdir()
        line = records.encode("http://a.example/", Target())
        (sibling / "part-00000").write_bytes(line + b"\n")
        stores.publish(sibling, self.source, Marker("Job", {}, {}, now, {}))

    def run(self, job_class: type[Job] = tasks.Copies, **words: Any) -> None:
        self.stages.run(job_class, self.output, [self.source], **words)

    def stale(self) -> bool:
        return self.stages.stale(self.output, tasks.Copies, [self.source])


@pytest.fixture
def one(tmp_path: Path) -> Stage:
    made = Stage(tmp_path / "crawl")
    made.give()
    return made


@pytest.mark.parametrize("runner", ["inline", "local"])
def test_a_stage_makes_a_folder_with_a_marker(runner: str, tmp_path: Path) -> None:
    made = Stage(tmp_path / "crawl", runner=runner)
    made.give()
    made.run()
    assert list(stores.read(made.output, Target)) == [("http://a.example/", Target())]
    marker = stores.marker(made.output)
    assert (marker.stage, marker.now) == ("Copies", "2025-12-01T00:00:00Z")
    assert marker.inputs == {"in/layer-000": stores.fingerprint(made.source)}
    assert marker.totals == {"copies: seen": 1}
    assert marker.settings["exclude"] == ["x"]
    assert marker.cost.keys() == {"wall", "cpu", "rss_mb"}
    assert re.fullmatch(r"Copies doc/layer-000: nothing in \d\.\d s\n", made.said.getvalue())


def test_a_stage_hands_on_settings_clock_hosts_and_words(
    one: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []

    def run(job_class: type[Job], runner: str, words: list[str], *rest: Any) -> Ran:
        given.append((runner, words, rest[0]))
        rest[1].mkdir()
        return Ran({}, {})

    monkeypatch.setattr(job, "run", run)
    one.run(arguments=["--more"], reads=["a*", "b*"])
    hosts = given[0][1][1].removeprefix("--seed-hosts=")
    words = ["--exclude=x", f"--seed-hosts={hosts}", "--now=2025-12-01T00:00:00Z", "--more"]
    assert given == [("inline", words, ["a*", "b*"])]
    assert Path(hosts).read_text() == "a.example\n"


def test_other_settings_change_what_a_job_is_given(one: Stage) -> None:
    one.stages.with_settings(config.make({"runner": "inline", "exclude": "y"})).run(
        tasks.Copies, one.output, [one.source]
    )
    assert stores.marker(one.output).settings["exclude"] == ["y"]
    assert one.stale()


def test_a_failed_stage_makes_no_folder_and_keeps_its_traceback(one: Stage) -> None:
    with pytest.raises(JobFailed, match="no such luck") as failed:
        one.run(tasks.Raises)
    assert failed.value.log == str(one.crawl.root / "_logs" / "Raises.log")
    assert "in act\n" in Path(failed.value.log).read_text("utf-8")
    assert not one.output.exists()
    one.crawl.sweep()
    Stage(one.crawl.root).run()  # the next run, without the fault
    assert stores.complete(one.output)


def test_what_a_failed_stage_replaces_stays(one: Stage) -> None:
    one.run()
    before = stores.fingerprint(one.output)
    with pytest.raises(JobFailed):
        one.run(tasks.Raises)
    assert stores.fingerprint(one.output) == before


def test_a_derived_folder_is_stale_by_inputs_and_settings(one: Stage, tmp_path: Path) -> None:
    assert one.stale()
    one.run()
    assert not one.stale()
    assert not Stage(tmp_path / "crawl", delay=5).stale()  # not a setting of this stage
    assert Stage(tmp_path / "crawl", exclude="y").stale()
    one.give(now="2026-12-01T12:00:00Z")
    assert one.stale()


def test_decisions_lie_in_a_scratch_folder(one: Stage) -> None:
    decisions, counted = one.stages.decide(tasks.Copies, [one.source], [])
    assert counted == {"copies: seen": 1}
    assert len(list(stores.read(decisions, Target))) == 1
    assert not stores.complete(decisions)
    one.crawl.sweep()
    assert not decisions.exists()


class Loses(tasks.Copies):
    """Counts its Targets as asked for and as answered, but for some."""

    lost: dict[str, int] = {}

    def mapper_final(self) -> None:
        asked = {"records": 1, "checksum": 12}
        self.count("asked", asked)
        self.count("answered", asked | self.lost)


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        ({}, ""),
        ({"records": 0, "checksum": 0}, "Loses: 1 target in, 0 answers out"),
        ({"checksum": 13}, "Loses: 1 target in, 1 answer out, for other URLs"),
    ],
)
def test_answers_that_do_not_match_are_refused(
    lost: dict[str, int], why: str, one: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Loses, "lost", lost)
    told = ""
    try:
        one.run(Loses)
    except JobFailed as failed:
        told = f"{failed.job}: {failed}"
    assert told == why
    assert stores.complete(one.output) is (not why)


def test_the_clock_is_the_time_of_day_or_what_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stage.clock() == datetime(2025, 12, 1, tzinfo=UTC)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert abs((stage.clock() - datetime.now(UTC)).total_seconds()) < 60


@pytest.mark.parametrize("fixed", ["soon", "1e9", "9" * 12, "9" * 30])
def test_a_clock_that_is_no_time(fixed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", fixed)
    with pytest.raises(BadConfig, match=f"SOURCE_DATE_EPOCH '{fixed}' is no time: give seconds"):
        stage.clock()
