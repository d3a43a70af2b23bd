"""What a crawl order is: how a waiting page comes to its score. The highest score is fetched first.

A *message* order travels with the links: a seed starts with `seed`, a fetched page passes `passed`
to each link, two messages to one URL become `merged`, which is associative, commutative and
idempotent, so that a fold in any split and order, with repeats, gives the same; 0 is no message and
changes none. A *graph* order reads the newest links of every fetched page once (a revisit does not
count twice): what `weights` gives to one URL adds up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from layercrawl.records import Outlinks, UrlState


class MessageOrder(ABC):
    """An order whose score travels with the links."""

    seed = 0

    def passed(self, page: Outlinks) -> int:
        """The message that a fetched page gives to each of its links."""
        return 0

    def merged(self, one: int, other: int) -> int:
        """Two messages to one URL as one."""
        return max(one, other)

    @abstractmethod
    def score(self, state: UrlState) -> int:
        """The score of a waiting URL; ties are broken by URL."""


class GraphOrder(ABC):
    """An order that is computed from the links of all fetched pages."""

    @abstractmethod
    def weights(self, pages: Iterable[tuple[str, Outlinks]]) -> Iterator[tuple[str, int]]:
        """(URL, weight) pairs that the pages' links give; each page comes once."""

    def score(self, state: UrlState) -> int:
        """The sum of a waiting URL's weights."""
        return state.message


Order = MessageOrder | GraphOrder
