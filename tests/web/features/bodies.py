"""Bodies: huge, empty, of other types than HTML, framed in odd but legal ways."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from tests.web.answers import HTML, Answer, Headers, Link, dead, document, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site

HUGE = 2_000_000
"""The crawler's --max-bytes that the truth takes for granted: a longer body is cut there."""

_TYPES = {
    "image": "image/png",
    "pdf": "application/pdf",
    "json": "application/json",
    "css": "text/css",
    "archive": "application/java-archive",
    "bytes": "application/octet-stream",
}
_FILES = ("a.png", "a.PDF", "a.css", "a.js", "a.zip", "a.jpg?size=2", "a.mp4", "a.gz")


@lru_cache(4)
def _filled(length: int) -> bytes:
    """A page of exactly `length` bytes, its one link in front; it compresses to nearly nothing."""
    start = document("Huge", (), [Link(None, "after-huge")]).encode()
    line = b"<p>All work and no play makes Jack a dull boy</p>\n"
    missing = length - len(start)
    return start + (line * (missing // len(line) + 1))[:missing]


def _huge(site: Site, length: int) -> Answer:
    links = (Link(site.url("/bodies/after-huge"), "after-huge"),)
    return Answer("ok", 200, HTML, _filled(length), links=links, encoding="utf-8")


def _bomb(site: Site) -> Answer:
    """Some kilobytes on the wire, five times the limit when decoded."""
    answer = _huge(site, 5 * HUGE)
    headers = (*HTML, ("Content-Encoding", "gzip"))
    return replace(answer, headers=headers, wire=gzip.compress(answer.body, mtime=0))


def _chunked(site: Site) -> Answer:
    answer = page(site, "/bodies/chunked")
    parts = (answer.body[start : start + 700] for start in range(0, len(answer.body), 700))
    wire = b"".join(b"%X;x=y\r\n%b\r\n" % (len(part), part) for part in parts)
    headers = (*HTML, ("Transfer-Encoding", "chunked"))
    return replace(answer, headers=headers, wire=wire + b"0\r\nX-Trailer: 1\r\n\r\n")


def _until_close(site: Site) -> Answer:
    """HTTP/1.0: the end of the connection is the end of the body."""
    answer = page(site, "/bodies/until-close")
    return replace(answer, raw=b"HTTP/1.0 200 OK\r\nContent-Type: text/html;charset=utf-8\r\n\r\n")


def _xhtml(site: Site) -> Answer:
    answer = page(site, "/bodies/xhtml", [link(site.url("/bodies/chunked"))])
    return replace(answer, headers=(("Content-Type", "application/xhtml+xml; charset=utf-8"),))


def _headers(site: Site) -> Answer:
    many: Headers = tuple((f"X-{number}", "y") for number in range(150))
    return page(site, "/bodies/many-headers", headers=many)


_PAGES: dict[str, Callable[[Site], Answer]] = {
    "huge": lambda site: _huge(site, HUGE + 50_000),
    "full": lambda site: _huge(site, HUGE),
    "bomb": _bomb,
    "after-huge": lambda site: page(site, "/bodies/after-huge"),
    "empty": lambda site: Answer("ok", 200, HTML, encoding="utf-8"),
    "chunked": _chunked,
    "until-close": _until_close,
    "xhtml": _xhtml,
    "many-headers": _headers,
}


def entries(site: Site) -> Iterator[Link]:
    for name in (*_PAGES, *_TYPES):
        if name != "after-huge":
            yield link(site.url(f"/bodies/{name}"))
    for name in _FILES:
        yield dead(f"/bodies/files/{name}")
    yield dead("/bodies/files/look.css", "stylesheet")
    yield dead("/bodies/files/picture", "img")


def answer(site: Site, rest: str) -> Answer | None:
    if rest in _TYPES:
        return Answer("refused", 200, (("Content-Type", _TYPES[rest]),), b"{}" * 600)
    make = _PAGES.get(rest)
    return make(site) if make else None


FEATURE = Feature("bodies", entries, answer)
