"""Plain pages: level k of a host has degree · k of them, linked down, across and to other hosts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.web.answers import Answer, Link, link, page
from tests.web.features.feature import Feature
from tests.web.site import CRAWL_DELAY, Site, draw


def depth(site: Site) -> int:
    """The deepest level; one on the host that asks for a delay, so that a crawl stays quick."""
    return min(site.web.depth, 1) if site.place == CRAWL_DELAY else site.web.depth


def count(site: Site, level: int) -> int:
    """How many pages a level has; level 0 is the host's front page."""
    return 0 if level > depth(site) else site.web.degree * level or 1


def path(level: int, number: int) -> str:
    return f"/plain/{level}/{number}" if level else "/"


def links(site: Site, level: int, number: int) -> Iterator[Link]:
    """Every page of the next level has one parent; the rest of the degree is drawn."""
    children = range(number, count(site, level + 1), count(site, level))
    for child in children:
        yield link(site.url(path(level + 1, child)))
    for spare in range(site.web.degree - len(children)):
        yield link(_anywhere(site, draw(6, site.web.seed, site.index, level, number, spare)))


def _anywhere(site: Site, bits: bytes) -> str:
    """A plain page of this host or, one time in four, of any host."""
    if bits[0] % 4 == 0:
        site = Site(site.web, int.from_bytes(bits[1:3], "big") % len(site.web.hosts))
    level = bits[3] % (depth(site) + 1)
    return site.url(path(level, int.from_bytes(bits[4:6], "big") % count(site, level)))


def entries(site: Site) -> Iterator[Link]:
    yield link(site.url("/"))


def answer(site: Site, rest: str) -> Answer | None:
    match = re.fullmatch(r"([1-9]\d{0,8})/(0|[1-9]\d{0,8})", rest)
    if not match:
        return None
    level, number = map(int, match.groups())
    if number >= count(site, level):
        return None
    return page(site, path(level, number), links(site, level, number))


FEATURE = Feature("plain", entries, answer)
