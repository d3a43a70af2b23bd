"""What became of the pages that were asked for again: changed, unchanged, new, gone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from layercrawl import records, stores
from layercrawl.planning import fold, revisits
from layercrawl.records import Outlinks, Visit
from layercrawl.stores import Stores

_ANSWERS = frozenset({"ok", "not_modified", "gone"})


def changes(crawl: Stores) -> Iterator[str]:
    """A line for each page that changed or is gone, with its distance in bits; then how many.

    The newest answer of each page is compared with the one before. Raises stores.BadRoot where
    no crawl lies.
    """
    layers = crawl.layers("out")
    if not layers:
        raise stores.BadRoot(f"--root {crawl.root}: no crawl lies here")
    counts: Counter[str] = Counter()
    for url, visits in sorted(_histories(crawl, layers).items()):
        kind, bits = _compared(visits)
        counts[kind] += 1
        if kind == "changed":
            yield f"changed by {bits} bits  {url}"
        elif kind == "gone":
            yield f"gone  {url}"
    yield ", ".join(f"{counts[kind]} {kind}" for kind in ("changed", "unchanged", "new", "gone"))


def _histories(crawl: Stores, layers: list[int]) -> dict[str, list[Visit]]:
    """The newest two answers of each page."""
    found: defaultdict[str, list[Visit]] = defaultdict(list)
    for layer in layers:
        for path in stores.files(crawl.layer("out", layer), "part-*"):
            with path.open("rb") as lines:
                for url, page in (records.decode(line, Outlinks) for line in lines):
                    if page.target.kind == "page" and page.outcome in _ANSWERS:
                        found[url] = sorted([*found[url], fold.visit(page, layer)])[-2:]
    return found


def _compared(visits: list[Visit]) -> tuple[str, int]:
    newest = visits[-1]
    if newest.outcome == "gone":
        return "gone", 0
    if len(visits) == 1:
        return "new", 0
    bits = revisits.distance(visits[0], newest)
    return ("changed" if bits > revisits.SAME else "unchanged"), bits
