"""OPIC as Nutch has it: one score, which a fetched page shares among its links and keeps.

There is no virtual root: what a page without links has, goes nowhere.
"""

from collections.abc import Iterable, Iterator

from layercrawl.ordering.opic import UNIT
from layercrawl.ordering.order import WeightOrder, is_seed
from layercrawl.records import Outlinks, UrlState

_MOST = 1 << 62


class OpicNutch(WeightOrder):
    """A seed starts with a unit; a page adds what it had when it was chosen to its links."""

    def weights(self, pages: Iterable[tuple[str, Outlinks]]) -> Iterator[tuple[str, int]]:
        for _, page in pages:
            for link, _ in page.links:
                yield link, page.target.cash // len(page.links)

    def cash(self, state: UrlState) -> int:
        return self.score(state)

    def score(self, state: UrlState) -> int:
        return min(state.message + (UNIT if is_seed(state) else 0), _MOST)
