"""The truth: what a right crawl of the web finds, by breadth-first search over declared links.

It knows the crawler's rules (robots, redirects, depth, scope) but no URL, HTML or robots parser:
every link says itself what it means.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

from tests.web import robots
from tests.web import sitemaps as site_maps
from tests.web.answers import Answer
from tests.web.features.bodies import HUGE
from tests.web.features.redirects import LIMIT
from tests.web.site import UNREACHABLE, Site

if TYPE_CHECKING:
    from tests.web.web import Web

Scope = Literal["host", "site", "any"]

_SUFFIXES = PublicSuffixList()


@dataclass(frozen=True, slots=True)
class Fact:
    """What is true of a URL.

    `distance` is in links from the seeds (a redirect's target has that of the redirect), `outcome`
    one of ok, redirect, gone, denied, refused, failed, deferred; for ok pages `digest` is the
    SHA-256 (hex) of the body, content codings undone and cut to HUGE bytes if `truncated`, and
    `encoding` the WHATWG name of the page's encoding where the standard leaves no choice.
    """

    distance: int
    outcome: str
    digest: str = ""
    truncated: bool = False
    encoding: str = ""


_Waiting = tuple[int, int, str]
"""Distance, hops so far, URL: a heap of them yields the shortest way to each URL first."""


def crawl(
    web: Web, depth: int, scope: Scope, include_robots: bool, sitemaps: bool
) -> dict[str, Fact]:
    """The facts of every URL that a crawl of link distances 0..`depth` answers.

    With `sitemaps`, what those of the seeds' hosts list is at distance 1.
    """
    inside = {_zone(seed, scope) for seed in web.seeds}
    waiting: list[_Waiting] = [(0, 0, seed) for seed in web.seeds]
    if sitemaps and depth > 0:
        sites = (Site(web, index) for index in range(len(web.hosts)))
        waiting += [(1, 0, url) for site in sites for url in site_maps.listed(site)]
        heapq.heapify(waiting)
    facts: dict[str, Fact] = {}
    while waiting:
        distance, hops, url = heapq.heappop(waiting)
        if url in facts or _zone(url, scope) not in inside:
            continue
        answer = _visit(web, url, hops)
        facts[url] = _fact(distance, answer)
        for way in _ways_on(answer, distance, hops):
            if way[0] <= depth:
                heapq.heappush(waiting, way)
    return {**facts, **_robots_facts(web, facts)} if include_robots else facts


def _zone(url: str, scope: Scope) -> str:
    """What two URLs of one scope have in common."""
    host = urlsplit(url).hostname or ""
    if scope == "any":
        return ""
    if scope == "host" or host.replace(".", "").isdigit():
        return host
    return _SUFFIXES.privatesuffix(host) or host


def _visit(web: Web, url: str, hops: int) -> Answer:
    """The answer as the crawler records it: robots.txt asked first, redirects limited."""
    parts = url.split("/", 3)
    host, path = parts[2].partition(":")[0], f"/{parts[3]}"
    site = Site(web, web.hosts.index(host))
    if site.place == UNREACHABLE:
        return Answer("deferred", 0)
    if robots.of(site).denies(path):
        return Answer("denied", 0)
    answer = web.answer(host, path)
    if answer.outcome == "redirect" and hops >= LIMIT:
        return Answer("refused", answer.status)
    return answer


def _ways_on(answer: Answer, distance: int, hops: int) -> Iterator[_Waiting]:
    if answer.outcome == "redirect" and answer.target:
        yield distance, hops + 1, answer.target
    if answer.outcome == "ok":
        for link in answer.links:
            if link.to is not None and link.form != "moved":
                yield distance + 1, 0, link.to
            elif link.to is not None and hops < LIMIT:
                yield distance, hops + 1, link.to


def _fact(distance: int, answer: Answer) -> Fact:
    if answer.outcome != "ok":
        return Fact(distance, answer.outcome)
    digest = hashlib.sha256(answer.body[:HUGE]).hexdigest()
    truncated = len(answer.body) > HUGE
    return Fact(distance, "ok", digest, truncated, answer.encoding)


def _robots_facts(web: Web, facts: dict[str, Fact]) -> dict[str, Fact]:
    """The robots.txt of every host that was met, at the least distance of its URLs."""
    nearest: dict[str, int] = {}
    for url, fact in facts.items():
        host = urlsplit(url).hostname or ""
        nearest[host] = min(fact.distance, nearest.get(host, fact.distance))
    found = {}
    for host, distance in nearest.items():
        site = Site(web, web.hosts.index(host))
        own = robots.of(site)
        found[site.url("/robots.txt")] = _fact(distance, own.moved or own.answer)
    return found
