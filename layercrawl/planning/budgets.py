"""What a host may still have: pages of a pattern, pages in all, and pages that are alike. Pure.

A trap is known by what it gave. While a host's pages of one pattern bring something new at least
every other time, there is no end to them; once near-equal ones outnumber the others by so many,
the pattern is spent. URLs without numbers and parameters have a pattern each. Of these a host has
no more once most of them, by so many, are near-equal to one and the same page, as where an error is
sent as a page under whatever URL. So it is with patterns of which no two URLs were asked for, once
most patterns' first pages are near-equal to one. (That they are near-equal to any other is no sign:
manuals give each page under two names, or untranslated in every language.)

Nothing is remembered from layer to layer: a plan counts anew what was asked for, so that a greater
budget frees what was held back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from layercrawl import simhash
from layercrawl.config import Config
from layercrawl.planning import patterns
from layercrawl.records import Visit

NEAR = 3
"""Bits of 64 in which the fingerprints of near-equal pages may differ."""
LAST = 256
"""How many fingerprints of a pattern a page is compared with: those before it in their order."""
MOST_PATTERNS = 20_000
"""How many patterns of a host are counted at a time. Of more, those with the fewest URLs are
forgotten, half of all: they begin anew."""

OVER_PATTERN = "over the pattern's budget"
OVER_HOST = "over the host's budget"
ALIKE = "pattern gives near-equal pages"
ALIKE_HOST = "host gives near-equal pages"
REASONS = {
    OVER_PATTERN: "--max-per-pattern",
    OVER_HOST: "--max-host-pages",
    ALIKE: "--max-alike",
    ALIKE_HOST: "--max-alike",
}
"""Why a URL is held back, and the option that sets the budget."""


def row(url: str, visits: Sequence[Visit]) -> bytes:
    """What `Budgets` needs of a URL that was asked for: `pattern SP fingerprint`.

    Pages without words are alike when their bytes are.

    >>> row("http://a.example/7", [Visit("2026-11-30T12:00:00Z", 0, "ok", "8a" * 32, "0" * 16)])
    b'/# 8a8a8a8a8a8a8a8a'
    >>> row("http://a.example/7", [Visit("2026-11-30T12:00:00Z", 0, "gone")])
    b'/# -'
    """
    good = next((visit for visit in reversed(visits) if visit.outcome == "ok"), None)
    fingerprint = "-"
    if good:
        fingerprint = good.simhash if good.simhash.strip("0") else good.digest[:16]
    return f"{patterns.pattern(url)} {fingerprint or '-'}".encode()


class Budgets:
    """One host's budgets in one layer: first what was asked for, then what wants to be.

    Memory is bounded by `LAST` and `MOST_PATTERNS`, and by a pattern per `max_alike` pages.
    """

    def __init__(self, config: Config) -> None:
        self._per_pattern = config.max_per_pattern
        self._of_host = config.max_host_pages
        self._alike = config.max_alike
        self._pages = 0
        self._taken: Counter[str] = Counter()
        self._spent: set[str] = set()
        self._fixed, self._firsts = _Majority(), _Majority()
        self._pattern, self._repeats = "", _Repeats()
        self._proven: set[str] = set()

    def spend(self, row: bytes) -> None:
        """Take in a URL that was asked for; all rows come sorted."""
        pattern, _, fingerprint = row.decode().rpartition(" ")
        self._count(pattern)
        if self._alike and fingerprint != "-":
            self._compare(pattern, int(fingerprint, 16))

    def _compare(self, pattern: str, bits: int) -> None:
        if not patterns.varies(pattern):
            self._fixed.add(bits)
            return
        if pattern != self._pattern:
            self._pattern, self._repeats = pattern, _Repeats()
            self._firsts.add(bits)
        elif len(self._proven) < MOST_PATTERNS:
            self._proven.add(pattern)
        self._repeats.add(bits)
        if self._repeats.excess >= self._alike:
            self._spent.add(pattern)
        else:
            self._spent.discard(pattern)

    def refusal(self, url: str) -> str:
        """Why a URL is held back, one of `REASONS`; empty: it is let through, and counts."""
        if not self._per_pattern and not self._spent and not self._all_alike():
            pattern = ""  # none matters
        else:
            pattern = patterns.pattern(url)
        reason = self._over(pattern) or self._dull(pattern)
        if not reason:
            self._count(pattern)
        return reason

    def _over(self, pattern: str) -> str:
        if self._of_host and self._pages >= self._of_host:
            return OVER_HOST
        over = self._per_pattern and self._taken[pattern] >= self._per_pattern
        return OVER_PATTERN if over else ""

    def _dull(self, pattern: str) -> str:
        if pattern in self._spent:
            return ALIKE
        if pattern in self._proven or not self._all_alike():
            return ""
        seen = self._firsts if patterns.varies(pattern) else self._fixed
        return ALIKE_HOST if seen.excess >= self._alike else ""

    def _all_alike(self) -> bool:
        """Whether most of the host's pages without a pattern, or most first ones, are near one."""
        return bool(self._alike) and max(self._fixed.excess, self._firsts.excess) >= self._alike

    def _count(self, pattern: str) -> None:
        self._pages += 1
        if self._per_pattern and patterns.varies(pattern):
            self._taken[pattern] += 1
            if len(self._taken) > MOST_PATTERNS:
                self._taken = Counter(dict(self._taken.most_common(MOST_PATTERNS // 2)))


class _Repeats:
    """How many more of some sorted fingerprints are near one before them than are not."""

    def __init__(self) -> None:
        self.excess = 0
        self._before = np.zeros(LAST, dtype=np.uint64)
        self._new = 0
        self._last = -1

    def add(self, bits: int) -> None:
        if bits == self._last or self._near(np.uint64(bits)):
            self.excess += 1
        else:
            self.excess -= 1
            self._before[self._new % LAST] = bits
            self._new += 1
        self._last = bits

    def _near(self, bits: np.uint64) -> bool:
        before = self._before[: self._new]
        return bool((np.bitwise_count(before ^ bits) <= NEAR).any())


class _Majority:
    """How many more of some fingerprints are near one of them, their majority, than are not.

    The majority is found as Boyer and Moore do ("MJRTY", 1991), and counted from where it is found,
    so that `excess` is rather too small.
    """

    def __init__(self) -> None:
        self._one, self._lead, self._near, self._all = 0, 0, 0, 0

    @property
    def excess(self) -> int:
        return 2 * self._near - self._all

    def add(self, bits: int) -> None:
        self._all += 1
        if not self._lead:
            self._one, self._lead, self._near = bits, 1, 1
        elif simhash.distance(bits, self._one) <= NEAR:
            self._lead += 1
            self._near += 1
        else:
            self._lead -= 1
