"""Heads that common client libraries misread; a web has them only when asked: extras=("heads",).

Python's http.client takes a head that breaks off for a whole one, and an interim answer for final.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.web.answers import Answer, Link, broken, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site

_HALF = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload; as=style\r\n\r\n"


def entries(site: Site) -> Iterator[Link]:
    for name in ("half", "early-hints"):
        yield link(site.url(f"/heads/{name}"))


def answer(site: Site, rest: str) -> Answer | None:
    if rest == "half":
        return broken(_HALF)
    if rest == "early-hints":
        answer = page(site, f"/heads/{rest}")
        return replace(answer, raw=_HINTS + answer.head())
    return None


FEATURE = Feature("heads", entries, answer)
