"""All pairs of Simhashes that differ in few bits, by blocks that such pairs have in common.

Where two fingerprints of 64 bits differ in at most k bits, they are the same in at least one of
k+1 blocks of bits. So each is compared with those only that have a block in common with it. A block
that many have in common is parted again, by the blocks of its other bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Fingerprints = NDArray[np.uint64]
Pair = tuple[int, int]
FEW = 48
"""So many are compared pair by pair."""
_WIDTH = 64
_ROW = 1 << 18  # comparisons at a time
_ANY = 1 << 62


def keys(fingerprint: int, most: int) -> Iterator[bytes]:
    """A key for each block: two fingerprints that differ in at most `most` bits have one the same.

    >>> sorted(set(keys(0, 1)) & set(keys(1 << 63, 1)))
    [b'0-0']
    """
    for block, (shift, mask) in enumerate(_blocks(_WIDTH, most)):
        yield b"%d-%x" % (block, fingerprint >> shift & mask)


def pairs(fingerprints: list[int], most: int, key: bytes, tries: int = _ANY) -> Iterator[Pair]:
    """The places of two, the lesser first, that differ in at most `most` bits; all have `key`.

    A pair with an earlier block in common as well is left to that one's key. Of each place's pairs
    with lesser ones the first `tries` are among them, and some others: where many are all like each
    other, their number counts, and not its square.
    """
    block = int(key.partition(b"-")[0])
    earlier = [mask << shift for shift, mask in list(_blocks(_WIDTH, most))[:block]]
    if len(fingerprints) > FEW:
        yield from _many(fingerprints, most, block, earlier, tries)
        return
    for one, other in _few(fingerprints, most):
        differing = fingerprints[one] ^ fingerprints[other]
        if all(differing & mask for mask in earlier):
            yield one, other


def _blocks(width: int, most: int) -> Iterator[tuple[int, int]]:
    """Shift and mask of each of `most` + 1 blocks, as equally wide as may be."""
    edges = [width * place // (most + 1) for place in range(most + 2)]
    for low, high in zip(edges, edges[1:], strict=False):
        yield low, (1 << high - low) - 1


def _few(fingerprints: list[int], most: int) -> Iterator[Pair]:
    for (place, one), (later, other) in combinations(enumerate(fingerprints), 2):
        if (one ^ other).bit_count() <= most:
            yield place, later


def _many(
    fingerprints: list[int], most: int, block: int, earlier: list[int], tries: int
) -> Iterator[Pair]:
    """Pairs of a skewed block: the same blocks over again, of the bits beside it."""
    shift, mask = list(_blocks(_WIDTH, most))[block]
    whole = np.array(fingerprints, dtype=np.uint64)
    low = whole & np.uint64((1 << shift) - 1)
    high = whole >> np.uint64(shift + mask.bit_length()) if shift + mask.bit_length() < 64 else 0
    rest = low | np.uint64(high << np.uint64(shift)) if most else low * np.uint64(0)
    search = _Search(rest, most, tries, earlier)  # those lie in the low bits, which stay
    for inner, inner_mask in _blocks(_WIDTH - mask.bit_length(), most):
        part = rest >> np.uint64(inner) & np.uint64(inner_mask)
        order = np.argsort(part, kind="stable")
        edges = np.flatnonzero(np.diff(part[order])) + 1
        for group in np.split(order, edges):
            yield from search.within(np.sort(group))
        search.seen.append(inner_mask << inner)


class _Search:
    """Pairs among some places at a time, which differ in each of the blocks `seen` before."""

    def __init__(self, bits: Fingerprints, most: int, tries: int, seen: list[int]) -> None:
        self._bits, self._most, self._tries, self.seen = bits, most, tries, seen
        self._below = np.arange(len(bits))  # each looks for lesser places than this

    def within(self, places: NDArray[np.intp]) -> Iterator[Pair]:
        """The pairs of these places; one that has found its `tries` looks for no more."""
        start, looking, found = 0, places[1:], np.zeros(len(places) - 1, dtype=np.int64)
        while len(looking):
            ones = places[start : start + max(1, _ROW // len(places))]
            start += len(ones)
            close = self._close(ones, looking)
            for row, column in zip(*(part.tolist() for part in np.nonzero(close)), strict=True):
                yield int(ones[row]), int(looking[column])
            found += close.sum(axis=0)
            enough = looking[found >= self._tries]
            self._below[enough] = np.minimum(self._below[enough], ones[-1])
            still = self._below[looking] > ones[-1]
            looking, found = looking[still], found[still]

    def _close(self, ones: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.bool_]:
        differing = self._bits[ones][:, None] ^ self._bits[others][None, :]
        close: NDArray[np.bool_] = np.bitwise_count(differing) <= self._most
        close &= ones[:, None] < others[None, :]
        for mask in self.seen:
            close &= (differing & np.uint64(mask)) != 0
        return close
