"""Which URLs a sitemap lists: the protocol of sitemaps.org, plain text, RSS and Atom feeds. Pure.

Sitemaps of the web are often no well-formed XML: bare ampersands in URLs, HTML's entities, control
characters, a missing end. An XML parser gives up at the first of these; so the tags are found by
one regular expression, entry by entry, and what one entry has wrong costs no other. Nothing of a
document type is read: an entity that it declares stands for nothing, and no file is opened.

>>> sitemap = parse(b"<urlset><url><loc>/a?b&amp;c</loc></url><url/></urlset>", "http://a.example/")
>>> sitemap.urls, sitemap.skipped
((Location(loc='http://a.example/a?b&c', lastmod=''),), 1)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from html import unescape
from html.entities import html5
from typing import NamedTuple

from layercrawl import charset, codings, schedule, urls

MAX_URLS = 50_000
MAX_BYTES = 52_428_800
"""What a sitemap may hold, its gzip undone (sitemaps.org, "Using Sitemap index files")."""
GZIP = b"\x1f\x8b"
"""How a gzip file begins (RFC 1952, 2.3.1)."""

_ENTRIES = {
    "urlset": frozenset({"url", "sitemap"}),
    "sitemapindex": frozenset({"url", "sitemap"}),
    "rss": frozenset({"item"}),
    "rdf": frozenset({"item"}),  # RSS 1.0
    "feed": frozenset({"entry"}),
}
"""The elements that stand for a page or a sitemap, by the root that they stand in."""
_LOCS = ("loc", "link", "", "guid")  # "" is the entry's own text, where <loc> was forgotten
_ABSOLUTE = frozenset({"", "guid"})  # any other text would do for a relative URL
_DATES = ("lastmod", "updated", "modified", "pubdate", "date", "published")
_FIELDS = frozenset({*_LOCS, *_DATES})
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)"
    r"|<[!?][^>]*+>?"
    r"|<(?P<end>/?)(?P<name>[^\s<>/]++)(?P<attributes>[^<>]*+)>\s*+"
    r"|(?P<text>[^<]++|<)",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<![^\s"'])(href|rel)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""", re.I)
_REFERENCE = re.compile(r"&(?:(#\d{1,7}|#[xX][\dA-Fa-f]{1,6})|([A-Za-z][\w.-]{0,31}));", re.ASCII)
_HEAD = 1024
_HTTP = re.compile(r"https?://", re.I)
_LINE = re.compile(r"[^\r\n]+")
_LONGEST_DATE = 64


class Location(NamedTuple):
    """A page's URL in normal form, and when it changed: ISO 8601 in UTC, or "" where unknown."""

    loc: str
    lastmod: str


@dataclass(frozen=True)
class Sitemap:
    """What a sitemap lists, in its order; `sitemaps` are the URLs of further ones, of an index.

    `skipped` counts entries without a usable URL or beyond the limits, and a rest that is missing.
    """

    urls: tuple[Location, ...] = ()
    sitemaps: tuple[str, ...] = ()
    skipped: int = 0


def parse(body: bytes, url: str) -> Sitemap:
    """What the sitemap at `url` lists, whatever its Content-Type says; any bytes will do.

    Relative URLs are read against `url`; ValueError when that is no http(s) URL.
    """
    found = _Found(urls.Resolver(urls.normalise(url)))
    content, whole = _unpacked(body)
    text, _ = charset.decode(content, None)
    if "<" in text[:_HEAD]:
        _read_markup(text, found)
    else:
        _read_lines(text, whole, found)
    return Sitemap(tuple(found.urls), tuple(found.sitemaps), found.skipped + (not whole))


def _unpacked(body: bytes) -> tuple[bytes, bool]:
    """The content up to MAX_BYTES, gzip undone, and whether that is all; names do not tell gzip."""
    if not body.startswith(GZIP):
        return body[:MAX_BYTES], len(body) < MAX_BYTES
    pieces, size = [], 0
    try:
        for piece in codings.decoded([body], "gzip"):
            pieces.append(piece)
            size += len(piece)
            if size >= MAX_BYTES:
                return b"".join(pieces)[:MAX_BYTES], False
    except codings.BrokenCoding:
        return b"".join(pieces), False
    return b"".join(pieces), True


@dataclass
class _Found:
    """The lists as they grow."""

    resolver: urls.Resolver
    urls: list[Location] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    skipped: int = 0

    def page(self, loc: str, date: str) -> None:
        if url := self._usable(loc):
            self.urls.append(Location(url, _lastmod(date)))

    def sitemap(self, loc: str, date: str) -> None:
        if url := self._usable(loc):
            self.sitemaps.append(url)

    def _usable(self, loc: str) -> str:
        if loc and len(self.urls) + len(self.sitemaps) < MAX_URLS:
            try:
                return self.resolver.normalise(loc)
            except ValueError:
                pass
        self.skipped += 1
        return ""


def _read_lines(text: str, whole: bool, found: _Found) -> None:
    """Read a URL a line; the last line of what was cut short may be half a URL."""
    end = len(text) if whole else max(text.rfind("\n"), 0)
    for line in _LINE.finditer(text, 0, end):
        if loc := line[0].strip():
            found.page(loc if _HTTP.match(loc) else "", "")


def _read_markup(text: str, found: _Found) -> None:
    entry = _Entry(found)
    for token in _TOKEN.finditer(text):
        cdata, end, name, attributes, words = token.groups()
        if words or cdata:
            entry.text(_plain(words) if words else cdata)
        elif name:
            name = name.lower().rpartition(":")[2]
            if not end:
                entry.start(name, attributes)
            if end or attributes.endswith("/"):
                entry.end(name)
    entry.cut_short()


class _Entry:
    """The entry that is being read: which of its children is open, and the texts of those closed.

    What lies deeper belongs to its child, for images and videos have URLs of their own.
    """

    def __init__(self, found: _Found) -> None:
        self._found = found
        self._kinds: frozenset[str] = frozenset()  # none before the root
        self._kind = ""
        self._begin("")

    def _begin(self, kind: str) -> None:
        self._kind, self._child, self._nested = kind, "", 0
        self._texts: dict[str, str] = {}
        self._pieces: list[str] = []

    def text(self, words: str) -> None:
        if self._kind and self._child in _FIELDS:
            self._pieces.append(words)

    def start(self, name: str, attributes: str) -> None:
        if not self._kinds:
            self._kinds = _ENTRIES.get(name, self._kinds)
        elif name in self._kinds:
            if self._child:
                self._nested += 1
            else:
                self._finish()
                self._begin(name)
        elif self._kind and (not self._child or {name, self._child} <= _FIELDS):
            self._leave()
            self._child = name
            if name == "link" and self._kind == "entry":
                self._pieces.append(_alternate(attributes))

    def end(self, name: str) -> None:
        if name == self._kind and self._nested:
            self._nested -= 1
        elif name == self._kind:
            self._finish()
        elif name == self._child:
            self._leave()

    def cut_short(self) -> None:
        """End with the text: what has no end tag may be half a URL."""
        self._pieces = []
        self._finish()

    def _leave(self) -> None:
        text = "".join(self._pieces).strip()
        if text and (self._child not in _ABSOLUTE or _HTTP.match(text)):
            self._texts.setdefault(self._child, text)
        self._child, self._nested, self._pieces = "", 0, []

    def _finish(self) -> None:
        if self._kind:
            self._leave()
            add = self._found.sitemap if self._kind == "sitemap" else self._found.page
            add(self._first(_LOCS), self._first(_DATES))
            self._begin("")

    def _first(self, names: tuple[str, ...]) -> str:
        return next((self._texts[name] for name in names if name in self._texts), "")


def _plain(text: str) -> str:
    """The text with its references replaced; a bare ampersand stays.

    >>> _plain("?a&b=&amp;&#xe9;&eacute;&unknown;&copy=1")
    '?a&b=&éé&copy=1'
    """
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    return unescape(reference[0]) if reference[1] else html5.get(f"{reference[2]};", "")


def _alternate(attributes: str) -> str:
    """The href of an Atom link to the page itself (RFC 4287, 4.2.7.2), or nothing.

    >>> _alternate(' href="/a?b&amp;c"/'), _alternate(" rel='self' href='/feed'")
    ('/a?b&c', '')
    """
    values = {a[1].lower(): a[2] or a[3] or "" for a in _ATTRIBUTE.finditer(attributes)}
    return _plain(values.get("href", "")) if values.get("rel", "alternate") == "alternate" else ""


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
