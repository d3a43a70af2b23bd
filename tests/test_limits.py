"""--max-pages and --max-minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from layercrawl import config, stores
from layercrawl.running import limits
from layercrawl.running.limits import Limits
from layercrawl.stores import Marker, Stores


class Clock:
    """The monotonic clock, set by hand."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    hand = Clock()
    monkeypatch.setattr(limits, "time", hand)
    return hand


@pytest.fixture
def crawl(tmp_path: Path) -> Stores:
    """A crawl whose first layer brought 3 pages and a failure."""
    made = Stores(tmp_path)
    folder = made.layer("doc", 0)
    sibling = stores.new(folder)
    sibling.mkdir()
    totals = {"outcomes: ok": 3, "outcomes: failed": 1}
    stores.publish(sibling, folder, Marker("Job", {}, {}, "", totals))
    return made


def limited(crawl: Stores, **values: Any) -> Limits:
    return Limits(config.make(values), crawl)


def test_no_limits(crawl: Stores, clock: Clock) -> None:
    free = limited(crawl, layer_minutes=60)
    clock.now += 1e9
    assert (free.reached(), free.pages_left(), free.for_layer().layer_minutes) == (False, None, 60)


@pytest.mark.parametrize(("most", "left"), [(1, 0), (3, 0), (4, 1), (10, 7)])
def test_pages_of_earlier_runs_count(most: int, left: int, crawl: Stores) -> None:
    pages = limited(crawl, max_pages=most)
    assert (pages.pages_left(), pages.reached()) == (left, left == 0)


def test_minutes_count_from_this_runs_start(crawl: Stores, clock: Clock) -> None:
    timed = limited(crawl, max_minutes=2, layer_minutes=5)
    assert (timed.started, timed.reached()) == (1000.0, False)
    clock.now += 90
    assert (timed.reached(), timed.for_layer().layer_minutes) == (False, 0.5)
    clock.now += 30
    assert timed.reached()


def test_a_layer_that_starts_too_late_puts_all_off(crawl: Stores, clock: Clock) -> None:
    timed = limited(crawl, max_minutes=1)
    clock.now += 61
    assert 0 < timed.for_layer().layer_minutes < 0.01


def test_a_layers_own_limit_may_be_the_shorter(crawl: Stores, clock: Clock) -> None:
    assert limited(crawl, max_minutes=9, layer_minutes=2).for_layer().layer_minutes == 2
