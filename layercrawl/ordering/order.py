"""What a crawl order is: how a waiting page comes to its score. The highest score is fetched first.

A *message* order travels with the links: a fetched page passes a message to each link, and two to
one URL become `merged`, which is associative, commutative and idempotent, so that a fold in any
split and order, with repeats, gives the same; 0 is no message and changes none. A *cash* order
moves amounts along the links: what a page passes on, it has no more. A *graph* order reads the
newest links of every fetched page once (a revisit does not count twice), either page by page
(*weights*) or all together (*ranks*).

All amounts are whole numbers, so that no sum depends on the order in which it is added up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from layercrawl.ordering.graph import Graph
from layercrawl.records import Outlinks, UrlState


class Plan(NamedTuple):
    """What a layer's plan found over all URLs: the sum of `Order.gone`, and how many they were."""

    gone: int
    urls: int


def written_plans(plans: Sequence[Plan]) -> str:
    """Plans as an option's text; nothing where none has cash that is gone.

    >>> written_plans([Plan(0, 1), Plan(5, 7)]), read_plans("0:1,5:7")
    ('0:1,5:7', [Plan(gone=0, urls=1), Plan(gone=5, urls=7)])
    """
    text = ",".join(f"{plan.gone}:{plan.urls}" for plan in plans)
    return text if any(plan.gone for plan in plans) else ""


def read_plans(text: str) -> list[Plan]:
    """The plans that a text tells of."""
    pairs = (pair.partition(":") for pair in text.split(",") if pair)
    return [Plan(int(gone), int(urls)) for gone, _, urls in pairs]


class Order(ABC):
    """What all orders have in common.

    `seed` is the message that a seed starts with; `graph_steps` is how many steps of a plan come
    before the fold: none, one that sees each page's newest links, or one more for all together.
    `needs_topic` is whether pages are judged by what they say.
    """

    seed = 0
    graph_steps = 0
    needs_topic = False

    def messages(self, page: Outlinks) -> Iterable[int]:
        """The messages that a fetched page gives to its links, in their order."""
        return repeat(self.passed(page))

    def passed(self, page: Outlinks) -> int:
        """The message where each link gets the same."""
        return 0

    def spent(self, page: Outlinks) -> int:
        """What a page had before this answer and has no more."""
        return 0

    def cash(self, state: UrlState) -> int:
        """What a URL brings into its layer, for its links; its Target tells it."""
        return 0

    def gone(self, state: UrlState) -> int:
        """What a URL has less than it started with; the sum of all is with nobody."""
        return 0

    def after(self, plans: Sequence[Plan]) -> Self:
        """The order as it is once some plans were made."""
        return self

    @abstractmethod
    def merged(self, one: int, other: int) -> int:
        """Two messages to one URL as one."""

    @abstractmethod
    def score(self, state: UrlState) -> int:
        """The score of a waiting URL; ties are broken by URL."""


class MessageOrder(Order):
    """An order whose score travels with the links; of several messages the best counts."""

    def merged(self, one: int, other: int) -> int:
        return max(one, other)


class CashOrder(Order):
    """An order that moves amounts along the links: each answer counts once, and they add up."""

    def merged(self, one: int, other: int) -> int:
        return one + other


class GraphOrder(Order):
    """An order that is computed anew for each layer, from the newest links of all fetched pages."""

    graph_steps = 1

    def merged(self, one: int, other: int) -> int:
        return one + other

    def score(self, state: UrlState) -> int:
        """What the graph gave to a waiting URL."""
        return state.message


class WeightOrder(GraphOrder):
    """A graph order that needs one page's links at a time."""

    @abstractmethod
    def weights(self, pages: Iterable[tuple[str, Outlinks]]) -> Iterator[tuple[str, int]]:
        """(URL, weight) pairs that the pages' links give; each page comes once."""


class RankOrder(GraphOrder):
    """A graph order that needs all links together."""

    graph_steps = 2

    @abstractmethod
    def ranks(self, graph: Graph) -> NDArray[np.int64]:
        """A score for each page, 0 or more."""


def is_seed(state: UrlState) -> bool:
    """Whether the user named a URL: nothing else is at depth 0 and was found by no page."""
    return not (state.depth or state.hops or state.via)
