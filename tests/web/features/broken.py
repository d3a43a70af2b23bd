"""Answers that fail: server errors, connections that break off, framing and codings that lie."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace

from tests.web.answers import HTML, Answer, Link, broken, failure, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_BODY = b'<p>Half of it</p><a href="/unseen/broken">next</a>\n' * 40
_CHUNK = b"%x\r\n%b\r\n" % (len(_BODY), _BODY)


def _coded(coding: str, wire: bytes) -> Answer:
    headers = (*HTML, ("Content-Encoding", coding))
    return Answer("failed", 200, headers, wire=wire)


_PAGES = {
    "500": failure("failed", 500),
    "502": failure("failed", 502),
    "503": failure("failed", 503),
    "504": failure("failed", 504),
    "507": failure("failed", 507),
    "reset": replace(broken(_HEAD), reset=True),
    "closed": broken(b""),
    "garbage": broken(b"\x16\x03\x01 what is this?\r\n\r\n" + _BODY),
    "short": broken(_HEAD + b"Content-Length: 9999\r\n\r\n" + _BODY),
    "half-chunk": broken(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + _CHUNK + b"fff\r\n<p>"),
    "no-last-chunk": broken(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + _CHUNK),
    "bad-chunk-size": broken(_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + _BODY),
    "half-gzip": _coded("gzip", gzip.compress(_BODY, mtime=0)[:-20]),
    "not-gzip": _coded("gzip", _BODY),
    "not-brotli": _coded("br", _BODY),
}


_WHOLE = "-mended"
"""A whole page stands behind each, lest a crawler slow down more and more: the host goes on."""


def entries(site: Site) -> Iterator[Link]:
    for name in _PAGES:
        yield link(site.url(f"/broken/{name}"))
        yield link(site.url(f"/broken/{name}{_WHOLE}"))


def answer(site: Site, rest: str) -> Answer | None:
    if rest.removesuffix(_WHOLE) in _PAGES and rest.endswith(_WHOLE):
        return page(site, f"/broken/{rest}")
    return _PAGES.get(rest)


FEATURE = Feature("broken", entries, answer)
