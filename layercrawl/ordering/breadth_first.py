"""Breadth-first: the pages nearest to a seed come first."""

from layercrawl.ordering.order import MessageOrder
from layercrawl.records import UrlState


class BreadthFirst(MessageOrder):
    """The less deep, the sooner."""

    def score(self, state: UrlState) -> int:
        return -state.depth
