"""Pages that take their time but arrive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.web.answers import Answer, Link, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site

SLOW = 0.3
"""Seconds that a slow page takes in all."""

_PIECES = {"start": 1, "drops": 6}


def entries(site: Site) -> Iterator[Link]:
    for name in _PIECES:
        yield link(site.url(f"/slow/{name}"))


def answer(site: Site, rest: str) -> Answer | None:
    if rest not in _PIECES:
        return None
    pieces = _PIECES[rest]
    return replace(page(site, f"/slow/{rest}"), delay=SLOW / pieces, pieces=pieces)


FEATURE = Feature("slow", entries, answer)
