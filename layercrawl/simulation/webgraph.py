"""A web of which only pages and links are known: an edge list, a CSR matrix, a crawl's `out/`."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from layercrawl import records, stores
from layercrawl.ordering.graph import Graph, located
from layercrawl.records import Outlinks
from layercrawl.stores import Stores

Indices = NDArray[np.int64]


class BadGraph(ValueError):
    """A file that is no graph; the message names it, and what is wrong."""


@dataclass(frozen=True)
class WebGraph:
    """Pages by name, in the order of their URLs or numbers, and links as CSR, each once.

    `whole` is the graph with links of pages to themselves, which a crawl does not follow and which
    `targets` does not have. `seeds` are the pages where the crawl began that this graph comes from.
    """

    names: Sequence[str]
    whole: Graph
    ends: Indices
    targets: Indices
    seeds: Indices

    def links(self, pages: Indices) -> Indices:
        """The links of some pages, one page's after the other's."""
        degrees = self.ends[pages + 1] - self.ends[pages]
        starts = self.ends[pages] - np.cumsum(degrees) + degrees
        links: Indices = self.targets[np.repeat(starts, degrees) + np.arange(degrees.sum())]
        return links


def read(path: Path) -> WebGraph:
    """The graph of a file or of a crawl's root; BadGraph says what is wrong.

    An edge list has `FROM TO` a line, names or numbers, `#` comments; an .npz file has `indptr` and
    `indices`, where a page's number is its name.
    """
    try:
        if path.is_dir():
            return _of_crawl(Stores(path))
        return _of_matrix(path) if path.suffix == ".npz" else _of_edges(path)
    except OSError as error:
        raise BadGraph(f"{path}: {error.strerror or error}; name a graph's file") from None


def _of_matrix(path: Path) -> WebGraph:
    try:
        with np.load(path) as held:
            ends, targets = (held[name].astype(np.int64) for name in ("indptr", "indices"))
    except (KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise BadGraph(f"{path}: no CSR matrix of indptr and indices: {error}") from None
    size = len(ends) - 1
    whole = ends.ndim == targets.ndim == 1 and size > 0 and ends[0] == 0
    if not whole or ends[-1] != len(targets) or (np.diff(ends) < 0).any():
        raise BadGraph(f"{path}: indptr does not rise from 0 to the {targets.size} of indices")
    if ((targets < 0) | (targets >= size)).any():
        raise BadGraph(f"{path}: indices has links to pages that are none of the {size}")
    numbers = np.arange(size)
    names = [f"{number:0{len(str(size - 1))}}" for number in range(size)]
    sources = np.repeat(numbers, np.diff(ends))
    return _linked(names, sources, targets, ())


def _of_edges(path: Path) -> WebGraph:
    pairs = list(_pairs(path))
    if not pairs:
        raise BadGraph(f"{path}: no links; write FROM TO, a link a line")
    return _named(pairs, {name for pair in pairs for name in pair}, ())


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2:
                raise BadGraph(f"{path}, line {number}: not FROM TO, but {line.strip()[:80]!r}")
            yield words[0], words[1]


def _of_crawl(crawl: Stores) -> WebGraph:
    layers = crawl.layers("out")
    if not layers:
        raise BadGraph(f"{crawl.root}: no crawl lies here; name a root, or a graph's file")
    newest: dict[str, Outlinks] = {}
    for layer in layers:
        for url, page in _pages(crawl, layer):
            if url not in newest or newest[url].fetched <= page.fetched:
                newest[url] = page
    pairs = [(url, link) for url, page in newest.items() for link, _ in page.links]
    seeds = [url for url, page in newest.items() if not (page.target.depth or page.target.hops)]
    return _named(pairs, {*newest, *(link for _, link in pairs)}, seeds)


def _pages(crawl: Stores, layer: int) -> Iterator[tuple[str, Outlinks]]:
    for path in stores.files(crawl.layer("out", layer), "part-*"):
        with path.open("rb") as lines:
            for url, page in (records.decode(line, Outlinks) for line in lines):
                if page.target.kind == "page" and page.outcome in ("ok", "redirect"):
                    yield url, page


def _named(pairs: Sequence[tuple[str, str]], named: set[str], seeds: Iterable[str]) -> WebGraph:
    names = sorted(named, key=_in_order)
    numbers = {name: number for number, name in enumerate(names)}
    sources, targets = (np.array([numbers[pair[n]] for pair in pairs], np.int64) for n in (0, 1))
    return _linked(names, sources, targets, [numbers[seed] for seed in seeds])


def _in_order(name: str) -> tuple[int, str]:
    """Numbers by their value, and names as bytes, as URLs are sorted."""
    return (int(name), "") if name.isascii() and name.isdigit() else (-1, name)


def _places(names: Sequence[str]) -> tuple[Indices, Indices]:
    """Each page's host and folder; where names are no URLs, its number for both."""
    if any("://" not in name for name in names):
        numbers = np.arange(len(names))
        return numbers, numbers
    hosts, folders = np.array([located(name) for name in names], np.int64).T
    return hosts, folders


def _linked(
    names: Sequence[str], sources: Indices, targets: Indices, seeds: Sequence[int]
) -> WebGraph:
    """The graph of links in any order."""
    size, fetched = len(names), np.ones(len(names), bool)
    degrees, linked = _matrix(size, sources, targets)
    whole = Graph(degrees, linked, fetched, *_places(names))
    others = sources != targets
    degrees, linked = _matrix(size, sources[others], targets[others])
    ends = np.concatenate([[0], np.cumsum(degrees)])
    return WebGraph(names, whole, ends, linked, np.array(sorted(seeds), np.int64))


def _matrix(size: int, sources: Indices, targets: Indices) -> tuple[Indices, Indices]:
    """Degrees and targets, each link once."""
    links = np.unique(sources * size + targets)
    return np.bincount(links // size, minlength=size), links % size
