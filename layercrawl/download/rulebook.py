"""What the robots.txt files that a task met say: parsed while there is room, else on disk.

A file of 500 KiB may take 13 MB once it is parsed, and there are as many as open hosts.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from layercrawl import manners, records
from layercrawl.download.spool import Spool
from layercrawl.manners import Origin
from layercrawl.records import Page

MOST = 2_000_000
"""Characters of robots.txt that are kept parsed, in about 25 times as many bytes."""
_LEAST = 500


class Rulebook:
    """Origins by the place in the spool where their robots.txt's record lies; safe for threads.

    Those used last are kept, `most` characters in all; the others are read and parsed again.
    """

    def __init__(self, spool: Spool, agent: str, most: int = MOST) -> None:
        self._spool, self._agent, self._room = spool, agent, most
        self._kept: OrderedDict[int, tuple[Origin, int]] = OrderedDict()
        self._lock = threading.Lock()

    def origin(self, place: int) -> Origin:
        """What the robots.txt says whose record, one with rules, lies at a place."""
        with self._lock:
            if place in self._kept:
                self._kept.move_to_end(place)
                return self._kept[place][0]
        _, page = records.decode(self._spool.line(place), Page)
        text = rules_text(page) or ""
        return self._keep(place, manners.origin(text, self._agent), len(text) + _LEAST)

    def _keep(self, place: int, origin: Origin, size: int) -> Origin:
        with self._lock:
            if place not in self._kept:
                self._kept[place] = origin, size
                self._room -= size
            while self._room < 0:
                _, (_, freed) = self._kept.popitem(last=False)
                self._room += freed
        return origin


def rules_text(page: Page) -> str | None:
    """The rules that a record stands for: those that were known, or those that were fetched."""
    known = page.target.rules if page.outcome == "not_modified" else None
    return known if known is not None else manners.rules_text(page)
