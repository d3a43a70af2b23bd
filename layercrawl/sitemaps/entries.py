"""The entries of a sitemap or feed, found in its text by one regular expression. Pure.

Sitemaps of the web are often no well-formed XML: bare ampersands in URLs, HTML's entities, control
characters, a missing end. An XML parser gives up at the first of these; here what one entry has
wrong costs no other. Nothing of a document type is read: an entity that it declares stands for
nothing, and no file is opened.

>>> list(read(["<urlset><url><loc>/a?b&am", "p;c</loc></url><url/></urlset>"]))
[Entry(kind='url', loc='/a?b&c', date=''), Entry(kind='url', loc='', date='')]
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from html import unescape
from html.entities import html5
from typing import NamedTuple

LONGEST = 1 << 16
"""Characters of a tag, text or address that are read; a longer one is none of a URL's."""
MOST_TOKENS = 2_000_000
"""Tags and texts that are read: 40 for each URL that a sitemap may hold, in a few seconds."""
HTTP = re.compile(r"https?://", re.I)

_KINDS = {
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
_ENDS = [
    ("<!--", re.compile("-->")),
    ("<![CDATA[", re.compile("]]>")),
    ("<!", re.compile(">")),
    ("<?", re.compile(">")),
    ("<", re.compile(">|(?=<)")),
]
_ATTRIBUTE = re.compile(r"""(?<![^\s"'])(href|rel)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""", re.I)
_REFERENCE = re.compile(r"&(?:(#\d{1,7}|#[xX][\dA-Fa-f]{1,6})|([A-Za-z][\w.-]{0,31}));", re.ASCII)
_Token = re.Match[str]


class Entry(NamedTuple):
    """What stands for a page or, where `kind` says so, a sitemap: address and date as written."""

    kind: str
    loc: str
    date: str


class TooMuchMarkup(ValueError):
    """There are more than MOST_TOKENS; what they listed was yielded."""


def read(text: Iterable[str]) -> Iterator[Entry]:
    """The entries of a text that comes in slices; one that its end cuts off lacks what was cut.

    Raises TooMuchMarkup.
    """
    reading = _Reading()
    for number, token in enumerate(_tokens(text)):
        if number == MOST_TOKENS:
            raise TooMuchMarkup
        cdata, end, name, attributes, words = token.groups()
        if words or cdata:
            reading.text(words, cdata)
        elif name:
            name = name.lower().rpartition(":")[2]
            if not end and (entry := reading.start(name, attributes)):
                yield entry
            if (end or attributes.endswith("/")) and (entry := reading.end(name)):
                yield entry
    if entry := reading.cut_short():
        yield entry


def _tokens(slices: Iterable[str]) -> Iterator[_Token]:
    """The tokens of a text; of one that is longer than LONGEST perhaps only its beginning."""
    rest, awaited = "", None
    for piece in slices:
        rest += piece
        if awaited:
            rest, found = _after(rest, awaited)
            awaited = None if found else awaited
        if not awaited:
            rest = yield from _whole_tokens(rest)
            if len(rest) > LONGEST:
                awaited = yield from _begun(rest)
                rest = ""
    yield from _TOKEN.finditer("" if awaited else rest)


def _whole_tokens(text: str) -> Generator[_Token, None, str]:
    """The tokens that more text cannot change; returns the rest."""
    tag = text.rfind("<")
    open_at = tag if tag >= 0 and text.find(">", tag) < 0 else len(text)
    for token in _TOKEN.finditer(text):
        if token.end() == len(text) or token.start() >= open_at:
            return text[token.start() :]
        yield token
    return ""


def _begun(text: str) -> Generator[_Token, None, re.Pattern[str] | None]:
    """The token that a long text is the beginning of; returns what it must be skipped to."""
    token = _TOKEN.match(text)
    assert token
    if token["name"] or not text.startswith("<"):
        yield token
        return None
    if token["cdata"]:
        yield token
    return next(end for start, end in _ENDS if text.startswith(start))


def _after(text: str, awaited: re.Pattern[str]) -> tuple[str, bool]:
    """What follows the end that is awaited, and whether it was found; else what may begin it."""
    found = awaited.search(text)
    return (text[found.end() :], True) if found else (text[-2:], False)


class _Reading:
    """The entry that is being read: which of its children is open, and the texts of those closed.

    What lies deeper belongs to its child, for images and videos have URLs of their own.
    """

    def __init__(self) -> None:
        self._kinds: frozenset[str] = frozenset()  # none before the root
        self._begin("")

    def _begin(self, kind: str) -> None:
        self._kind, self._child, self._nested = kind, "", 0
        self._texts: dict[str, str] = {}
        self._pieces: list[str] = []
        self._length = 0

    def text(self, words: str | None, cdata: str | None) -> None:
        """Take in a text or a CDATA section, whose ampersands mean themselves."""
        if self._kind and self._child in _FIELDS and self._length <= LONGEST:
            text = _plain(words) if words else cdata or ""
            self._pieces.append(text)
            self._length += len(text)

    def start(self, name: str, attributes: str) -> Entry | None:
        """Take in a start tag; the entry before, when a new one begins without its end."""
        before = None
        if not self._kinds:
            self._kinds = _KINDS.get(name, self._kinds)
        elif name in self._kinds:
            if self._child:
                self._nested += 1
            else:
                before = self._finish()
                self._begin(name)
        elif self._kind and (not self._child or {name, self._child} <= _FIELDS):
            self._leave()
            self._child = name
            if name == "link" and self._kind == "entry" and name not in self._texts:
                self._pieces.append(_alternate(attributes))
        return before

    def end(self, name: str) -> Entry | None:
        """Take in an end tag; the entry, when it is its own."""
        if name == self._kind and self._nested:
            self._nested -= 1
        elif name == self._kind:
            return self._finish()
        elif name == self._child:
            self._leave()
        return None

    def cut_short(self) -> Entry | None:
        """End with the text: what has no end tag may be half a URL."""
        self._pieces = []
        return self._finish()

    def _leave(self) -> None:
        text = "".join(self._pieces).strip()
        if text and (self._child not in _ABSOLUTE or HTTP.match(text)):
            self._texts.setdefault(self._child, text)
        self._child, self._nested, self._pieces, self._length = "", 0, [], 0

    def _finish(self) -> Entry | None:
        if not self._kind:
            return None
        self._leave()
        entry = Entry(self._kind, self._first(_LOCS), self._first(_DATES))
        self._begin("")
        return entry

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
