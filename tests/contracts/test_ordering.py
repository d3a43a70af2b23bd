"""What every crawl order keeps, whichever it is: one suite over the registry."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import records
from layercrawl.config import Config
from layercrawl.job import ranking
from layercrawl.ordering import ORDERS, GraphOrder, MessageOrder, Plan, WeightOrder, written_plans
from layercrawl.ordering.graph import Graph
from layercrawl.ordering.opic import UNIT, Opic
from layercrawl.ordering.pagerank import TOTAL, pagerank
from layercrawl.records import Outlinks, Target, UrlState
from tests import planning

MESSAGES = [name for name in ORDERS if isinstance(ORDERS[name], MessageOrder)]
GRAPHS = [name for name in ORDERS if isinstance(ORDERS[name], GraphOrder)]
NODES = [f"http://{host}.example/{n}" for n in range(4) for host in "abc"]
LINKS = st.dictionaries(
    st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=5, unique=True)
)
SEEDS = st.lists(st.sampled_from(NODES), min_size=1, max_size=2, unique=True)
Web = dict[str, list[str]]


def messages(order: MessageOrder) -> st.SearchStrategy[int]:
    """What can come to a URL: a seed's start, what pages pass, and those merged."""
    single = st.just(order.seed) | planning.pages().map(order.passed)
    return st.lists(single, min_size=1, max_size=3).map(lambda some: reduce(order.merged, some))


@pytest.mark.parametrize("name", MESSAGES)
@planning.few
@given(data=st.data())
def test_messages_merge_in_any_order_and_repeat(name, data) -> None:
    order = ORDERS[name]
    one, two, three = (data.draw(messages(order)) for _ in range(3))
    assert order.merged(one, two) == order.merged(two, one)
    merged = order.merged(order.merged(one, two), three)
    assert merged == order.merged(one, order.merged(two, three))
    assert order.merged(merged, two) == merged
    assert order.merged(one, 0) == one


@pytest.mark.parametrize("name", ORDERS)
@planning.few
@given(data=st.data())
def test_scores_are_whole_numbers_of_the_state_alone(name, data) -> None:
    order = ORDERS[name]
    message = st.integers(0, 9) if isinstance(order, GraphOrder) else messages(order)
    state = UrlState(depth=data.draw(st.integers(0, 9)), message=data.draw(message))
    assert type(order.score(state)) is int
    assert order.score(state) == order.score(state)


def crawl(links: Web, seeds: list[str], config: Config, reducers: int = 1) -> list[list[bytes]]:
    """All layers' `in/` of a crawl of a web that answers from memory."""
    order, layers, plans = ORDERS[config.order], [], []
    mappers: list[list[planning.Line]] = [[(0, seed, None) for seed in seeds]]
    while True:
        known = planning.states(mappers, order, config.depth, most=3 if reducers > 1 else 50_000)
        layer, counts = planning.planned(known, config, 0, reducers, written_plans(plans))
        if not layer:
            return layers
        plans.append(Plan(counts["cash gone"], counts["cash urls"]))
        answers = [
            (len(layers), url, answer(links, url, target, len(layers))) for url, target in layer
        ]
        mappers += [answers[::2], answers[1::2]] if reducers > 1 else [answers]
        layers.append([records.encode(url, target) for url, target in layer])


def answer(links: Web, url: str, target: Target, layer: int) -> Outlinks:
    found = [(link, "") for link in links.get(url, [])]
    return Outlinks(target, "ok", fetched=f"2026-01-01T00:{layer:02}:00Z", links=found)


def distances(links: Web, seeds: list[str]) -> dict[str, int]:
    found, edge, depth = dict.fromkeys(seeds, 0), seeds, 0
    while edge:
        depth += 1
        edge = [link for url in edge for link in links.get(url, []) if link not in found]
        found |= dict.fromkeys(edge, depth)
    return found


def fetched(layers: list[list[bytes]]) -> list[tuple[str, int]]:
    decoded = [records.decode(line, Target) for layer in layers for line in layer]
    return [(url, target.depth) for url, target in decoded]


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("budget", [1, 3, 10])
@planning.few
@given(links=LINKS, seeds=SEEDS)
def test_a_budget_only_changes_when_a_page_is_fetched(name, budget, links, seeds) -> None:
    layers = crawl(links, seeds, Config(order=name, budget=budget, depth=len(NODES)))
    assert all(len(layer) <= budget for layer in layers)
    assert sorted(url for url, _ in fetched(layers)) == sorted(distances(links, seeds))


@pytest.mark.parametrize("name", ORDERS)
@planning.few
@given(links=LINKS, seeds=SEEDS, depth=st.integers(0, 4))
def test_without_a_budget_layers_are_distances(name, links, seeds, depth) -> None:
    layers = crawl(links, seeds, Config(order=name, depth=depth))
    reached = {url: d for url, d in distances(links, seeds).items() if d <= depth}
    assert sorted(fetched(layers)) == sorted(reached.items())
    assert [{d for _, d in fetched([layer])} for layer in layers] == [
        {d} for d in range(len(layers))
    ]


@pytest.mark.parametrize("name", ORDERS)
@planning.few
@given(links=LINKS, seeds=SEEDS, budget=st.sampled_from([0, 1, 4]))
def test_any_split_gives_the_same_bytes(name, links, seeds, budget) -> None:
    config = Config(order=name, budget=budget, depth=5)
    assert crawl(links, seeds, config, reducers=3) == crawl(links, seeds, config)


@pytest.mark.parametrize("name", [n for n in GRAPHS if isinstance(ORDERS[n], WeightOrder)])
@planning.few
@given(older=planning.pages(), newer=planning.pages(), other=planning.pages())
def test_a_page_visited_again_counts_by_its_newest_links(name, older, newer, other) -> None:
    order = ORDERS[name]
    older = records.replace(older, fetched="2026-01-01T00:00:00Z")
    newer = records.replace(newer, fetched="2026-01-02T00:00:00Z")
    one, two = planning.URLS[:2]
    again = planning.states([[(0, one, older), (1, one, newer), (0, two, other)]], order)
    once = planning.states([[(1, one, newer if newer.links else older), (0, two, other)]], order)
    counted = {url: state.message for url, state in again.items() if state.message}
    assert counted == {url: state.message for url, state in once.items() if state.message}


def first(name: str, links: Web, budget: int = 1) -> list[str]:
    config = Config(order=name, budget=budget, depth=9)
    return [url.rpartition("/")[2] for url, _ in fetched(crawl(links, [node("s")], config))]


def node(name: str) -> str:
    return f"http://a.example/{name}"


FORK = {
    node("s"): [node("l"), node("r")],
    node("l"): [node("l1"), node("x")],
    node("r"): [node("r1"), node("x")],
}


def test_breadth_first() -> None:
    assert first("breadth-first", FORK) == ["s", "l", "r", "l1", "r1", "x"]


def test_depth_first() -> None:
    assert first("depth-first", FORK) == ["s", "l", "l1", "x", "r", "r1"]


def test_backlink() -> None:
    assert first("backlink", FORK) == ["s", "l", "l1", "r", "x", "r1"]


def test_a_pages_link_to_itself_is_no_backlink() -> None:
    page = Outlinks(Target(), "ok", links=[(NODES[0], ""), (NODES[1], "")])
    assert list(ORDERS["backlink"].weights([(NODES[0], page)])) == [(NODES[1], 1)]


def test_of_backlinks_those_from_other_hosts_may_count_alone() -> None:
    page = Outlinks(Target(), "ok", links=[(node("x"), ""), ("http://b.example/", "")])
    given = ORDERS["backlink-other-hosts"].weights([(node("s"), page), ("http://c.example/", page)])
    assert sorted(given) == [("http://a.example/x", 1), *[("http://b.example/", 1)] * 2]


def test_best_first_goes_by_the_best_link_and_not_by_their_sum() -> None:
    order = ORDERS["best-first"]
    promised = {"s": [("l", 5), ("r", 4)], "l": [("x", 3), ("y", 2)], "r": [("y", 2), ("x", 1)]}
    lines: list[planning.Line] = [(0, node("s"), None)]
    for url, links in promised.items():
        page = Outlinks(
            Target(), "ok", fetched="2026-01-01T00:00:00Z", relevance=1,
            links=[(node(link), "") for link, _ in links],
            relevances=[promise for _, promise in links],
        )  # fmt: skip
        lines.append((0, node(url), page))
    moved = Outlinks(Target(score=7), "redirect", links=[(node("m"), "")])
    older = Outlinks(Target(), "ok", relevance=1, links=[(node("o"), "")])
    lines += [(0, node("away"), moved), (0, node("old"), older)]
    known = planning.states([lines], order)
    scores = {url[-1]: order.score(state) for url, state in known.items() if state.message}
    assert scores == {"s": order.seed, "l": 5, "r": 4, "x": 3, "y": 2, "m": 7, "o": 1}


TABLE = {node("A"): [node("B"), node("C")], node("B"): [node("D"), node("E")],
         node("C"): [node("E")], node("E"): [node("B")]}  # fmt: skip


def test_opic_nutch_keeps_what_it_passes_on() -> None:
    """The worked example of Nutch 0.9's scores, with the pages fetched as its author has it."""
    order, lines = ORDERS["opic-nutch"], [(0, node("A"), None)]
    told = {"A": 1.0}
    for layer, name in enumerate("ABCED"):
        state = planning.states([lines], order)[node(name)]
        target = Target(depth=state.depth, cash=order.cash(state))
        lines.append((layer, node(name), answer(TABLE, node(name), target, layer)))
        known = planning.states([lines], order)
        told = {url[-1]: order.score(state) / UNIT for url, state in sorted(known.items())}
    assert told == {"A": 1.0, "B": 1.25, "C": 0.5, "D": 0.25, "E": 0.75}


@planning.few
@given(links=LINKS, seeds=SEEDS, budget=st.integers(1, 4))
def test_opics_cash_is_kept_in_all(links, seeds, budget) -> None:
    """With the root's, which the plan tells, it is a unit for each seed, in every layer."""
    order, lines, plans = Opic(), [(0, seed, None) for seed in seeds], []
    config = Config(order="opic", budget=budget, depth=len(NODES))
    while True:
        known = planning.states([lines], order, config.depth)
        layer, counts = planning.planned(known, config, plans=written_plans(plans))
        held = sum(order.after(plans).cash(state) for state in known.values())
        assert held + counts["cash gone"] == len(seeds) * UNIT
        assert counts["cash gone"] >= 0 and counts["cash urls"] == len(known)
        if not layer:
            return
        number = len(plans)
        lines += [(number, url, answer(links, url, target, number)) for url, target in layer]
        plans.append(Plan(counts["cash gone"], counts["cash urls"]))


@pytest.mark.parametrize("outcome", ["not_modified", "failed", "deferred"])
def test_opic_moves_no_cash_without_an_answer(outcome) -> None:
    page = Outlinks(Target(cash=7), outcome)
    assert Opic().spent(page) == Opic().passed(page) == 0


def graph(links: list[list[int]], hosts: str = "") -> Graph:
    degrees = np.array([len(page) for page in links])
    targets = np.array([link for page in links for link in page], np.int64)
    places = np.array([100 * ord(host) for host in hosts or "a" * len(links)])
    return Graph(degrees, targets, degrees > 0, places, places)


def ranked(name: str, known: Graph) -> list[int]:
    """The pages, best first."""
    return np.argsort(-ORDERS[name].ranks(known), kind="stable").tolist()


def test_pagerank_is_what_linear_algebra_says() -> None:
    links = [[1, 2], [2], [0], [2], []]
    matrix = np.zeros((5, 5))
    for page, targets in enumerate(links):
        matrix[targets or slice(None), page] = 1 / (len(targets) or 5)
    wanted = np.linalg.solve(np.eye(5) - 0.85 * matrix, np.full(5, 0.15 / 5))
    assert pagerank(graph(links), rounds=80) / TOTAL == pytest.approx(wanted, abs=1e-5)


def test_hits_prefers_what_good_hubs_link_to() -> None:
    assert ranked("hits", graph([[2, 3], [3], [], []]))[:2] == [3, 2]


def test_larger_sites_have_more_pages_waiting() -> None:
    known = graph([[1, 2, 3], [], [], []], hosts="abba")
    assert ORDERS["larger-sites-first"].ranks(known).tolist() == [1, 2, 2, 1]


def test_siblings_of_good_pages_come_before_others_of_the_same_rank() -> None:
    links = [[1, 4, 5], [1], [1], [1], [], []]
    assert ranked("pagerank-siblings", graph(links, hosts="abcdeb"))[:3] == [1, 5, 4]
    assert ranked("pagerank", graph(links, hosts="abcdeb"))[1:3] == [4, 5]


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("name", [n for n in GRAPHS if not isinstance(ORDERS[n], WeightOrder)])
def test_graphs_of_nothing_have_ranks(name, size) -> None:
    assert len(ORDERS[name].ranks(graph([[]] * size))) == size


def test_a_graph_is_looked_at_in_blocks(monkeypatch) -> None:
    links = [[1, 2], [0], [], [0, 1, 2, 4], [3]]
    whole = graph(links).along(np.arange(5.0)), graph(links).against(np.arange(5.0))
    monkeypatch.setattr("layercrawl.ordering.graph.BLOCK", 2)
    parts = graph(links).along(np.arange(5.0)), graph(links).against(np.arange(5.0))
    assert np.array_equal(whole, parts) and parts[0].tolist() == [4, 3, 3, 4, 3]


def test_too_many_pages_for_the_ranks_is_an_error_that_names_the_cure() -> None:
    rows = [b"0 http://a.example/%d" % number for number in range(1_000_001 // 120 + 1)]
    with pytest.raises(ranking.TooManyPages, match="--rank-memory"):
        list(ranking.ranks(ORDERS["pagerank"], rows, 1))
