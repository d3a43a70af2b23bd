"""Traps whose pages are alike; a web has them only when asked: extras=("endless",).

Each page is a right page of a URL of its own, so that the truth has no end but the depth's.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from tests.web.answers import HTML, Answer, Link, document, link
from tests.web.features.feature import Feature
from tests.web.site import Site, draw
from tests.web.words import text

_SIZE = 8000
_CHOICES = 12


def entries(site: Site) -> Iterator[Link]:
    for rest in ("calendar?month=2024-12", "session", "list?colour=1&size=1&sort=1", "lost/1"):
        yield link(site.url(f"/endless/{rest}"))


def answer(site: Site, rest: str) -> Answer | None:
    for pattern, (words, ways) in _TRAPS.items():
        match = re.fullmatch(pattern, rest)
        if match:
            links = tuple(link(site.url(f"/endless/{way}")) for way in ways(site, match))
            told = [words.format(html.escape(rest)), *text(site.web.seed, pattern, "en", _SIZE)]
            return Answer("ok", 200, HTML, document("Endless", told, links).encode(), links=links)
    return None


def _months(site: Site, match: re.Match[str]) -> Iterator[str]:
    months = int(match[1]) * 12 + int(match[2]) - 1
    for step in (-1, 1, -12, 12):
        year, month = divmod(months + step, 12)
        yield f"calendar?month={year:04}-{month + 1:02}"


def _sessions(site: Site, match: re.Match[str]) -> Iterator[str]:
    for number in range(3):
        yield f"session?sid={draw(8, site.web.seed, match[0], number).hex()}"


def _choices(site: Site, match: re.Match[str]) -> Iterator[str]:
    """All lists that differ in one choice."""
    chosen = [int(number) for number in match.groups()]
    for place in range(3):
        for number in range(1, _CHOICES):
            other = [*chosen[:place], number, *chosen[place + 1 :]]
            yield "list?colour={}&size={}&sort={}".format(*other)


def _numbers(site: Site, match: re.Match[str]) -> Iterator[str]:
    for number in range(4):
        yield f"lost/{4 * int(match[1]) + number}"


_TRAPS = {
    r"calendar\?month=(\d{4})-(0[1-9]|1[0-2])": ("There is nothing on {} yet.", _months),
    r"session(?:\?sid=[0-9a-f]{16})?": ("Welcome to your {}.", _sessions),
    r"list\?colour=(\d+)&size=(\d+)&sort=(\d+)": ("All of {}.", _choices),
    r"lost/(\d+)": ("There is no such page.", _numbers),
}
FEATURE = Feature("endless", entries, answer)
