"""Traps: endless calendars, sessions and paths, which the depth or the crawler's cuts end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.web.answers import Answer, Link, dead, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site, draw

LONGEST = 2000
"""Characters of the longest URL that a crawler takes."""

RUN = 3
"""How often one path segment may stand in a row."""

SEGMENTS = 32
"""The most segments that a path may have."""


def entries(site: Site) -> Iterator[Link]:
    for rest in ("calendar?month=2024-12", "session", "echo/", "swing/", "pages"):
        yield link(site.url(f"/traps/{rest}"))
    yield link(site.url(_deep(SEGMENTS - 3)))
    yield dead(_deep(SEGMENTS + 6))
    yield link(site.url(f"/traps/{_long(site, LONGEST - 100)}"))
    yield dead(f"/traps/{_long(site, LONGEST + 100)}")


def answer(site: Site, rest: str) -> Answer | None:
    for pattern, links in _TRAPS.items():
        match = re.fullmatch(pattern, rest)
        if match:
            return page(site, f"/traps/{rest}", links(site, match))
    return page(site, "/traps/long") if rest == _long(site, LONGEST - 100) else None


def _long(site: Site, length: int) -> str:
    start = "long?q="
    return start + "x" * (length - len(site.url(f"/traps/{start}")))


def _deep(segments: int) -> str:
    return "/traps/deep/" + "/".join(map(str, range(3, segments + 1)))


def _calendar(site: Site, match: re.Match[str]) -> Iterator[Link]:
    """The months before and after, and the same in the next year."""
    months = int(match[1]) * 12 + int(match[2]) - 1
    for step in (-1, 1, 12):
        year, month = divmod(months + step, 12)
        rest = f"calendar?month={year:04}-{month + 1:02}"
        yield Link(site.url(f"/traps/{rest}"), rest)


def _session(site: Site, match: re.Match[str]) -> Iterator[Link]:
    """Every page has new session ids in its links."""
    for number in range(2):
        sid = draw(8, site.web.seed, "session", match[0], number).hex()
        yield Link(site.url(f"/traps/session?sid={sid}"), f"session?sid={sid}")


def _echo(site: Site, match: re.Match[str]) -> Iterator[Link]:
    """A relative link that repeats its folder."""
    path = f"/traps/{match[0]}echo/"
    runs = match[0].count("echo")
    yield Link(site.url(path) if runs < RUN else None, "echo/")


def _swing(site: Site, match: re.Match[str]) -> Iterator[Link]:
    """A link without its scheme: each page adds two segments."""
    rest = "www.example.com/about/"
    path = f"/traps/{match[0]}{rest}"
    yield Link(site.url(path) if path.count("/") - 1 <= SEGMENTS else None, rest)


def _deeper(site: Site, match: re.Match[str]) -> Iterator[Link]:
    """The next page lies one folder deeper."""
    last = int(match[1])
    path = site.url(_deep(last + 1)) if last < SEGMENTS else None
    yield Link(path, f"{last}/{last + 1}")


def _pages(site: Site, match: re.Match[str]) -> Iterator[Link]:
    """Links whose entities must be undone once: there are three pages, not ever more."""
    for number in (2, 3):
        yield Link(site.url(f"/traps/pages?&p={number}"), f"pages?&amp;p={number}")


_TRAPS = {
    r"calendar\?month=(\d{4})-(0[1-9]|1[0-2])": _calendar,
    r"session(?:\?sid=[0-9a-f]{16})?": _session,
    r"(?:echo/){1,3}": _echo,
    r"swing/(?:www\.example\.com/about/){0,20}": _swing,
    r"deep/(?:\d+/)*(\d+)": _deeper,
    r"pages(?:\?&p=[23])?": _pages,
}
FEATURE = Feature("traps", entries, answer)
