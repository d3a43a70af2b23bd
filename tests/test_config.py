"""Settings: where they come from, what is refused, and that jobs are given the same."""

from __future__ import annotations

import dataclasses
import json
import logging
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.crawler_driver import CrawlerDriver
from jobs.html_to_xml_driver import HtmlToXmlDriver
from jobs.merge_driver import MergeDriver
from jobs.optimizer_driver import OptimizerDriver
from jobs.parser_driver import ParserDriver
from layercrawl import config
from layercrawl.config import BadConfig, Config, options
from layercrawl.job import Job

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "config.json").read_text("utf-8")
)
JOBS = (OptimizerDriver, CrawlerDriver, ParserDriver, MergeDriver, HtmlToXmlDriver)
logging.getLogger("mrjob").setLevel(logging.CRITICAL)


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


@pytest.fixture
def toml(tmp_path: Path) -> Any:
    """Writes a TOML file and gives the words that name it."""

    def write(text: str) -> list[str]:
        (tmp_path / "c.toml").write_text(text, "utf-8", errors="surrogateescape")
        return ["--config", str(tmp_path / "c.toml")]

    return write


def test_command_line_beats_file_beats_default(toml: Any) -> None:
    file = toml("depth = 1\ndelay = 5\nthreads = 7\nheader = ['A: 1']")
    made = config.load([*file, "--delay", "2", "--header", "B: 2", "--header", "C: 3"])
    assert (made.depth, made.delay, made.threads) == (1, 2.0, 7)
    assert (made.header, made.retries) == (("B: 2", "C: 3"), Config().retries)


def test_seeds_may_stand_between_options() -> None:
    made = config.load(["http://a/", "--depth", "0", "http://b/", "-v", "http://c/"])
    assert (made.seed_urls, made.depth, made.verbose) == (
        ("http://a/", "http://b/", "http://c/"),
        0,
        True,
    )


def test_a_seed_on_the_command_line_replaces_the_files(toml: Any) -> None:
    file = toml("depth = 1\nseed_urls = ['http://a/']")
    assert config.load(file).seed_urls == ("http://a/",)
    assert config.load([*file, "http://b/"]).seed_urls == ("http://b/",)


@cases("refused")
def test_refused(case: dict[str, Any]) -> None:
    with pytest.raises(BadConfig, match=case["why"]):
        config.load(case["words"])


@cases("toml")
def test_toml(case: dict[str, Any], toml: Any) -> None:
    made = json.loads(json.dumps(dataclasses.asdict(config.load(toml(case["text"])))))
    assert {name: made[name] for name in case["settings"]} == case["settings"]


@cases("toml_refused")
def test_toml_refused(case: dict[str, Any], toml: Any) -> None:
    with pytest.raises(BadConfig, match=case["why"]):
        config.load(toml(case["text"]))


@pytest.mark.parametrize(("name", "why"), [("none.toml", "No such file"), (".", "directory")])
def test_a_config_file_that_cannot_be_read(name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=f"--config .*: .*{why}.*; name a TOML file"):
        config.load(["--config", str(tmp_path / name)])


@pytest.mark.parametrize("words", [["--depth"], ["--quiet=1"]])
def test_argparse_ends_with_2_and_usage(words: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        config.load(words)
    assert ended.value.code == 2
    assert "usage: driver.py" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--dept", "3"], ["--dept=3"], ["http://a.example/", "--dept"]])
def test_an_unknown_option_names_the_nearest(words: list[str]) -> None:
    with pytest.raises(BadConfig, match=r"unknown option '--dept'; did you mean '--depth'\?"):
        config.load(["--quiet", *words])


def test_help_tells_all_options_and_defaults(capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        config.load(["--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert ended.value.code == 0
    assert all(options.flag(f.name) in told for f in config.FIELDS if f.name != "seed_urls")
    assert "link distance from the seeds to crawl to (required)" in told
    assert "requests at a time in each task, slow ones aside (default: 16)" in told


def test_version(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        config.load(["--version"])
    assert capsys.readouterr().out == f"layercrawl {config.VERSION}\n"


def test_agent_names_the_contact() -> None:
    assert config.make({"user_agent": "a", "contact": "b@c.example"}).agent == "a (+b@c.example)"
    assert config.make({"user_agent": "a"}).agent == "a"


def test_table_has_a_row_for_each_setting() -> None:
    rows = config.table().splitlines()
    assert rows[:3] == [
        "| option | meaning | default |",
        "|---|---|---|",
        "| `--depth` | link distance from the seeds to crawl to | required |",
    ]
    assert "| `SEED_URL` | where the crawl starts |  |" in rows
    assert "| `--delay` | seconds between two requests to one host | 1.0 |" in rows
    assert len(rows) == 2 + len(config.FIELDS)
    assert all(row.count("|") == 4 for row in rows)


ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126))


def is_pattern(text: str) -> bool:
    """Whether start.check lets it through."""
    with suppress(re.error):
        return text != "--" and bool(re.compile(text))
    return False


TEXTS = st.lists(st.text().filter(is_pattern) | st.just("-x"), max_size=3)
NAMES = st.sampled_from(["X", "-x", "--y", "a-b"])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "depth": st.integers(0, 2**31 - 1),
        "scope": st.sampled_from(["host", "site", "any"]),
        "include": TEXTS,
        "exclude": TEXTS,
        "drop_params": TEXTS,
        "order": st.sampled_from(["breadth-first", "backlink"]),
        "budget": st.integers(0, 2**31 - 1),
        "max_per_host": st.integers(0, 9),
        "max_alike": st.integers(0, 9),
        "delay": st.floats(0, 1e9),
        "layer_minutes": st.floats(0, 1e9, exclude_min=True),
        "threads": st.integers(1, 9),
        "user_agent": ASCII.filter(str.strip),
        "contact": ASCII,
        "timeout": st.floats(0, 1e9, exclude_min=True),
        "max_bytes": st.integers(1, 2**31 - 1),
        "header": st.lists(st.builds("{}:{}".format, NAMES, ASCII), max_size=2),
        "insecure": st.booleans(),
        "allow_private": st.booleans(),
    },
)


@settings(max_examples=60, deadline=None)  # mrjob's parsers take a while to make
@given(SETTINGS, st.sampled_from(JOBS))
def test_jobs_and_their_tasks_are_given_the_same_settings(
    values: dict[str, Any], job_class: type[Job]
) -> None:
    made = config.make(values)
    job = job_class([*made.arguments(job_class.STAGE), "--runner=inline", "--no-conf"])
    with job.make_runner() as runner:
        task = job_class(runner._args_for_task(0, "mapper"))
    for one in (job, task):
        assert one.config.settings(job_class.STAGE) == made.settings(job_class.STAGE)


@given(SETTINGS, st.sampled_from(JOBS))
def test_settings_come_back_from_a_marker(values: dict[str, Any], job_class: type[Job]) -> None:
    told = config.make(values).recorded(job_class.STAGE)
    again = config.make(json.loads(json.dumps(told)))
    assert again.recorded(job_class.STAGE) == told


def test_a_marker_has_no_headers_values() -> None:
    made = config.make({"header": ["X-Study: s3cret", "https://a.example Authorization: s3cret"]})
    told = made.recorded("crawler")
    assert told["header"] == ("X-Study: *", "https://a.example Authorization: *")
    assert told["delay"] == made.delay
