"""The links of all fetched pages as arrays: what the orders that weigh whole graphs compute on.

Pages are numbered in the order of their URLs. Sums along links are sums of whole numbers below 2^53
in all, which float64 holds exactly: whatever the order of the links, they are the same.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layercrawl import urls

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
HOST, FOLDER = 40, 10
"""How far apart two numbers of one host may be, and of one folder."""
BLOCK = 1 << 22
"""How many links are looked at at a time."""


def located(url: str) -> tuple[int, int]:
    """The numbers of a URL's host and folder: they are the same for all of one, or far apart."""
    return _located(url.rpartition("/")[0])


@lru_cache(maxsize=64)  # pages come in the order of their URLs
def _located(folder: str) -> tuple[int, int]:
    return hashed(urls.host(f"{folder}/")), hashed(folder)


def hashed(text: str) -> int:
    """Text as a number of 62 bits: two of a million texts share one with a chance of 10^-7."""
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 2


def packed(names: Iterable[str]) -> bytes:
    """The hashes of URLs in ascending order, as text.

    >>> unpacked(packed(["b", "a"])).tolist() == sorted([hashed("a"), hashed("b")])
    True
    """
    return base64.b64encode(np.array(sorted(map(hashed, names)), "<i8").tobytes())


def unpacked(text: bytes) -> NDArray[np.int64]:
    """The hashes that a text has."""
    return np.frombuffer(base64.b64decode(text), "<i8").astype(np.int64)


@dataclass(frozen=True)
class Graph:
    """Pages and links: of page n, the `degrees[n]` next of `targets`, the numbers of others.

    `targets` may lie in a mapped file; `fetched` tells the pages whose links are known from those
    that wait; `hosts` and `folders` have a number for each page's host, and for its folder there.
    Where nothing but the pages' order is known, both are the page's own number, and its neighbours,
    at most `HOST` and `FOLDER` apart, stand for those of its host and folder.
    """

    degrees: NDArray[np.int64]
    targets: NDArray[np.int64]
    fetched: NDArray[np.bool_]
    hosts: Places
    folders: Places

    @property
    def size(self) -> int:
        """How many pages there are, fetched and waiting."""
        return len(self.degrees)

    def along(self, values: Numbers) -> Numbers:
        """For each page, the sum of the values of those that link to it."""
        total = np.zeros(self.size)
        for first, last, targets in self._blocks():
            given = np.repeat(values[first:last], self.degrees[first:last])
            total += np.bincount(targets, given, self.size)
        return total

    def against(self, values: Numbers) -> Numbers:
        """For each page, the sum of the values of those that it links to."""
        total = np.zeros(self.size)
        for first, last, targets in self._blocks():
            sources = np.repeat(np.arange(last - first), self.degrees[first:last])
            total[first:last] = np.bincount(sources, values[targets], last - first)
        return total

    def of_host(self, values: Numbers) -> Numbers:
        """For each page, the sum of the values of all pages of its host."""
        return _around(self.hosts, HOST, values)

    def of_folder(self, values: Numbers) -> Numbers:
        """For each page, the sum of the values of all pages of its folder."""
        return _around(self.folders, FOLDER, values)

    def _blocks(self) -> Iterator[tuple[int, int, Any]]:
        """Runs of pages with their links; a page with more than a block's links is one alone."""
        for first, last in self._spans:
            yield first, last, self.targets[self._ends[first] : self._ends[last]]

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.degrees)])

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        spans, first = [], 0
        while first < self.size:
            most = self._ends[first] + BLOCK
            last = max(first + 1, int(np.searchsorted(self._ends, most, "right")) - 1)
            spans.append((first, last))
            first = last
        return spans


def _around(places: Places, reach: int, values: Numbers) -> Numbers:
    """For each place, the sum of the values of those at most so far away.

    >>> _around(np.array([1, 900, 5]), 10, np.array([1.0, 2.0, 4.0])).tolist()
    [5.0, 2.0, 5.0]
    """
    order = np.argsort(places, kind="stable")
    along = places[order]
    sums = np.concatenate([[0.0], np.cumsum(values[order])])
    first = np.searchsorted(along, places - reach, "left")
    last = np.searchsorted(along, places + reach, "right")
    around: Numbers = sums[last] - sums[first]
    return around
