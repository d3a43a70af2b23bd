"""The next layer: who is due, what a host may have, where the cut is."""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import config, manners, records, schedule, urls
from layercrawl.ordering import ORDERS
from layercrawl.planning import budgets, fold
from layercrawl.planning.patterns import pattern, varies
from layercrawl.planning.selection import RULES_LAST, Selection, rank
from layercrawl.planning.visited import hashed
from layercrawl.records import Outlinks, Target, UrlState, Visit
from layercrawl.rules import Rules
from tests import planning

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "selection.json").read_text("utf-8")
)
PAST, FUTURE = "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"
PAGES = [
    f"http://{host}.example{rest}"
    for host in "abc"
    for rest in ("/", "/x", "/xy", ":81/x", "/1", "/2")
]
ORIGINS = sorted({urls.robots_url(url) for url in PAGES})

VISITS = st.sampled_from(
    [
        [],
        [],
        [Visit(PAST, 0, "ok", "d", "00000000000000ff")],
        [Visit(PAST, 0, "ok", "d", "000000000000ffff")],
        [Visit(PAST, 0, "failed")],
        [Visit(schedule.timestamp(planning.NOW), 0, "failed")],
        [Visit(PAST, 0, "deferred", not_before=FUTURE)],
        [Visit(PAST, 0, "deferred")],
    ]
)
PAGE_STATES = st.builds(
    UrlState, depth=st.integers(0, 4), via=st.just("v"), visits=VISITS, message=st.integers(0, 2)
)
HOST_STATES = st.builds(
    UrlState,
    kind=st.just("robots"),
    rules=st.sampled_from([None, "R"]),
    fetched=st.sampled_from(["", PAST, "2026-01-01T12:00:00Z"]),
    delay=st.sampled_from([None, 20.0, 9000.0]),
    not_before=st.sampled_from(["", "", PAST, FUTURE]),
)
KNOWN = st.dictionaries(st.sampled_from(PAGES), PAGE_STATES).flatmap(
    lambda pages: st.dictionaries(st.sampled_from(ORIGINS), HOST_STATES).map(
        lambda hosts: pages | hosts
    )
)
CONFIGS = st.builds(
    config.Config,
    depth=st.integers(0, 4),
    order=st.sampled_from(sorted(ORDERS)),
    budget=st.sampled_from([0, 1, 2, 5]),
    max_per_host=st.sampled_from([0, 0, 1, 2]),
    delay=st.sampled_from([0.0, 1.0, 30.0]),
    layer_minutes=st.sampled_from([1.0, 60.0]),
)
BUDGETED = st.builds(
    dataclasses.replace,
    CONFIGS,
    max_host_pages=st.sampled_from([0, 3]),
    max_per_pattern=st.sampled_from([0, 1, 2]),
    max_alike=st.sampled_from([0, 1]),
)


@given(st.lists(st.integers(-(1 << 70), 1 << 70)))
def test_ranks_sort_the_highest_score_first(scores) -> None:
    clamped = [max(-(1 << 63) + 1, min(score, 1 << 63)) for score in scores]
    assert sorted(clamped, key=rank) == sorted(clamped, reverse=True)
    assert [rank(score) for score in scores] == [rank(score) for score in clamped]
    assert {len(rank(score)) for score in scores} <= {16}


def due(url: str, state: UrlState, settings: config.Config, known: dict[str, UrlState]) -> bool:
    """The definition, plainly: not fetched yet, in reach, and nobody asked for later."""
    now = schedule.timestamp(planning.NOW)
    when = schedule.next_visit(state.visits)
    if state.visits and (when is None or when > planning.NOW):
        return False
    if not state.visits and state.depth > settings.depth:
        return False
    host = known.get(urls.robots_url(url))
    return not (host and host.not_before > now)


def expected(known: dict[str, UrlState], settings: config.Config, limit: int) -> list[str]:
    """The layer by its definition, all at once."""
    by_host: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for url, state in known.items():
        if state.kind == "page" and due(url, state, settings, known):
            depth = 0 if settings.budget else state.depth
            score = ORDERS[settings.order].score(state)
            by_host[urls.host(url)].append((depth, -score, url))
    rows = [row for host in by_host for row in sorted(by_host[host])[: cap(host, known, settings)]]
    rows.sort()
    rows = rows if settings.budget else [row for row in rows if row[0] == rows[0][0]]
    return [url for _, _, url in rows[: min(settings.budget or 99, limit or 99)]]


def cap(host: str, known: dict[str, UrlState], settings: config.Config) -> int:
    mine = [known[url] for url in ORIGINS if url in known and urls.host(url) == host]
    delays = [state.delay or 0.0 for state in mine]
    delay = max([settings.delay, *(d for d in delays if d <= manners.MAX_CRAWL_DELAY)])
    by_time = int(60 * settings.layer_minutes / delay) if delay else 99
    return max(1, min(by_time, settings.max_per_host or 99))


@planning.few
@given(KNOWN, CONFIGS, st.sampled_from([0, 0, 1, 3]), st.integers(1, 3))
def test_a_layer_is_what_its_definition_says(known, settings, limit, reducers) -> None:
    layer, counts = planning.planned(known, settings, limit, reducers)
    pages = [url for url, target in layer if target.kind == "page"]
    assert pages == expected(known, settings, limit)
    assert counts["taken"] == len(pages)


@planning.few
@given(KNOWN, CONFIGS, st.integers(1, 3))
def test_hosts_states_come_with_the_pages_that_need_them(known, settings, reducers) -> None:
    layer, _ = planning.planned(known, settings, 0, reducers)
    brought = [url for url, target in layer if target.kind == "robots"]
    needed = {urls.robots_url(url) for url, target in layer if target.kind == "page"}
    assert sorted(brought) == sorted(needed & known.keys())
    met = set()
    for url, target in layer:
        met.add(url)
        assert target.kind == "robots" or urls.robots_url(url) in met | (needed - known.keys())


@planning.few
@given(KNOWN, BUDGETED, st.integers(1, 3))
def test_the_counts_add_up(known, settings, reducers) -> None:
    known = known | {"http://d.example/robots.txt": UrlState()}
    _, counts = planning.planned(known, settings, 0, reducers)
    fates = ("visited", "beyond depth", "not due", "due", "robots.txt", *budgets.REASONS)
    assert counts["known"] == sum(counts[fate] for fate in fates)
    assert counts["known"] == sum(state.kind == "page" for state in known.values())
    waiting = sum(n for name, n in counts.items() if name.startswith("waits until"))
    assert waiting == counts["not due"]


@planning.few
@given(KNOWN, BUDGETED)
def test_any_number_of_reducers_writes_the_same_bytes(known, settings) -> None:
    def written(reducers: int) -> list[bytes]:
        layer, _ = planning.planned(known, settings, 0, reducers)
        return [records.encode(url, target) for url, target in layer]

    assert written(1) == written(2) == written(5)


def _waits(state: UrlState) -> bool:
    """Whether a URL that was asked for is due for another try: it counts once it is chosen."""
    due = schedule.next_visit(state.visits)
    return due is not None and due <= planning.NOW


@planning.few
@given(KNOWN, BUDGETED)
def test_no_budget_is_overdrawn_but_by_seeds(known, settings) -> None:
    layer, _ = planning.planned(known, settings)
    asked = {
        url
        for url, state in known.items()
        if state.visits and state.kind == "page" and not _waits(state)
    }
    chosen = {url for url, target in layer if target.kind == "page" and target.depth}
    seeds = {url for url, target in layer if target.kind == "page" and not target.depth}
    of = {url: (urls.host(url), pattern(url)) for url in asked | chosen}
    for url in chosen - asked:
        alike = [other for other in (asked | chosen) - seeds if of[other] == of[url]]
        assert len(alike) <= (settings.max_per_pattern or 99) or not varies(pattern(url))
        here = [other for other in (asked | chosen) - seeds if of[other][0] == of[url][0]]
        assert len(here) <= (settings.max_host_pages or 99)


@pytest.mark.parametrize("case", CASES["layers"], ids=lambda case: case["description"])
def test_layers(case) -> None:
    known = {
        url: msgspec.convert({"is": "state", **state}, UrlState)
        for url, state in case["known"].items()
    }
    settings = config.Config(**case["config"])
    layer, counts = planning.planned(known, settings, case.get("limit", 0))
    assert [url for url, _ in layer] == case["layer"]
    assert counts.items() >= case.get("counts", {}).items()


def seen(changing: bool) -> list[Visit]:
    """Visits every day until now."""
    days = [planning.NOW - timedelta(days=day) for day in range(15, -1, -1)]
    prints = [f"{(255 << 40 if changing and n % 2 else 255):016x}" for n in range(16)]
    return [
        Visit(schedule.timestamp(day), 0, "ok", shown, shown)
        for day, shown in zip(days, prints, strict=True)
    ]


@pytest.mark.parametrize(
    ("budget", "days", "taken"),
    [
        (0, 1, ["new", "changing"]),  # by their periods
        (0, 90, ["new", "calm", "changing"]),
        (4, 1, ["new", "changing"]),
        (4, 5, ["new", "calm", "changing"]),  # early
        (2, 5, ["new", "calm"]),  # the other would be stale again in hours
        (1, 90, ["new"]),
    ],
)
def test_pages_are_asked_for_again_after_new_ones_and_by_worth(budget, days, taken) -> None:
    states = {
        "http://a.example/calm": UrlState(visits=seen(False)),
        "http://a.example/changing": UrlState(visits=seen(True)),
        "http://a.example/new": UrlState(depth=0, via="v"),
    }
    settings = config.Config(recrawl=True, budget=budget)
    choice = Selection(settings, planning.NOW + timedelta(days=days))
    rows = [row for url, state in states.items() for _, row in choice.candidate(url, state)]
    layer = choice.taken(sorted(choice.of_host(sorted(rows))), 0)
    assert [url.rpartition("/")[2] for url, _ in layer] == taken


def test_a_sitemaps_target_is_one() -> None:
    state = UrlState(kind="sitemap", depth=2, hops=1, via="http://a.example/robots.txt")
    layer, _ = planning.planned({ORIGINS[0] + "x": state}, config.Config(sitemaps=True))
    assert layer == [(ORIGINS[0] + "x", Target("sitemap", 2, "http://a.example/robots.txt", 1))]


def test_what_pages_must_look_like_and_their_budgets_do_not_hold_for_sitemaps() -> None:
    settings = config.Config(sitemaps=True, max_host_pages=1)
    choice = Selection(settings, planning.NOW, Rules("any", exclude=("/maps/",)))
    visited = UrlState(depth=1, visits=[Visit(PAST, 0, "ok", "8a" * 32)])
    sitemap = UrlState(kind="sitemap", depth=1, via="http://a.example/robots.txt")
    page = UrlState(depth=1, via="http://a.example/")
    known = {"/": visited, "/maps/1.xml.gz": sitemap, "/maps/2": page, "/3": page}
    rows = [
        row
        for path, state in known.items()
        for _, row in choice.candidate(f"http://a.example{path}", state)
    ]
    taken = [url for url, _ in choice.taken(choice.of_host(sorted(rows)), 0)]
    assert taken == ["http://a.example/maps/1.xml.gz"]
    assert choice.counts["cut"] == choice.counts["over the host's budget"] == 1


def host_row(state: UrlState) -> Target:
    choice = Selection(config.Config(), planning.NOW)
    ((_, row),) = choice.candidate(ORIGINS[0], state)
    return records.decode(row.partition(b" ")[2], Target)[1]


def test_rules_last_a_day() -> None:
    just = schedule.timestamp(planning.NOW - RULES_LAST + timedelta(seconds=1))
    state = UrlState(kind="robots", rules="R", fetched=just, failing_since=PAST, delay=2.0)
    kept = Target(kind="robots", rules="R", fetched=just, failing_since=PAST, delay=2.0)
    assert host_row(state) == kept
    old = schedule.timestamp(planning.NOW - RULES_LAST)
    forgotten = msgspec.structs.replace(kept, rules=None, fetched="")
    assert host_row(msgspec.structs.replace(state, fetched=old)) == forgotten


def test_a_target_knows_how_it_was_found() -> None:
    known = {"http://a.example/": UrlState(depth=2, hops=1, via="http://u.example/")}
    ((_, target),) = planning.planned(known, config.Config())[0]
    assert target == Target(depth=2, hops=1, via="http://u.example/", score=-2)


def test_a_url_of_which_only_a_weight_is_known_is_none() -> None:
    layer, counts = planning.planned({"http://a.example/": fold.weight(3)}, config.Config())
    assert not layer and not +counts


def test_waits_are_told_roughly() -> None:
    """Counters may not have a name for every second."""
    choice = Selection(config.Config(), planning.NOW)
    for seconds in range(1, 400_000, 777):
        until = schedule.timestamp(planning.NOW + timedelta(seconds=seconds))
        visit = Visit(PAST, 0, "deferred", not_before=until)
        rows = choice.candidate("http://a.example/", UrlState(visits=[visit]))
        assert [row for _, row in rows] == [b"11 %08x" % hashed("http://a.example/"), b"1 / -"]
    names = [name.removeprefix("waits until ") for name in choice.counts if "until" in name]
    assert len(names) < 20 and min(names) > schedule.timestamp(planning.NOW)


@pytest.mark.slow
def test_each_of_a_hundred_thousand_urls_is_taken_once_and_never_again() -> None:
    order, settings = ORDERS["breadth-first"], config.Config(depth=1, delay=0.0, scope="any")
    links = [f"http://a.example/{n}" for n in range(100_000)]
    page = Outlinks(Target(), "ok", fetched="2026-01-01T00:00:00Z", links=[(u, "") for u in links])
    known = planning.states(
        [[(0, "http://a.example/", page), (0, "http://b.example/", page)]], order
    )
    layer, _ = planning.planned(known, settings)
    assert [url for url, _ in layer] == sorted(links)
    answer = Outlinks(Target(depth=1), "ok", fetched="2026-01-01T00:00:01Z")
    visits = {
        url: fold.merge(known[url], state, order)
        for url in links[:-1]
        for _, state in fold.found(url, answer, 1, order, 1)
    }
    layer, _ = planning.planned(known | visits, settings)
    assert [url for url, _ in layer] == links[-1:]
