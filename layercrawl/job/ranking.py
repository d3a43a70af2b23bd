"""From the rows of the graph to the ranks of its pages: URLs and links lie on disk meanwhile.

In memory are a hash and some numbers for each page, but neither URLs nor links.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from layercrawl.ordering import Order, RankOrder
from layercrawl.ordering.graph import Graph, hashed, located, unpacked
from layercrawl.planning import weighing

Message = tuple[bytes, bytes]
BYTES_A_PAGE = 120
"""Memory for the arrays of a page and for what is computed of them, at the most."""


class TooManyPages(RuntimeError):
    """The graph is larger than the memory that it may take; the message says the cure."""


def step(order: Order, key: bytes, values: Iterable[bytes], memory: int) -> Iterator[Message]:
    """What comes under a key of the ranking step: a URL's state as it is, the graph as weights."""
    if key == weighing.GRAPH and isinstance(order, RankOrder):
        yield from weighing.ranked(ranks(order, values, memory))
    else:
        yield from ((key, value) for value in values)


def ranks(order: RankOrder, rows: Iterable[bytes], memory: int) -> Iterator[tuple[bytes, int]]:
    """(URL, rank) of each page of the graph that has a rank, in `memory` MB.

    `rows` are those of `Weighing`, sorted: all pages, then the links of the fetched ones.
    """
    with tempfile.TemporaryFile() as names, tempfile.TemporaryFile() as links:
        pages = _Pages(names, memory)
        degrees = None
        for row in rows:
            kind, url, rest = _parted(row)
            if kind == b"0":
                pages.add(url, rest)
            else:
                degrees = pages.numbered() if degrees is None else degrees
                found = pages.numbers(unpacked(rest))
                degrees[pages.number(url)] = len(found)
                links.write(found.tobytes())
        degrees = pages.numbered() if degrees is None else degrees
        links.flush()
        graph = Graph(degrees, _mapped(links), *pages.arrays())
        yield from pages.named(order.ranks(graph))


def _parted(row: bytes) -> tuple[bytes, bytes, bytes]:
    kind, _, rest = row.partition(b" ")
    url, _, rest = rest.partition(b" ")
    return kind, url, rest


def _mapped(links: IO[bytes]) -> NDArray[np.int64]:
    if not links.tell():
        return np.zeros(0, np.int64)
    mapped: NDArray[np.int64] = np.memmap(links, np.int64, "r")
    return mapped


class _Pages:
    """The pages by number, which is their place in the order of URLs."""

    def __init__(self, names: IO[bytes], memory: int) -> None:
        self._names, self._most = names, memory * 1_000_000 // BYTES_A_PAGE
        self._hashes, self._hosts, self._folders = array("q"), array("q"), array("q")
        self._fetched = bytearray()
        self._sorted = self._order = np.zeros(0, np.int64)

    def add(self, url: bytes, fetched: bytes) -> None:
        """Take in a page."""
        if len(self._hashes) >= self._most:
            raise TooManyPages(
                f"more than {self._most} URLs are known, too many for this order's ranks:"
                " give it more by --rank-memory MB, or take another order for a new --root"
            )
        self._names.write(url + b"\n")
        name = url.decode()
        host, folder = located(name)
        self._hashes.append(hashed(name))
        self._hosts.append(host)
        self._folders.append(folder)
        self._fetched.append(bool(fetched))

    def numbered(self) -> NDArray[np.int64]:
        """Make numbers findable, once all pages are there; a place for each page's degree."""
        hashes = np.frombuffer(self._hashes, np.int64)
        self._order = np.argsort(hashes, kind="stable")
        self._sorted = hashes[self._order]
        return np.zeros(len(hashes), np.int64)

    def number(self, url: bytes) -> int:
        return int(self.numbers(np.array([hashed(url.decode())]))[0])

    def numbers(self, hashes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the pages among some hashes; links beyond reach are none."""
        at = np.minimum(np.searchsorted(self._sorted, hashes), len(self._sorted) - 1)
        found: NDArray[np.int64] = self._order[at[self._sorted[at] == hashes]]
        return found

    def arrays(self) -> Iterator[NDArray[Any]]:
        """What a Graph needs to know of its pages: whether fetched, hosts, folders."""
        yield np.frombuffer(self._fetched, np.bool_)
        yield np.frombuffer(self._hosts, np.int64)
        yield np.frombuffer(self._folders, np.int64)

    def named(self, values: NDArray[np.int64]) -> Iterator[tuple[bytes, int]]:
        """URLs with what they have of some values, where that is not 0."""
        self._names.seek(0)
        for url, value in zip(self._names, values.tolist(), strict=True):
            if value:
                yield url.rstrip(b"\n"), value
