"""The crawl orders, by name: one file each, behind the contract in `order`."""

from layercrawl.ordering.backlink import Backlink, BacklinkOtherHosts
from layercrawl.ordering.best_first import BestFirst
from layercrawl.ordering.breadth_first import BreadthFirst
from layercrawl.ordering.depth_first import DepthFirst
from layercrawl.ordering.hits import Hits
from layercrawl.ordering.larger_sites_first import LargerSitesFirst
from layercrawl.ordering.opic import Opic
from layercrawl.ordering.opic_nutch import OpicNutch
from layercrawl.ordering.order import (
    CashOrder,
    GraphOrder,
    MessageOrder,
    Order,
    Plan,
    RankOrder,
    WeightOrder,
    read_plans,
    written_plans,
)
from layercrawl.ordering.pagerank import PageRank
from layercrawl.ordering.pagerank_siblings import PageRankSiblings

ORDERS: dict[str, Order] = {
    "breadth-first": BreadthFirst(),
    "depth-first": DepthFirst(),
    "backlink": Backlink(),
    "backlink-other-hosts": BacklinkOtherHosts(),
    "pagerank": PageRank(),
    "pagerank-siblings": PageRankSiblings(),
    "opic": Opic(),
    "opic-nutch": OpicNutch(),
    "larger-sites-first": LargerSitesFirst(),
    "hits": Hits(),
    "best-first": BestFirst(),
}

__all__ = [
    "ORDERS",
    "CashOrder",
    "GraphOrder",
    "MessageOrder",
    "Opic",
    "Order",
    "Plan",
    "RankOrder",
    "WeightOrder",
    "read_plans",
    "written_plans",
]
