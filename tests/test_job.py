"""Jobs: on both runners, alone from the command line, and when something goes wrong."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from mrjob.parse import parse_mr_job_stderr

from jobs.parser_driver import ParserDriver
from layercrawl import job, records, rules
from layercrawl.job import BytesProtocol, JobFailed, RecordProtocol, SeedOrRecord, streaming
from layercrawl.records import Outlinks, Page, Target, UrlState
from tests import tasks

FOLDER = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(FOLDER)}
RUNNERS = pytest.mark.parametrize("runner", ["inline", "local"])
URLS = [f"http://{letter}.example/{number}" for letter in "dacb" for number in range(25)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with Targets in in/."""
    (tmp_path / "in").mkdir()
    for part in (0, 1):
        lines = [records.encode(url, Target(depth=len(url) % 3)) for url in URLS[part::2]]
        end = b"\n" * part  # the first file's last line has none
        (tmp_path / "in" / f"part-0000{part}").write_bytes(b"\n".join(lines) + end)
    (tmp_path / "in" / "_MARKER.json").write_text("not read")
    return tmp_path


def lines(folder: Path) -> list[bytes]:
    return sorted(line for p in folder.glob("part-*") for line in p.read_bytes().splitlines())


def failure(job_class: Any, runner: str, folder: Path) -> JobFailed:
    with pytest.raises(JobFailed) as failed:
        tasks.run(job_class, runner, folder)
    assert failed.value.job == job_class.__name__
    return failed.value


@RUNNERS
def test_records_go_in_and_out(runner: str, folder: Path) -> None:
    ran = tasks.run(tasks.Copies, runner, folder)
    assert lines(folder / "out") == lines(folder / "in")
    assert ran.counters == {"copies: seen": len(URLS)}
    assert {name: cost > 0 for name, cost in ran.cost.items()} == dict.fromkeys(
        ["wall", "cpu", "rss_mb"], True
    )


def test_both_runners_give_the_same(folder: Path, tmp_path: Path) -> None:
    ran, found = [], []
    for runner in ("inline", "local"):
        ran.append(tasks.run(tasks.Hosts, runner, folder))
        found.append(lines(folder / "out"))
        (folder / "out").rename(folder / runner)
    assert found[0] == found[1]
    assert [line[:1] for line in found[0]] == [b"a", b"b", b"c", b"d"]
    values = records.decode(found[0][0], Target)[1].via.split(" ")
    rows = list(zip(values[::2], values[1::2], strict=True))
    assert len(rows) == 25
    assert rows == sorted(rows)
    for one in ran:  # counters are summed over tasks and over steps
        assert one.counters.pop("a group; odd: a name") >= 1
        assert one.counters == {"urls: spread": 100, "urls: last": 4}


@RUNNERS
def test_what_is_printed_in_a_task_does_no_harm(runner: str, folder: Path) -> None:
    ran = tasks.run(tasks.Chats, runner, folder)
    assert lines(folder / "out") == lines(folder / "in")
    assert ran.counters == {"copies: seen": len(URLS)}


@RUNNERS
def test_a_task_that_raises(runner: str, folder: Path) -> None:
    failed = failure(tasks.Raises, runner, folder)
    assert str(failed).startswith("ValueError: no such luck\nat all: ")
    assert "in act\n" in failed.trace
    kept = failed.kept_in(folder / "_logs" / "Raises.log")
    assert (str(kept), kept.job) == (str(failed), "Raises")
    assert "no such luck" in Path(kept.log).read_text("utf-8")


def test_a_log_that_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "_logs").touch()
    kept = JobFailed("Job", "why", "trace").kept_in(tmp_path / "_logs" / "Job.log")
    assert (str(kept), kept.trace, kept.log) == ("why", "trace", "not kept")


@RUNNERS
def test_a_full_disk_is_named(runner: str, folder: Path) -> None:
    assert "No space left on device" in str(failure(tasks.RunsOutOfDisk, runner, folder))


@RUNNERS
def test_a_wrong_record_names_file_and_line(runner: str, folder: Path) -> None:
    with (folder / "in" / "part-00001").open("ab") as out:
        out.write(records.encode("http://e.example/", Page(Target(), "ok")))
    failed = failure(tasks.Copies, runner, folder)
    assert "in/part-00001, line " in str(failed)
    assert "not a target: Invalid value 'page'" in str(failed)


def test_a_wrong_record_among_two_kinds(folder: Path) -> None:
    why = str(failure(tasks.ReadsTwoKinds, "inline", folder))
    assert "in/part-00000, line 1 of the split: not a outlinks or state: " in why


def test_no_input_is_no_output(folder: Path) -> None:
    for path in (folder / "in").iterdir():
        path.unlink()
    (folder / "in" / "part-00000").touch()
    ran = tasks.run(tasks.Hosts, "local", folder)
    assert lines(folder / "out") == []
    assert "urls: spread" not in ran.counters


def test_options_that_a_job_does_not_have_fail_it(tmp_path: Path) -> None:
    with pytest.raises(JobFailed, match="--no-such-option"):
        job.run(
            tasks.Copies, "inline", ["--no-such-option"], [], tmp_path, tmp_path, lambda _: None
        )


@pytest.mark.parametrize("words", [[], ["-r", "local"]])
def test_a_job_runs_alone(words: list[str], tmp_path: Path) -> None:
    page = Page(Target(), "ok", html="<a href=/b>b</a>", fetched="2026-11-30T12:00:00Z")
    (tmp_path / "pages").write_bytes(records.encode("http://a.example/", page) + b"\n")
    ran = subprocess.run(
        [sys.executable, FOLDER / "jobs/parser_driver.py", "--scope=any", *words, "pages"],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=True,
    )  # fmt: skip
    url, found = records.decode(ran.stdout, Outlinks)
    assert (url, found.links) == ("http://a.example/", [("http://a.example/b", "b")])


@pytest.mark.parametrize("words", [[], ["-r", "local"]])
def test_a_job_alone_names_what_is_wrong(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "pages").write_bytes(records.encode("http://a.example/", Target()) + b"\n")
    ran = subprocess.run(
        [sys.executable, FOLDER / "jobs/parser_driver.py", *words, "pages"],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert b"pages, line 1 of the split: not a page: Invalid value 'target'" in ran.stderr


def test_a_task_reads_standard_input(tmp_path: Path) -> None:
    made = tasks.Chats(["--mapper"])
    line = records.encode("http://a.example/", Target()) + b"\n"
    out, err = BytesIO(), BytesIO()
    made.sandbox(BytesIO(line), out, err)
    made.execute()
    assert out.getvalue() == line
    assert b"d\xc3\xa9bris \\ud800\n" in err.getvalue()
    assert parse_mr_job_stderr(err.getvalue())["counters"] == {"copies": {"seen": 1}}
    assert not sys.stdout.closed


@pytest.mark.parametrize(
    ("limit", "tasks_in_all", "counted"),
    [("", "1000", {"h 50": 7}), ("120", "30", {"h 50": 7}), ("120", "31", {"in logs": 1})],
    ids=["no limit", "as many as may be", "too many"],
)
def test_names_of_each_tasks_own_are_counted_or_logged(
    limit: str, tasks_in_all: str, counted: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit:
        monkeypatch.setenv("mapreduce_job_counters_max", limit)
    monkeypatch.setenv("mapreduce_job_reduces", tasks_in_all)
    made, err = tasks.Chats(["--mapper"]), BytesIO()
    made.sandbox(BytesIO(), BytesIO(), err)
    made.count_own("longest", {"h  50": 7})
    assert parse_mr_job_stderr(err.getvalue())["counters"] == {"longest": counted}
    logged = streaming.logged("longest", "h 50", 7).encode()
    assert (logged in err.getvalue().splitlines()) == ("in logs" in counted)


def test_record_protocol_names_standard_input() -> None:
    protocol = RecordProtocol(Target)
    protocol.read(records.encode("http://a.example/", Target()))
    with pytest.raises(records.WrongRecord, match="standard input, line 2 of the split: no TAB"):
        protocol.read(b"")


def test_record_protocol_reads_each_of_its_kinds() -> None:
    protocol = RecordProtocol(Outlinks, UrlState)
    for record in (UrlState(depth=1), Outlinks(Target(), "ok")):
        assert protocol.read(protocol.write("u", record)) == ("u", record)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (b"HTTP://a.example", ("http://a.example/", None)),
        (b"\xef\xbb\xbfhttp://a.example/ # front\r", ("http://a.example/", None)),
        (b"# comment", ("", None)),
        (b"", ("", None)),
        (b"nonsense", ("", None)),
        (b"\xff\xfe", ("", None)),
        (b'u\t{"is":"state"}', ("u", UrlState())),
    ],
)
def test_seeds_and_records(line: bytes, read: Any) -> None:
    assert SeedOrRecord(Outlinks, UrlState).read(line) == read


def test_messages_are_cut_at_the_first_tab() -> None:
    protocol = BytesProtocol()
    assert protocol.read(protocol.write(b"k", b"v\tw")) == (b"k", b"v\tw")
    assert protocol.read(b"k\tv\t") == (b"k", b"v")
    assert protocol.read(b"k") == (b"k", b"")


def test_a_jobs_clock_hosts_and_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hosts").write_text("www.a.example\nb.co.uk\n")
    made = ParserDriver(
        ["--now=2026-11-30T12:00:00Z", f"--seed-hosts={tmp_path}/hosts", "--exclude=x"]
    )
    assert made.now.isoformat() == "2026-11-30T12:00:00+00:00"
    assert made.seed_hosts == {"www.a.example", "b.co.uk"}
    given: list[Any] = []
    monkeypatch.setattr(job, "Rules", lambda *words: given.append(words))
    _ = made.rules
    _ = ParserDriver([f"--seed-hosts={tmp_path}/hosts", "--scope=host"]).rules
    assert given == [
        ("site", {"a.example", "b.co.uk"}, (), ("x",), ()),
        ("host", {"www.a.example", "b.co.uk"}, (), (), ()),
    ]


def test_a_long_task_tells_how_it_is_whatever_letters_it_needs() -> None:
    made, said = tasks.Copies([]), io.BytesIO()
    made.sandbox(stdin=io.BytesIO(), stdout=io.BytesIO(), stderr=said)
    made.beat(lambda: "fetching http://a.example/\u00e0")()
    assert said.getvalue().decode() == "reporter:status:fetching http://a.example/\u00e0\n"


def test_a_job_alone_has_the_time_of_day_and_no_seed_hosts() -> None:
    made = ParserDriver([])
    assert made.now.tzinfo is not None
    assert made.seed_hosts == frozenset()
    assert isinstance(made.rules, rules.Rules)
