"""The robots.txt of each host: what is sent, and which paths it denies to the product `layercrawl`.

What is denied is written down by hand beside the rules, so that no robots parser judges another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.web import sitemaps
from tests.web.answers import Answer, failure
from tests.web.site import CRAWL_DELAY, UNREACHABLE, Site

DELAY = 0.2
"""Seconds between two requests that the Crawl-delay host asks for."""

MOVED = "/robots-moved.txt"

_RULES = """\
# A part is closed, with exceptions.
User-agent: *
Disallow: /rules/private/
Allow: /rules/private/open/
Disallow: /rules/*/print$
"""
_NAMED = """\
\ufeffUser-agent: otherbot
Disallow: /

User-agent: LayerCrawl
Disallow: /rules/private/

User-agent: *
Disallow: /
"""


def _by_rules(path: str) -> bool:
    if path.startswith("/rules/private/"):
        return not path.startswith("/rules/private/open/")
    return path.startswith("/rules/") and path.count("/") > 2 and path.endswith("/print")


def _by_name(path: str) -> bool:
    return path.startswith("/rules/private/")


def _nothing(path: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Robots:
    """`answer` of /robots.txt (`moved`: of the file it redirects to), and what it `denies`."""

    answer: Answer
    denies: Callable[[str], bool] = _nothing
    moved: Answer | None = None


def _file(rules: str) -> Answer:
    return Answer("ok", 200, (("Content-Type", "text/plain"),), rules.encode())


_FREE = Robots(_file("User-agent: *\nDisallow:\n"))
_PLACES: dict[int, Robots] = {
    0: _FREE,
    1: Robots(_file(_RULES), _by_rules),
    2: Robots(failure("gone", 404)),
    UNREACHABLE: Robots(failure("failed", 503)),
    CRAWL_DELAY: Robots(_file(f"User-agent: *\nCrawl-delay: {DELAY}\n")),
    5: Robots(Answer("redirect", 301, (("Location", MOVED),)), _by_rules, _file(_RULES)),
    6: Robots(_file(_NAMED), _by_name),
    7: Robots(failure("denied", 403)),
}
WITH_RULES = tuple(place for place, robots in _PLACES.items() if robots.denies is not _nothing)


def of(site: Site) -> Robots:
    """The robots.txt of a host, by its place in the group."""
    found = _PLACES[site.place]
    named = sitemaps.lines(site).encode()
    return replace(found, answer=replace(found.answer, body=found.answer.body + named))
