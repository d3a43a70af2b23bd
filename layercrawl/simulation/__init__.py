"""A crawl of a known graph, without fetching: the same orders choose, layer by layer.

Every page answers at once with its links. A layer is the best `budget` pages that wait, ties by
URL, as OptimizerDriver has it; what is kept from it are the pages in the order of fetching.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from layercrawl.ordering import CashOrder, Order, Plan, RankOrder, WeightOrder
from layercrawl.ordering.graph import Graph
from layercrawl.records import Outlinks, Target, UrlState, replace
from layercrawl.simulation.webgraph import Indices, WebGraph

_HIGHEST = (1 << 63) - 1
"""Scores above it are all the same, as they are in a plan."""


class Scores(Protocol):
    """What a simulated crawl knows of its pages, by one order."""

    def answer(self, pages: Indices, layer: int) -> None:
        """Take in the links of a layer's pages."""

    def of(self, waiting: Indices) -> NDArray[np.int64]:
        """The scores of waiting pages, in a layer's plan."""


def crawl(web: WebGraph, order: Order, seeds: Indices, budget: int) -> Iterator[Indices]:
    """The layers, as pages' numbers, best first, until nothing waits.

    Raises ValueError for an order that needs more of a page than its links.
    """
    known, fetched = (np.zeros(len(web.names), bool) for _ in range(2))
    known[seeds] = True
    scores = _scores(web, order, seeds)
    layer = 0
    while (waiting := np.flatnonzero(known & ~fetched)).size:
        ranked = np.argsort(-scores.of(waiting), kind="stable")
        chosen = waiting[ranked[:budget]]
        scores.answer(chosen, layer)
        fetched[chosen] = True
        known[web.links(chosen)] = True
        layer += 1
        yield chosen


def _scores(web: WebGraph, order: Order, seeds: Indices) -> Scores:
    return Ranked(web, order, seeds) if isinstance(order, RankOrder) else Told(web, order, seeds)


class Ranked:
    """Scores of an order that computes them from all links."""

    def __init__(self, web: WebGraph, order: RankOrder, seeds: Indices) -> None:
        self._web, self._order = web, order
        self._fetched, self._known = (np.zeros(len(web.names), bool) for _ in range(2))
        self._known[seeds] = True

    def answer(self, pages: Indices, layer: int) -> None:
        self._fetched[pages] = True
        self._known[self._web.links(pages)] = True

    def of(self, waiting: Indices) -> NDArray[np.int64]:
        numbers = np.cumsum(self._known) - 1
        ranks: NDArray[np.int64] = self._order.ranks(self._graph(numbers))[numbers[waiting]]
        return ranks

    def _graph(self, numbers: Indices) -> Graph:
        """The graph of the known pages, with new numbers."""
        web, known = self._web, np.flatnonzero(self._known)
        fetched = self._fetched[known]
        degrees = np.where(fetched, np.diff(web.ends)[known], 0)
        targets = numbers[web.links(known[fetched])]
        hosts, folders = web.whole.hosts[known], web.whole.folders[known]
        return Graph(degrees, targets, fetched, hosts, folders)


class Told:
    """Scores of an order by which pages tell their links something."""

    def __init__(self, web: WebGraph, order: Order, seeds: Indices) -> None:
        self._web, self._order = web, order
        self._numbers = {name: number for number, name in enumerate(web.names)}
        self._states = {int(seed): UrlState(message=order.seed) for seed in seeds}
        self._scores = np.zeros(len(web.names), np.int64)
        self._changed = set(self._states)
        self._plans: list[Plan] = []

    def of(self, waiting: Indices) -> NDArray[np.int64]:
        if isinstance(self._order, CashOrder):
            self._account()
            self._changed = set(waiting.tolist())
        for number in self._changed:
            score = self._order.score(self._states[number])
            self._scores[number] = max(-_HIGHEST, min(score, _HIGHEST))
        self._changed = set()
        scores: NDArray[np.int64] = self._scores[waiting]
        return scores

    def _account(self) -> None:
        """Begin a plan, knowing those before it, and sum up for the next."""
        self._order = self._order.after(self._plans)
        gone = sum(map(self._order.gone, self._states.values()))
        self._plans.append(Plan(gone, len(self._states)))

    def answer(self, pages: Indices, layer: int) -> None:
        chosen = [(page, self._target(page)) for page in pages.tolist()]  # as the plan knew them
        for page, target in chosen:
            self._answer(page, target, layer)

    def _target(self, page: int) -> Target:
        state = self._states[page]
        return Target(depth=state.depth, cash=self._order.cash(state))

    def _answer(self, number: int, target: Target, layer: int) -> None:
        web, order, state = self._web, self._order, self._states[number]
        links = web.targets[web.ends[number] : web.ends[number + 1]].tolist()
        page = Outlinks(target, "ok", links=[(web.names[link], "") for link in links])
        self._states[number] = replace(state, spent=state.spent + order.spent(page))
        told = iter(order.messages(page))
        if isinstance(order, WeightOrder):
            weights = dict(order.weights([(web.names[number], page)]))
            told = (weights.get(name, 0) for name, _ in page.links)
        for link, message in zip(links, told, strict=False):
            self._tell(link, target.depth + 1, layer, message)

    def _tell(self, link: int, depth: int, layer: int, message: int) -> None:
        known = self._states.get(link)
        if known is None:
            self._states[link] = UrlState(depth=depth, via="?", first=layer, message=message)
        else:
            merged = self._order.merged(known.message, message)
            if depth >= known.depth and merged == known.message:
                return
            self._states[link] = replace(known, depth=min(depth, known.depth), message=merged)
        self._changed.add(link)
