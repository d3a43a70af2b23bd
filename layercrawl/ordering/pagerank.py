"""PageRank over what is known: pages with a high rank come first (Cho, Garcia-Molina, Page, 1998).

Recomputed for each layer, over fetched and waiting pages; a waiting page has no links yet, and its
rank is what the links to it pass on. Ranks are whole numbers of a total of 2^52.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from layercrawl.ordering.graph import Graph, Numbers
from layercrawl.ordering.order import RankOrder

TOTAL = 2.0**52
DAMPING = 0.85
ROUNDS = 20
FOLLOWED = 0.9
"""The damping by which pages are chosen: with it rank spreads further into what is hardly known."""


def pagerank(graph: Graph, damping: float = DAMPING, rounds: int = ROUNDS) -> Numbers:
    """The rank of each page; the ranks of pages without links are spread over all.

    Each round rounds down to whole numbers: a link loses less than one of TOTAL.
    """
    size, ends = max(graph.size, 1), graph.degrees == 0
    degrees = np.where(ends, 1, graph.degrees)
    ranks = np.full(graph.size, np.floor(TOTAL / size))
    for _ in range(rounds):
        passed = np.where(ends, 0.0, np.floor(damping * ranks / degrees))
        spread = (1 - damping) * TOTAL + damping * ranks[ends].sum()
        ranks = graph.along(passed) + np.floor(spread / size)
    return ranks


class PageRank(RankOrder):
    """A page's rank."""

    def ranks(self, graph: Graph) -> NDArray[np.int64]:
        return pagerank(graph, FOLLOWED).astype(np.int64)
