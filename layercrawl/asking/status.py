"""How far a crawl is, by its markers: what each layer brought, what waits, what comes next."""

from __future__ import annotations

from collections.abc import Iterator

from layercrawl import stores
from layercrawl.running import report
from layercrawl.running.report import OUTCOMES
from layercrawl.stores import Stores


def status(crawl: Stores) -> Iterator[str]:
    """The lines of a table of layers and outcomes, then what waits and what the next run does.

    Raises stores.BadRoot where no crawl lies.
    """
    layers = crawl.layers("in")
    if not layers:
        raise stores.BadRoot(f"--root {crawl.root}: no crawl lies here")
    rows = [_row(crawl, layer) for layer in layers]
    total = [sum(column) for column in zip(*(row[1:] for row in rows), strict=True)]
    names = [name for name, count in zip(OUTCOMES, total[1:], strict=True) if count]
    shown = [0, *(1 + i for i, name in enumerate(OUTCOMES) if name in names)]
    yield _line("layer", ["targets", *names])
    for row in rows:
        if any(row[1:]):
            yield _line(f"{row[0]:03d}", [row[1 + i] for i in shown])
    yield _line("all", [total[i] for i in shown])
    yield report.waits(crawl)
    yield from filter(None, [report.held_back(crawl), *report.results(crawl)])
    yield f"next: {_next(crawl)}"


def _row(crawl: Stores, layer: int) -> list[int]:
    """The layer's number, its targets, and its answers by outcome."""
    targets = report.taken(stores.marker(crawl.layer("in", layer)))
    doc = crawl.layer("doc", layer)
    counts = report.outcomes(stores.marker(doc)) if stores.complete(doc) else {}
    return [layer, targets, *(counts.get(outcome, 0) for outcome in OUTCOMES)]


def _line(head: str, cells: list[object] | list[int] | list[str]) -> str:
    return f"{head:>5}" + "".join(f"{cell!s:>14}" for cell in cells).replace("_", " ")


def _next(crawl: Stores) -> str:
    """The stage that the next run begins with."""
    layer = crawl.finished()
    if stores.complete(crawl.layer("doc", layer)):
        return f"ParserDriver for layer {layer}"
    plan = crawl.layer("in", layer)
    if stores.complete(plan) and report.taken(stores.marker(plan)):
        return f"CrawlerDriver for layer {layer}"
    if all(map(stores.complete, (plan, crawl.merged, crawl.xml))):
        return "nothing, until something is due; a greater --depth or new seeds go on from here"
    return "OptimizerDriver: it looks for what is due"
