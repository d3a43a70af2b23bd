"""Pages slower than a crawler's time limit; a web has them only when asked: extras=("timeout",)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.web.answers import Answer, Link, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site

HANG = 30.0
"""Seconds before a page's first byte; the truth takes it that the crawler's limit is shorter."""

DRIP = 0.3
"""Seconds between two pieces of a page that is never silent for long, but takes for ever."""


def _late(site: Site, name: str) -> Answer:
    return replace(page(site, f"/timeout/{name}"), outcome="failed", links=())


def entries(site: Site) -> Iterator[Link]:
    for name in ("silent", "drip"):
        yield link(site.url(f"/timeout/{name}"))


def answer(site: Site, rest: str) -> Answer | None:
    if rest == "silent":
        return replace(_late(site, rest), delay=HANG)
    if rest == "drip":
        return replace(_late(site, rest), delay=DRIP, pieces=int(HANG / DRIP))
    return None


FEATURE = Feature("timeout", entries, answer)
