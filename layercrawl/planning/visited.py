"""Which URLs of a host were asked for before, as a fetching task needs to know it. Pure.

A redirect is followed within its layer, but not to a page of an earlier one. So each host's Targets
bring the CRC-32 of all its URLs that were asked for: five bytes a URL, as base64. Two URLs with one
hash do no harm: the one that is left out is an outlink all the same, and waits for the next layer.

>>> seen = Visited(packed([hashed("http://a.example/")]))
>>> "http://a.example/" in seen, "http://a.example/b" in seen
(True, False)
"""

from __future__ import annotations

import base64
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable


def hashed(url: str) -> int:
    """The hash of a URL in normal form, 32 bits."""
    return zlib.crc32(url.encode())


def packed(hashes: Iterable[int]) -> str:
    """Hashes as text, in ascending order, each four bytes with the least first."""
    return base64.b64encode(_little(array("I", sorted(set(hashes)))).tobytes()).decode()


class Visited:
    """The URLs whose hashes a text has."""

    def __init__(self, text: str = "") -> None:
        self._hashes = _little(array("I", base64.b64decode(text)))

    def __contains__(self, url: str) -> bool:
        wanted = hashed(url)
        place = bisect_left(self._hashes, wanted)
        return place < len(self._hashes) and self._hashes[place] == wanted


def _little(hashes: array[int]) -> array[int]:
    if sys.byteorder == "big":
        hashes.byteswap()
    return hashes
