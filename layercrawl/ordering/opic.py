"""OPIC: the pages with the most cash come first (Abiteboul, Preda, Cobena, WWW 2003).

Each seed starts with a unit of cash. A page that is fetched gives its cash to its links, in equal
shares, and has none any more; `spent` sums up what it gave, its history. What cannot be given on,
remainders and the cash of pages that end without links, falls to a virtual root. The root's cash is
what the others' lacks to the units of all seeds, so that the total is kept whatever happens; each
layer's plan gives it in equal shares to all URLs known by then.

A page that answers that it has not changed, or not at all, keeps its cash.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Self

from layercrawl.ordering.order import CashOrder, Plan, is_seed
from layercrawl.records import Outlinks, UrlState

UNIT = 1 << 40
"""The cash of a seed: enough for twelve layers of ten links a page, and for 2**22 seeds."""
_KEEPS = frozenset({"not_modified", "failed", "deferred"})


class Opic(CashOrder):
    """`shares` are what the root gave to each known URL in each layer's plan before."""

    def __init__(self, shares: Sequence[int] = ()) -> None:
        self._given = list(accumulate(shares, initial=0))

    def after(self, plans: Sequence[Plan]) -> Self:
        return type(self)([max(0, plan.gone) // max(1, plan.urls) for plan in plans])

    def passed(self, page: Outlinks) -> int:
        return self.spent(page) // len(page.links) if page.links else 0

    def spent(self, page: Outlinks) -> int:
        return 0 if page.outcome in _KEEPS else page.target.cash

    def cash(self, state: UrlState) -> int:
        return (UNIT if is_seed(state) else 0) - self.gone(state)

    def gone(self, state: UrlState) -> int:
        return state.spent - state.message - self._from_root(state.first)

    def score(self, state: UrlState) -> int:
        return self.cash(state)

    def _from_root(self, first: int) -> int:
        """What the root gave in all plans that knew a URL found by layer `first`."""
        return self._given[-1] - self._given[min(first + 1, len(self._given) - 1)]
