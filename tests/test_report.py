"""What the user sees: words for a human, bars that go away, and a summary that tells the truth."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import struct
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

from layercrawl import config, stores
from layercrawl.running import report
from layercrawl.running.report import Report
from layercrawl.stores import Marker, Stores


@pytest.fixture
def crawl(tmp_path: Path) -> Stores:
    return Stores(tmp_path)


def marker(cost: float = 0.0, /, **totals: int) -> Marker:
    """A marker of totals whose names have `__` for the colon."""
    named = {k.replace("__", ": "): n for k, n in totals.items()}
    return Marker("Job", {}, {}, "", named, {"wall": cost})


def publish(folder: Path, content: Marker) -> None:
    sibling = stores.new(folder)
    sibling.mkdir()
    stores.publish(sibling, folder, content)


def told(content: Marker, **values: Any) -> list[str]:
    stream = io.StringIO()
    Report(config.make(values), stream).end("Job xml", content)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (marker(), "Job xml: nothing in 0.0 s"),
        (marker(0.26, urls__taken=1), "Job xml: 1 URL to fetch in 0.3 s"),
        (marker(1, urls__taken=2, urls__due=5), "Job xml: 2 URLs to fetch in 1.0 s"),
        (marker(1, links__followed=1, cuts__ok=7), "Job xml: 1 link in 1.0 s"),
        (
            marker(1, merged__pages=2, merged__duplicates=1),
            "Job xml: 2 pages, 1 duplicate in 1.0 s",
        ),
        (marker(2, xml__documents=3), "Job xml: 3 documents in 2.0 s"),
        (marker(2, sitemaps__ok=2, sitemaps__gone=1), "Job xml: 2 sitemaps in 2.0 s"),
        (
            marker(2, outcomes__not_modified=1, outcomes__ok=4),
            "Job xml: 4 ok, 1 not modified in 2.0 s, 2.5 URLs/s",
        ),
    ],
)
def test_a_line_a_stage(content: Marker, line: str) -> None:
    assert told(content) == [line]


def test_verbose_adds_the_counters_and_quiet_says_nothing() -> None:
    content = marker(1, links__followed=1, cuts__scope=2)
    assert told(content, verbose=True)[1:] == ["    cuts: scope: 2", "    links: followed: 1"]
    assert told(content, quiet=True) == []


def test_warnings_are_told_even_when_quiet() -> None:
    stream = io.StringIO()
    quiet = Report(config.make({"quiet": True}), stream)
    quiet.say("all is well")
    quiet.warn("seeds.txt:3: no")
    assert stream.getvalue() == "driver.py: seeds.txt:3: no\n"


def test_no_bar_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    plain = Report(config.make({}), stream)
    with plain.running("Job xml", 3):
        plain.watch(['{"ok":1}'])
    assert stream.getvalue() == ""


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TextIO, int]]:
    """A terminal's ends: stderr, and what its user sees. Its size is not known, 0 x 0."""
    seen, end = pty.openpty()
    with os.fdopen(end, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        yield stream, seen
    os.close(seen)


def resize(stream: TextIO, columns: int) -> None:
    fcntl.ioctl(stream, termios.TIOCSWINSZ, struct.pack("HHHH", 5, columns, 0, 0))


def shown(seen: int) -> str:
    """All that a terminal was sent: it hands that over a little later, and in parts."""
    text = b""
    while select.select([seen], [], [], 0.1)[0]:
        text += os.read(seen, 1 << 16)
    return text.decode()


def cleared(text: str) -> bool:
    """Whether the terminal's last line is empty, with the cursor at its start."""
    last = text.rpartition("\n")[2]
    return last.endswith("\r") and not last.rstrip("\r").rpartition("\r")[2].strip()


def test_a_bar_counts_answers_by_outcome(terminal: tuple[TextIO, int]) -> None:
    stream, seen = terminal
    resize(stream, 120)
    bar = Report(config.make({}), stream)
    with bar.running("CrawlerDriver doc/layer-000", 141):
        bar.watch(
            ['{"queued":141,"characters":2500000,"failed":3,"ok":5,"not_modified":1}', '{"ok":2}']
        )
        text = shown(seen)
    assert "CrawlerDriver doc/layer-000: 11/141 URLs, " in text
    assert "MB=2.5, failed=3, not modified=1]" in text
    assert cleared(shown(seen))


def test_a_bar_without_a_total_shows_the_time(terminal: tuple[TextIO, int]) -> None:
    stream, seen = terminal
    bar = Report(config.make({}), stream)
    with bar.running("MergeDriver doc/merged"):
        bar.watch([])
        text = shown(seen)
    assert text.strip().endswith("MergeDriver doc/merged: [00:00]")


@pytest.mark.parametrize("total", [0, 3])
def test_a_bar_shows_how_far_a_clusters_job_is(total: int, terminal: tuple[TextIO, int]) -> None:
    stream, seen = terminal
    resize(stream, 120)
    bar = Report(config.make({}), stream)
    with bar.running("ParserDriver out/layer-000", total):
        bar.watch(["map 50% reduce 0%"])
        assert ", map 50% reduce 0%]" in shown(seen)


def test_a_bar_fits_its_terminal(terminal: tuple[TextIO, int]) -> None:
    stream, seen = terminal
    resize(stream, 30)
    bar = Report(config.make({}), stream)
    with bar.running("CrawlerDriver doc/layer-000", 141):
        bar.watch(['{"ok":5}'])
    lines = shown(seen).split("\r")
    assert "CrawlerDriver doc/layer-000: " in lines
    assert max(map(len, lines)) < 30


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_bar_goes_when_a_stage_fails(
    error: type[BaseException], terminal: tuple[TextIO, int]
) -> None:
    stream, seen = terminal
    bar = Report(config.make({}), stream)
    with pytest.raises(error), bar.running("Job xml", 3):
        raise error
    assert cleared(shown(seen))
    bar.watch(['{"ok":1}'])
    bar.say("after")
    assert shown(seen) == "after\r\n"


@pytest.mark.parametrize("status", ["", "words", "[1]", "3", "null", '{"ok":"x"}', '{"ok":1'])
def test_statuses_of_others_are_passed_over(status: str, terminal: tuple[TextIO, int]) -> None:
    stream, seen = terminal
    bar = Report(config.make({}), stream)
    with bar.running("Job xml", 3):
        bar.watch([status, '{"ok":2}'])
        assert "Job xml: 2/3 URLs" in shown(seen)


def test_a_bar_starts_no_thread(terminal: tuple[TextIO, int]) -> None:
    before = threading.active_count()
    with Report(config.make({}), terminal[0]).running("Job xml", 3):
        assert threading.active_count() == before


def summary(crawl: Stores) -> list[str]:
    return report.summary(crawl, time.monotonic()).splitlines()


def test_a_summary_of_nothing(crawl: Stores) -> None:
    assert summary(crawl) == [
        "0 layers, 0 URLs in all: none", "nothing waits", "this run took 0.0 s",
    ]  # fmt: skip


def test_a_summary_of_one_page(crawl: Stores) -> None:
    publish(crawl.layer("in", 0), marker(urls__taken=1, urls__due=1))
    publish(crawl.layer("doc", 0), marker(outcomes__ok=1))
    publish(crawl.layer("in", 1), marker())
    publish(crawl.merged, marker(merged__pages=1, merged__duplicates=1))
    publish(crawl.xml, marker(xml__documents=1))
    assert summary(crawl)[:-1] == [
        "1 layer, 1 URL in all: 1 ok",
        "nothing waits",
        f"{crawl.root}/doc/merged: 1 page and 1 duplicate",
        f"{crawl.root}/xml: 1 document",
    ]


def test_a_summary_says_how_many_pages_asked_not_to_be_indexed(crawl: Stores) -> None:
    publish(crawl.merged, marker(merged__pages=1, merged__noindex=3))
    assert "not merged: 3 pages by noindex" in summary(crawl)


def test_a_summary_tells_which_links_were_cut_and_why(crawl: Stores) -> None:
    for layer in (0, 1):
        cuts = {"cuts: trap: repeated path": 1, "cuts: scope": 3 * layer, "links: followed": 5}
        publish(crawl.layer("out", layer), Marker("Job", {}, {}, "", cuts))
    assert "links cut: scope (3), trap: repeated path (2)" in summary(crawl)


def test_a_summary_counts_failures_over_layers(crawl: Stores) -> None:
    for layer in (0, 1):
        totals = {"failures: status 500": 1, "failures: timeout": layer, "outcomes: failed": 2}
        publish(crawl.layer("doc", layer), Marker("Job", {}, {}, "", totals))
    lines = summary(crawl)
    assert lines[:2] == [
        "2 layers, 4 URLs in all: 4 failed",
        "failures: status 500 (2), timeout (1)",
    ]


def layer(*stays: tuple[float, float, str], cpu: float = 0.0) -> Marker:
    """A doc layer's marker: its hosts' seconds and pauses, and the share of its time on the CPU."""
    seconds = max(stay[0] for stay in stays)
    return Marker("Job", {}, {}, "", {}, {"wall": seconds, "cpu": cpu * seconds}, stays)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            layer((58.2, 56.0, "slow.example"), (3.0, 0.0, "b.example")),
            "2 hosts took longest: slow.example 58 s (waiting 96 %), b.example 3 s (waiting 0 %);"
            " politeness set the pace",
        ),
        (
            layer((10.0, 1.0, "big.example"), cpu=0.9),
            "1 host took longest: big.example 10 s (waiting 10 %); CPU set the pace",
        ),
        (
            layer((10.0, 1.0, "far.example"), cpu=0.1),
            "1 host took longest: far.example 10 s (waiting 10 %); the network set the pace",
        ),
    ],
)
def test_a_summary_names_the_hosts_that_held_a_layer_up_and_why(
    content: Marker, told: str, crawl: Stores
) -> None:
    publish(crawl.layer("doc", 0), layer((2.0, 0.0, "quick.example")))
    publish(crawl.layer("doc", 1), content)
    assert f"layer 1: {told}" in summary(crawl)


def test_a_summary_of_short_layers_names_no_hosts(crawl: Stores) -> None:
    publish(crawl.layer("doc", 0), layer((0.9, 0.9, "quick.example")))
    assert "took longest" not in "".join(summary(crawl))


@pytest.mark.parametrize(
    ("totals", "line"),
    [
        ({"urls: due": 3, "urls: taken": 2}, "1 URL waits; 2 URLs of layer 0 not fetched yet"),
        (
            {"urls: due": 5, "urls: taken": 2, "urls: not due": 1},
            "4 URLs wait; 2 URLs of layer 0 not fetched yet",
        ),
        ({"urls: due": 1, "urls: taken": 1}, "1 URL of layer 0 not fetched yet"),
        (
            {"urls: not due": 2, "urls: waits until B": 1, "urls: waits until A": 1},
            "2 URLs wait, the first until about A",
        ),
        ({"urls: due": 1, "urls: not due": 1, "urls: waits until A": 1}, "2 URLs wait"),
    ],
)
def test_what_waits(totals: dict[str, int], line: str, crawl: Stores) -> None:
    publish(crawl.layer("in", 0), Marker("Job", {}, {}, "", totals))
    assert report.waits(crawl) == line


def test_what_is_held_back_and_by_which_option(crawl: Stores) -> None:
    assert report.held_back(crawl) == ""
    publish(crawl.layer("in", 0), marker(urls__due=3))
    assert report.held_back(crawl) == ""
    over = {"urls: over the host's budget": 2, "urls: pattern gives near-equal pages": 1}
    publish(crawl.layer("in", 1), Marker("Job", {}, {}, "", over))
    assert report.held_back(crawl) == (
        "held back: 2 URLs, over the host's budget (--max-host-pages);"
        " 1 URL, pattern gives near-equal pages (--max-alike)"
    )


def test_a_run_that_ends_before_the_next_plan_says_so(crawl: Stores) -> None:
    publish(crawl.layer("in", 0), marker(urls__taken=2, urls__due=2))
    publish(crawl.layer("doc", 0), marker(outcomes__ok=1, outcomes__deferred=1))
    rest = "what layer 0 links to is not planned yet"
    assert report.waits(crawl) == f"1 URL waits; {rest}"
    publish(crawl.layer("out", 0), marker(links__followed=1))
    publish(crawl.layer("doc", 0), marker(outcomes__ok=2))
    assert report.waits(crawl) == rest
    publish(crawl.layer("out", 0), marker())
    assert report.waits(crawl) == "nothing waits"


def test_answered_and_pages(crawl: Stores) -> None:
    assert report.answered(marker(outcomes__gone=1, outcomes__failed=3))
    assert not report.answered(marker(outcomes__deferred=1, outcomes__failed=3))
    assert report.answered(marker(outcomes__failed=3, sitemaps__ok=1))
    assert report.answered(marker(sitemaps__failed=1))
    assert not report.answered(marker(sitemaps__deferred=1))
    publish(crawl.layer("doc", 0), marker(outcomes__ok=2, outcomes__gone=1))
    publish(crawl.layer("doc", 1), marker(outcomes__ok=3))
    assert report.pages(crawl) == 5


def test_forecast(crawl: Stores) -> None:
    seed = ["http://a.example/"]
    assert report.forecast(crawl, seed) == f"{crawl.root}: 1 seed; starts with layer 0"
    publish(crawl.layer("out", 0), marker())
    assert report.forecast(crawl, seed * 2) == f"{crawl.root}: 2 seeds; goes on with layer 1"


def test_a_terminal_is_not_obeyed() -> None:
    stream = io.StringIO()
    told = Report(config.make({}), stream)
    told.say("one\x1b[31m\ntwo\x07")
    told.warn("three\r\u202e")
    assert stream.getvalue() == "one\\x1b[31m\ntwo\\x07\ndriver.py: three\\x0d\\x202e\n"
