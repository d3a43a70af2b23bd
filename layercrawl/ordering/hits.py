"""HITS: the pages that good hubs link to come first (Kleinberg, 1999).

A page's authority is the sum of what its linking pages are worth as hubs, and a hub's worth is the
sum of the authorities that it links to; a few rounds, over all that is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layercrawl.ordering.graph import Graph, Numbers
from layercrawl.ordering.order import RankOrder
from layercrawl.ordering.pagerank import TOTAL

ROUNDS = 8
"""Each goes along all links twice; by then the order of the best hardly changes any more."""


class Hits(RankOrder):
    """A page's authority."""

    def ranks(self, graph: Graph) -> NDArray[np.int64]:
        authority = _scaled(np.ones(graph.size))
        for _ in range(ROUNDS):
            authority = _scaled(graph.along(_scaled(graph.against(authority))))
        return authority.astype(np.int64)


def _scaled(values: Numbers) -> Numbers:
    """The values as whole numbers of a total of 2^52."""
    total = values.sum()
    return np.floor(values * (TOTAL / total)) if total else values
