"""What every crawl order keeps, whichever it is: one suite over the registry."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import records
from layercrawl.config import Config
from layercrawl.ordering import ORDERS, GraphOrder, MessageOrder
from layercrawl.records import Outlinks, Target, UrlState
from tests import planning

MESSAGES = [name for name in ORDERS if isinstance(ORDERS[name], MessageOrder)]
GRAPHS = [name for name in ORDERS if isinstance(ORDERS[name], GraphOrder)]
NODES = [f"http://{host}.example/{n}" for n in range(4) for host in "abc"]
LINKS = st.dictionaries(
    st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=5, unique=True)
)
SEEDS = st.lists(st.sampled_from(NODES), min_size=1, max_size=2, unique=True)
Graph = dict[str, list[str]]


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


def crawl(links: Graph, seeds: list[str], config: Config, reducers: int = 1) -> list[list[bytes]]:
    """All layers' `in/` of a crawl of a web that answers from memory."""
    order, layers = ORDERS[config.order], []
    mappers: list[list[planning.Line]] = [[(0, seed, None) for seed in seeds]]
    while True:
        known = planning.states(mappers, order, config.depth, most=3 if reducers > 1 else 50_000)
        layer, _ = planning.planned(known, config, 0, reducers)
        if not layer:
            return layers
        answers = [
            (len(layers), url, answer(links, url, target, len(layers))) for url, target in layer
        ]
        mappers += [answers[::2], answers[1::2]] if reducers > 1 else [answers]
        layers.append([records.encode(url, target) for url, target in layer])


def answer(links: Graph, url: str, target: Target, layer: int) -> Outlinks:
    found = [(link, "") for link in links.get(url, [])]
    return Outlinks(target, "ok", fetched=f"2026-01-01T00:{layer:02}:00Z", links=found)


def distances(links: Graph, seeds: list[str]) -> dict[str, int]:
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


@pytest.mark.parametrize("name", GRAPHS)
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


def first(name: str, links: Graph, budget: int = 1) -> list[str]:
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
