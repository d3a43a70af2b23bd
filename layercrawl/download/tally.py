"""Counts that can be added up over tasks, to see that what went in came out. Pure.

>>> asked, answered = Tally(), Tally()
>>> asked.add("http://a.example/", "page"); asked.add("http://b.example/", "page")
>>> answered.add("http://b.example/", "page"); answered.add("http://a.example/", "page")
>>> asked.totals() == answered.totals()
True
"""

from __future__ import annotations

import zlib


class Tally:
    """How many (URL, kind) there were, and the sum of their CRC-32: equal for equal sets."""

    def __init__(self) -> None:
        self._records = 0
        self._checksum = 0

    def add(self, url: str, kind: str) -> None:
        """Count one."""
        self._records += 1
        self._checksum += zlib.crc32(f"{kind} {url}".encode())

    def totals(self) -> dict[str, int]:
        """The counts, under the names that go into counters and markers."""
        return {"records": self._records, "checksum": self._checksum}
