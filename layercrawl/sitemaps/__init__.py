"""Which URLs a sitemap lists: the protocol of sitemaps.org, plain text, RSS and Atom feeds. Pure.

>>> sitemap = parse(b"<urlset><url><loc>/a?b&amp;c</loc></url><url/></urlset>", "http://a.example/")
>>> sitemap.urls, sitemap.skipped
((Location(loc='http://a.example/a?b&c', lastmod=''),), 1)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from layercrawl import schedule, urls
from layercrawl.sitemaps.content import GZIP as GZIP
from layercrawl.sitemaps.content import Content
from layercrawl.sitemaps.entries import HTTP, LONGEST, Entry, TooMuchMarkup, read

MAX_URLS = 50_000
MAX_BYTES = 52_428_800
"""What a sitemap may hold, its gzip undone (sitemaps.org, "Using Sitemap index files")."""

_HEAD = 1024
_LINE = re.compile(r"[^\r\n]+")
_LONGEST_DATE = 64


class Location(NamedTuple):
    """A page's URL in normal form, and when it changed: ISO 8601 in UTC, or "" where unknown."""

    loc: str
    lastmod: str


@dataclass(frozen=True)
class Sitemap:
    """What a sitemap lists, in its order; `sitemaps` are the URLs of further ones, of an index.

    `skipped` counts entries without a usable URL, and one for all that is beyond the limits or
    missing.
    """

    urls: tuple[Location, ...] = ()
    sitemaps: tuple[str, ...] = ()
    skipped: int = 0


def parse(body: bytes, url: str) -> Sitemap:
    """What the sitemap at `url` lists, whatever its Content-Type says; any bytes will do.

    Relative URLs are read against `url`; ValueError when that is no http(s) URL.
    """
    found = _Found(urls.Resolver(urls.normalise(url)))
    content = Content(body, MAX_BYTES)
    whole = found.add_all(_entries(content)) and content.whole
    return Sitemap(tuple(found.urls), tuple(found.sitemaps), found.skipped + (not whole))


def beyond(body: bytes, url: str) -> Iterator[str]:
    """The URLs that the sitemap at `url` lists after the first MAX_URLS, which `parse` leaves out.

    >>> list(beyond(b"http://a.example/x\\n" * MAX_URLS + b"http://a.example/y", "http://a.example/"))
    ['http://a.example/y']
    """
    found = _Found(urls.Resolver(urls.normalise(url)))
    with suppress(TooMuchMarkup):
        for entry in islice(_entries(Content(body, MAX_BYTES)), MAX_URLS, None):
            if link := found.usable(entry.loc):
                yield link


def _entries(content: Content) -> Iterator[Entry]:
    slices = iter(content)
    first = next(slices)
    text = chain((first,), slices)
    return read(text) if "<" in first[:_HEAD] else _lines(text, content)


@dataclass
class _Found:
    """The lists as they grow."""

    resolver: urls.Resolver
    urls: list[Location] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    skipped: int = 0

    def add_all(self, listed: Iterator[Entry]) -> bool:
        """Take the first MAX_URLS entries; whether these were all."""
        try:
            for entry in islice(listed, MAX_URLS):
                self._add(entry)
            return next(listed, None) is None
        except TooMuchMarkup:
            return False

    def _add(self, entry: Entry) -> None:
        url = self.usable(entry.loc)
        if not url:
            self.skipped += 1
        elif entry.kind == "sitemap":
            self.sitemaps.append(url)
        else:
            self.urls.append(Location(url, _lastmod(entry.date)))

    def usable(self, loc: str) -> str:
        """An address in normal form; empty where it is none."""
        try:
            return self.resolver.normalise(loc) if 0 < len(loc) <= LONGEST else ""
        except ValueError:
            return ""


def _lines(slices: Iterable[str], content: Content) -> Iterator[Entry]:
    """A URL a line; the last line of what was cut short may be half a URL."""
    rest = ""
    for piece in slices:
        rest += piece
        end = 1 + max(rest.rfind("\n"), rest.rfind("\r"))
        for line in _LINE.finditer(rest, 0, end):
            yield from _line(line[0])
        rest = rest[end:][: LONGEST + 1]
    if content.whole:
        yield from _line(rest)


def _line(line: str) -> Iterator[Entry]:
    if loc := line.strip():
        yield Entry("url", loc if HTTP.match(loc) else "", "")


@lru_cache(maxsize=1024)
def _lastmod(date: str) -> str:
    """A date of W3C's note on date and time formats (ISO 8601), or of e-mail, as timestamp.

    What is left out is the first or zero, a missing zone is UTC, and what is no date is "".

    >>> _lastmod("2014"), _lastmod("1997-07-16T19:20:30.45+01:00"), _lastmod("yesterday")
    ('2014-01-01T00:00:00Z', '1997-07-16T18:20:30Z', '')
    >>> _lastmod("Tue, 10 Jun 2003 04:00:00 +0200")
    '2003-06-10T02:00:00Z'
    """
    if not date or len(date) > _LONGEST_DATE:
        return ""
    try:
        moment = _iso(date) if date[:4].isdecimal() else parsedate_to_datetime(date)
        return schedule.timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return ""


def _iso(date: str) -> datetime:
    if len(date) < 8:  # a year, or year and month
        date += "-01-01"[len(date) - 4 :] if len(date) in (4, 7) else ""
    return datetime.fromisoformat(date)
