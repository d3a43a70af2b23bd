"""Paths that some hosts' robots.txt denies, with exceptions (the rules: `tests.web.robots`)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.web.answers import Answer, Link, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site

_PAGES = (
    "private/",
    "private/letter",
    "private/open/",
    "private/open/letter",
    "private/open",
    "privately",
    "2024/print",
    "2024/print?page=2",
    "public",
)


def entries(site: Site) -> Iterator[Link]:
    for rest in _PAGES:
        yield link(site.url(f"/rules/{rest}"))


def answer(site: Site, rest: str) -> Answer | None:
    """Closed pages answer too, with a link that must never be seen."""
    if rest not in _PAGES:
        return None
    links = [link(site.url("/rules/public"))]
    if rest == "private/letter" or rest == "private/":
        links.append(link(site.url(f"/unseen/{rest}")))
    return page(site, f"/rules/{rest}", links)


FEATURE = Feature("rules", entries, answer)
