"""A share of each layer for those that waited longest, whatever their rank. Pure.

A URL waits since the layer that found it, or that asked for it last. With `--fair` each page that
waits has two rows, and those by age sort before all others. A host's share and a layer's budget are
each filled from both: the oldest, so many as the percentage makes of it (rounded up), then the best
of the others. So both need the sorted rows once, and keep no more than the URLs of the oldest.
"""

from __future__ import annotations

from layercrawl.records import UrlState

_WAITED = b"!"  # what the place of a row by age begins with; others begin with a digit


def place(state: UrlState, ranked: bytes) -> bytes:
    """The place of a waiting page's row by age; of those that wait as long, the best is first."""
    asked = [visit.layer for visit in state.visits if visit.outcome != "deferred"]
    return b"%s%08x%s" % (_WAITED, max([state.first, *asked]), ranked)


def by_age(place: bytes) -> bool:
    """Whether a row with this place comes by age."""
    return place.startswith(_WAITED)


def part(most: int, percent: int) -> int:
    """How many of `most` pages are to be the oldest.

    >>> part(10, 25), part(10, 0), part(1, 1)
    (3, 0, 1)
    """
    return -(-most * percent // 100)


class Share:
    """What may be taken of rows that come by age, then by rank: `most`, of them `oldest` by age."""

    def __init__(self, most: int, oldest: int) -> None:
        self._left, self._oldest = most, oldest
        self._taken: set[str] = set()

    def full(self, by_age: bool) -> bool:
        """Whether no more rows of this kind are taken."""
        return self._left <= 0 or by_age and self._oldest <= 0

    def has(self, url: str) -> bool:
        """Whether a URL was taken by age already."""
        return url in self._taken

    def take(self, by_age: bool, url: str) -> None:
        """Note that a URL is taken."""
        self._left -= 1
        if by_age:
            self._oldest -= 1
            self._taken.add(url)
