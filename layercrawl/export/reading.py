"""The records of complete stores, for exports."""

from __future__ import annotations

from collections.abc import Iterator

from layercrawl import stores
from layercrawl.records import R
from layercrawl.stores import Folder, Stores


def folder(crawl: Stores, path: Folder, kind: type[R]) -> Iterator[tuple[str, R]]:
    """The records of a folder; BadRoot where it is not complete."""
    if not stores.complete(path):
        cure = "run driver.py until it says that it is finished"
        raise stores.BadRoot(f"--root {crawl.root}: {crawl.name(path)} is not complete; {cure}")
    return stores.read(path, kind)


def layers(crawl: Stores, store: str, kind: type[R]) -> Iterator[tuple[str, R]]:
    """The records of all layers of a store, the first layer first; BadRoot where there is none."""
    numbers = crawl.layers(store)
    if not numbers:
        raise stores.BadRoot(f"--root {crawl.root}: no crawl lies here")
    for number in numbers:
        yield from folder(crawl, crawl.layer(store, number), kind)
