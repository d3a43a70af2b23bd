"""How soon crawl orders would have what matters, on a graph that is known already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from layercrawl import simulation
from layercrawl.ordering import ORDERS
from layercrawl.simulation import curves, plot, webgraph
from layercrawl.simulation.curves import Curve
from layercrawl.simulation.webgraph import Indices, WebGraph

USUAL = ("breadth-first", "backlink", "opic", "pagerank", "pagerank-siblings")
SEEDS = 100


def simulate(
    path: Path, orders: Sequence[str], budget: int | None, seeds: str, picture: str
) -> Iterator[str]:
    """The lines of a table of orders; and their curves as SVG, where `picture` names a file.

    `budget` is in pages a layer, usually a hundredth of them all; `seeds` is a file of names, or
    empty: where the crawl began that the graph is of, or else a hundred pages by chance.
    ValueError says what is off.
    """
    if unknown := [name for name in orders if name not in ORDERS]:
        raise ValueError(f"--order {unknown[0]!r}: choose of {', '.join(ORDERS)}")
    if blind := [name for name in orders if ORDERS[name].needs_topic]:
        raise ValueError(f"--order {blind[0]}: a graph has no texts to judge; choose another")
    if budget is not None and budget < 1:
        raise ValueError(f"--budget {budget}: give pages per layer, a whole number from 1")
    web = webgraph.read(path)
    begins, budget = _seeds(web, seeds), budget or max(1, len(web.names) // 100)
    importance = curves.importance(web)
    yield f"{len(web.names)} pages, {len(web.targets)} links, {len(begins)} seeds, {budget} a layer"
    yield curves.HEAD
    shown: dict[str, Curve] = {}
    for name in orders or USUAL:
        layers = simulation.crawl(web, ORDERS[name], begins, budget)
        shown[name] = curves.curve(np.concatenate(list(layers)), importance)
        yield curves.row(name, shown[name])
    if picture:
        points = {name: plot.thinned(one.gathered.tolist()) for name, one in shown.items()}
        text = plot.svg("Crawl orders", "pages fetched", "PageRank gathered", points)
        Path(picture).write_text(text, "utf-8")
        yield f"{picture}: the curves"


def _seeds(web: WebGraph, file: str) -> Indices:
    if not file:
        chance = np.random.default_rng(1).integers(0, len(web.names), SEEDS)
        return web.seeds if web.seeds.size else np.unique(chance)
    try:
        names = Path(file).read_text("utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"--seeds {file}: {error}; name a readable text file") from None
    numbers = {name: number for number, name in enumerate(web.names)}
    if missing := [name for name in names if name not in numbers]:
        raise ValueError(f"--seeds {file}: {missing[0]!r} is no page of the graph")
    if not names:
        raise ValueError(f"--seeds {file}: no seeds; write a page's name a line")
    return np.unique([numbers[name] for name in names])
