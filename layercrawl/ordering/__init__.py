"""The crawl orders, by name: one file each, behind the contract in `order`."""

from layercrawl.ordering.backlink import Backlink
from layercrawl.ordering.breadth_first import BreadthFirst
from layercrawl.ordering.depth_first import DepthFirst
from layercrawl.ordering.order import GraphOrder, MessageOrder, Order

ORDERS: dict[str, Order] = {
    "breadth-first": BreadthFirst(),
    "depth-first": DepthFirst(),
    "backlink": Backlink(),
}

__all__ = ["ORDERS", "GraphOrder", "MessageOrder", "Order"]
