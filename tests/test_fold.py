"""The fold gives one state per URL, however records are split, ordered, combined or repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import records
from layercrawl.config import Config
from layercrawl.ordering import ORDERS, CashOrder, GraphOrder, MessageOrder
from layercrawl.planning import fold
from layercrawl.records import Outlinks, Target, UrlState, Visit
from tests import planning

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "fold.json").read_text("utf-8")
)
MESSAGES = {name: order for name, order in ORDERS.items() if isinstance(order, MessageOrder)}
CASH = {name: order for name, order in ORDERS.items() if isinstance(order, CashOrder)}
GRAPHS = {name: order for name, order in ORDERS.items() if isinstance(order, GraphOrder)}
orders = pytest.mark.parametrize("order", ORDERS.values(), ids=list(ORDERS))
message_orders = pytest.mark.parametrize("order", MESSAGES.values(), ids=list(MESSAGES))

VISITS = st.builds(
    Visit, planning.times(), st.integers(0, 2), st.sampled_from(["ok", "failed"]),
    st.sampled_from(["", "d"]),
)  # fmt: skip
STATES = st.builds(
    UrlState,
    kind=st.sampled_from(["page", "robots", "sitemap"]),
    depth=st.integers(0, 2), hops=st.integers(0, 1), via=st.sampled_from(["", "u", "v"]),
    first=st.integers(0, 2),
    lastmod=st.sampled_from(["", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]),
    visits=st.lists(VISITS, max_size=20).map(lambda visits: sorted(set(visits))[-16:]),
    message=st.integers(0, 3),
    rules=st.sampled_from([None, "", "x"]),
    fetched=st.just("") | planning.times(),
    failing_since=st.just("") | planning.times(),
    delay=st.sampled_from([None, 0.0, 2.0]),
    not_before=st.just("") | planning.times(),
)  # fmt: skip


@orders
@planning.few
@given(one=STATES, two=STATES, three=STATES)
def test_merge_takes_states_in_any_order(order, one, two, three) -> None:
    def merge(left: UrlState, right: UrlState) -> UrlState:
        return fold.merge(left, right, order)

    assert merge(one, two) == merge(two, one)
    assert merge(merge(one, two), three) == merge(one, merge(two, three))


@message_orders
@planning.few
@given(one=STATES, two=STATES)
def test_merge_does_not_mind_repetition(order, one, two) -> None:
    assert fold.merge(one, one, order) == one
    merged = fold.merge(one, two, order)
    assert fold.merge(merged, two, order) == merged


@orders
@planning.few
@given(lines=planning.lines(), data=st.data())
def test_any_split_in_any_order_gives_the_same(order, lines, data) -> None:
    shuffled = data.draw(st.permutations(lines))
    mapper = data.draw(st.lists(st.integers(0, 2), min_size=len(lines), max_size=len(lines)))
    split = [[line for m, line in zip(mapper, shuffled, strict=True) if m == n] for n in range(3)]
    most = data.draw(st.sampled_from([0, 1, 3]))
    assert planning.states(split, order, 3, most) == planning.states([lines], order, 3)


@message_orders
@planning.few
@given(lines=planning.lines())
def test_records_that_come_twice_count_once(order, lines) -> None:
    assert planning.states([lines, lines], order) == planning.states([lines], order)


def checkpoint(states: dict[str, UrlState]) -> list[planning.Line]:
    written = [records.encode(url, state) for url, state in states.items()]
    return [(0, *records.decode(line, UrlState)) for line in written]


@orders
@planning.few
@given(lines=planning.lines(), until=st.integers(0, 2), before=st.integers(-1, 1))
def test_a_fold_goes_on_from_a_checkpoint(order, lines, until, before) -> None:
    parts: list[list[planning.Line]] = [[], [], []]
    for line in lines:
        parts[(line[0] > before) + (line[0] > until)].append(line)
    oldest, older, newer = parts
    begun = checkpoint(planning.kept([checkpoint(planning.kept([oldest], order)), older], order))
    assert planning.states([begun, newer], order) == planning.states([lines], order)


@planning.few
@given(st.lists(VISITS, unique=True, max_size=60), st.integers(1, 20))
def test_the_newest_visits_are_kept_whatever_comes_first(visits, size) -> None:
    order = ORDERS["breadth-first"]
    parts = [visits[at : at + size] for at in range(0, len(visits), size)]
    state = UrlState()
    for part in parts:
        state = fold.merge(UrlState(visits=sorted(part)[-16:]), state, order)
    assert state.visits == sorted(visits)[-fold.KEPT_VISITS :]


@pytest.mark.parametrize("case", CASES["found"], ids=lambda case: case["description"])
def test_found(case) -> None:
    page = msgspec.convert({"is": "outlinks", **case["page"]}, Outlinks)
    given_states = fold.found(case["url"], page, 4, ORDERS["breadth-first"], case["depth"])
    _, *links = given_states
    expected = [[url, msgspec.convert({"is": "state", **s}, UrlState)] for url, s in case["links"]]
    assert list(map(list, links)) == expected


@pytest.mark.parametrize("case", CASES["hosts"], ids=lambda case: case["description"])
def test_a_hosts_state_is_what_its_newest_answer_says(case) -> None:
    answers = [msgspec.convert({"is": "outlinks", **page}, Outlinks) for page in case["answers"]]
    lines = [(n, planning.ROBOTS[0], page) for n, page in enumerate(answers)]
    state = planning.states([lines], ORDERS["breadth-first"])[planning.ROBOTS[0]]
    expected = msgspec.convert({"is": "state", "kind": "robots", **case["state"]}, UrlState)
    assert state == expected


def test_an_answer_is_a_visit_of_its_url() -> None:
    page = msgspec.convert(
        {"is": "outlinks", "target": {"depth": 2, "via": "http://u.example/", "hops": 1},
         "outcome": "ok", "fetched": "2026-01-01T00:00:00Z", "digest": "d", "simhash": "s",
         "etag": "e", "last_modified": "m", "length": 7}, Outlinks,
    )  # fmt: skip
    ((_, state),) = fold.found("http://a.example/", page, 5, ORDERS["breadth-first"], 9)
    visit = Visit("2026-01-01T00:00:00Z", 5, "ok", "d", "s", "e", "m", 7)
    expected = UrlState(depth=2, hops=1, via="http://u.example/", first=5, visits=[visit])
    assert state == expected


def test_sitemaps_are_followed_when_they_are_wanted() -> None:
    page = Outlinks(Target(kind="robots"), "ok", sitemaps=["http://a.example/s"])
    for wanted in (False, True):
        folding = fold.Folding(ORDERS["breadth-first"], 0, Config(depth=1, sitemaps=wanted))
        list(folding.add("http://a.example/robots.txt", page))
        assert (b"http://a.example/s" in dict(folding.rest())) is wanted


@pytest.mark.parametrize("order", (MESSAGES | CASH).values(), ids=list(MESSAGES | CASH))
def test_a_linked_sitemap_is_one_and_what_it_lists_counts_for_no_order(order) -> None:
    url, page = "http://a.example/s", "http://a.example/x"
    lines = [
        (0, "http://a.example/", Outlinks(Target(), "ok", links=[(url, "")])),
        (0, "http://a.example/robots.txt", Outlinks(Target(kind="robots"), "ok", sitemaps=[url])),
        (1, url, Outlinks(Target(kind="sitemap", depth=1), "ok", links=[(page, "")])),
    ]
    for turned in (lines, lines[::-1]):
        found = planning.states([turned], order)
        assert (found[url].kind, found[url].depth) == ("sitemap", 1)
        assert (found[page].kind, found[page].depth, found[page].message) == ("page", 1, 0)


def test_lines_without_a_url_are_passed_over() -> None:
    assert planning.states([[(0, "", None)]], ORDERS["breadth-first"]) == {}


def test_memory_is_bounded_by_the_number_of_states_held() -> None:
    folding = fold.Folding(ORDERS["breadth-first"], 0, Config(depth=9), most=2)
    sent = [len(list(folding.add(f"http://a.example/{n}", None))) for n in range(7)]
    assert sent == [0, 0, 3, 0, 0, 3, 0] and len(list(folding.rest())) == 1


@orders
@planning.few
@given(known=STATES.filter(lambda state: state.kind == "page"), page=planning.pages())
def test_a_link_to_a_known_url_merges_like_any_other_state(order, known, page) -> None:
    page = records.replace(page, links=[("http://x.example/", "")])
    _, (url, linked) = fold.found("http://a.example/", page, 1, order, 9)
    folding = fold.Folding(order, 1, Config(depth=9))
    for given_url, record in ((url, known), ("http://a.example/", page)):
        assert all(b"~" in message for _, message in folding.add(given_url, record))
    messages = dict(folding.rest())
    graph = isinstance(order, GraphOrder)
    kept = records.replace(known, message=0) if graph else known
    assert fold.folded([messages[url.encode()]], order) == fold.merge(kept, linked, order)
