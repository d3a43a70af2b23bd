"""What share of a graph's PageRank each crawl order has after which share of its pages.

    python benchmarks/orders.py GRAPH.npz [--order NAME …] [--plot curves.svg]

The graph is a CSR matrix of `indptr` and `indices`. The hundred seeds are the draws after ten of
ten each, of numpy's generator 1; a layer has a hundredth of the pages. Beside each order: its CPU
seconds, and the process's peak memory so far.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from layercrawl import simulation
from layercrawl.ordering import ORDERS, Opic
from layercrawl.peak import peak_mb
from layercrawl.simulation import curves, plot, webgraph


class Rootless(Opic):
    """OPIC whose virtual root keeps what falls to it."""

    def after(self, plans):  # type: ignore[no-untyped-def]
        return self


def seeds(pages: int) -> np.ndarray:
    chance = np.random.default_rng(1)
    for _ in range(10):
        chance.integers(0, pages, 10)
    return np.unique(chance.integers(0, pages, 100))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", type=Path)
    parser.add_argument("--order", action="append")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    orders = {name: order for name, order in ORDERS.items() if not order.needs_topic}
    orders["opic, no root"] = Rootless()
    web = webgraph.read(options.graph)
    importance, shown = curves.importance(web), {}
    print(f"{curves.HEAD}   CPU s   MB")
    for name in options.order or orders:
        start, begins = time.process_time(), seeds(len(web.names))
        layers = simulation.crawl(web, orders[name], begins, len(web.names) // 100)
        shown[name] = curves.curve(np.concatenate(list(layers)), importance)
        peak = round(peak_mb())
        taken = time.process_time() - start
        print(f"{curves.row(name, shown[name])}{taken:8.1f} {peak:4}", flush=True)
    if options.plot:
        points = {name: plot.thinned(one.gathered.tolist()) for name, one in shown.items()}
        options.plot.write_text(plot.svg("Crawl orders", "pages", "PageRank", points))


if __name__ == "__main__":
    main()
