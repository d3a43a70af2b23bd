"""Depth-first: the pages furthest from a seed come first.

Layer by layer this shows only under a budget: without one, a layer is all of the least depth.
"""

from layercrawl.ordering.order import MessageOrder
from layercrawl.records import UrlState


class DepthFirst(MessageOrder):
    """The deeper, the sooner."""

    def score(self, state: UrlState) -> int:
        return state.depth
