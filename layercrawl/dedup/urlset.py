"""A set of URLs in 8 bytes each."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

_LATEST = 100_000


class UrlSet:
    """Hashes of URLs, the latest in a set, all others in a sorted array.

    Two of 10,000,000 have the same hash once in 370,000 crawls.

    >>> fell = UrlSet()
    >>> fell.add(b"http://a.example/")
    >>> b"http://a.example/" in fell, b"http://a.example/x" in fell
    (True, False)
    """

    def __init__(self) -> None:
        self._latest: set[int] = set()
        self._sorted = np.empty(0, dtype=np.uint64)

    def add(self, url: bytes) -> None:
        """Put a URL in."""
        self._latest.add(_hash(url))
        if len(self._latest) >= _LATEST:
            latest = np.fromiter(self._latest, np.uint64, len(self._latest))
            self._sorted = np.sort(np.concatenate((self._sorted, latest)))
            self._latest = set()

    def __contains__(self, url: bytes) -> bool:
        number = _hash(url)
        if number in self._latest:
            return True
        place = int(np.searchsorted(self._sorted, np.uint64(number)))
        return place < len(self._sorted) and int(self._sorted[place]) == number


def _hash(url: bytes) -> int:
    return int.from_bytes(blake2b(url, digest_size=8).digest(), "big")
