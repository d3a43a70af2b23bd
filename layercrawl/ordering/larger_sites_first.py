"""Larger sites first: the hosts with the most pages waiting come first (Baeza-Yates, 2005)."""

import numpy as np
from numpy.typing import NDArray

from layercrawl.ordering.graph import Graph
from layercrawl.ordering.order import RankOrder


class LargerSitesFirst(RankOrder):
    """How many pages wait at a page's host."""

    def ranks(self, graph: Graph) -> NDArray[np.int64]:
        waiting = graph.of_host((~graph.fetched).astype(np.float64))
        return waiting.astype(np.int64)
