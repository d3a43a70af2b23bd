"""How long a task was busy with a host, and how much of that it waited out of politeness."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Mapping
from typing import NamedTuple

KEPT = 3
_LONGEST_NAME = 50  # Hadoop cuts a counter's name after 64 characters
_GROUP = "longest: "


class Stay(NamedTuple):
    """A host with the seconds from its first turn to its last, and the part that was pauses."""

    seconds: float
    paused: float
    host: str

    def told(self) -> str:
        """As one says it.

        >>> Stay(58.2, 56.0, "a.example").told()
        'a.example 58 s (waiting 96 %)'
        """
        return f"{self.host} {self.seconds:.0f} s (waiting {self.percent} %)"

    @property
    def percent(self) -> int:
        """How much of the time was pauses."""
        return round(100 * min(1.0, self.paused / self.seconds)) if self.seconds else 0


class Longest:
    """The three longest stays of a task; safe to add to from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stays: list[Stay] = []

    def add(self, stay: Stay) -> None:
        """Take in one more."""
        with self._lock:
            self._stays = heapq.nlargest(KEPT, [*self._stays, stay])

    def counts(self) -> dict[str, int]:
        """Milliseconds by `HOST PERCENT`, as counters.

        >>> longest = Longest()
        >>> longest.add(Stay(2.0, 1.5, "a.example"))
        >>> longest.counts()
        {'a.example 75': 2000}
        """
        return {
            f"{stay.host[-_LONGEST_NAME:]} {stay.percent}": round(1000 * stay.seconds)
            for stay in self._stays
        }


def split(counters: Mapping[str, int]) -> tuple[dict[str, int], list[Stay]]:
    """A job's counters without those of stays, and the longest of these.

    >>> split({"outcomes: ok": 1, "longest: a.example 75": 2000})
    ({'outcomes: ok': 1}, [Stay(seconds=2.0, paused=1.5, host='a.example')])
    """
    totals = {name: n for name, n in counters.items() if not name.startswith(_GROUP)}
    stays = [_stay(name, n / 1000) for name, n in counters.items() if name.startswith(_GROUP)]
    return totals, heapq.nlargest(KEPT, stays)


def _stay(name: str, seconds: float) -> Stay:
    host, _, percent = name.removeprefix(_GROUP).partition(" ")
    return Stay(seconds, seconds * int(percent) / 100, host)
