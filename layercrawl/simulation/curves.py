"""How much of a graph's PageRank a crawl has after how many of its pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from layercrawl.ordering.pagerank import pagerank
from layercrawl.simulation.webgraph import Indices, WebGraph

SHARES = (0.05, 0.10, 0.20, 0.30, 0.50)
ROUNDS = 60
"""After so many, what is missing in a rank is a part in ten thousand."""


@dataclass(frozen=True)
class Curve:
    """The share of all reachable pages' PageRank after each page, in the order of fetching."""

    gathered: NDArray[np.float64]

    def at(self, share: float) -> float:
        """The share of PageRank after a share of the pages."""
        return float(self.gathered[max(0, int(share * len(self.gathered)) - 1)])

    @property
    def half(self) -> float:
        """The share of the pages that brings half of the PageRank."""
        return float((np.searchsorted(self.gathered, 0.5) + 1) / len(self.gathered))

    @property
    def mean(self) -> float:
        """The mean of the shares of PageRank after each page: 1 could be no better."""
        return float(self.gathered.mean())


def importance(web: WebGraph) -> NDArray[np.float64]:
    """The PageRank of each page of the whole graph."""
    return pagerank(web.whole, rounds=ROUNDS)


def curve(fetched: Indices, importance: NDArray[np.float64]) -> Curve:
    """The curve of a crawl that went on to the end: what it fetched is what it could reach."""
    gathered = np.cumsum(importance[fetched])
    return Curve(gathered / gathered[-1])


def row(name: str, shown: Curve) -> str:
    """A line of the table that `HEAD` is above of."""
    cells = "".join(f"{shown.at(share):8.3f}" for share in SHARES)
    return f"{name:18}{cells}{shown.half:9.1%}{shown.mean:8.3f}"


HEAD = f"{'PageRank after':18}" + "".join(f"{share:8.0%}" for share in SHARES) + "  half at    mean"
