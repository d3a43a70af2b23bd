"""A crawl's manners, judged by the web's own access log: 64 threads, a delay, and all that tempts a
crawler to ask at once: redirects, retries, a Crawl-delay, connections that die.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests import crawling
from tests.crawling import Request
from tests.web import Web, loopback, serve
from tests.web.robots import DELAY as CRAWL_DELAY_SECONDS
from tests.web.site import CRAWL_DELAY, UNREACHABLE

DELAY = 0.1
RETRIES = 1
LATE = 0.05
"""Seconds: the server notes an answer's end when it has sent it; the client may have it before."""
PARTS = "/plain/|/redirects/|/statuses/(4|$)|/slow/|/broken/(closed|reset|500|$)|[0-9]/$"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """The web, and what it was asked in one crawl, each host's requests by their start."""
    folder = tmp_path_factory.mktemp("polite")
    log = folder / "access.log"
    words = ["--threads", "64", "--delay", str(DELAY), "--retries", str(RETRIES), "--depth", "3"]
    with serve(Web(hosts=loopback(16), degree=1, depth=1, port=0), log=log) as web:
        code, said = crawling.crawl(folder / "root", *words, "--include", PARTS, *web.seeds)
    assert code == 0, said
    return web, crawling.by_host(crawling.requests(log))


@pytest.fixture
def asked(crawled) -> dict[str, list[Request]]:
    return crawled[1]


def pauses(mine: list[Request], paths: str = "") -> list[float]:
    """Seconds from the end of each answer to the next request's start, where `paths` was first."""
    return [
        after.start - before.end
        for before, after in pairwise(mine)
        if before.path.startswith(paths)
    ]


def died(before: Request, after: Request) -> bool:
    """Whether a kept connection ended without an answer, so that the request went out anew.

    RFC 9112, 9.3.1: to a client it looks as if the server had closed it before the request came.
    """
    anew = before.connection != after.connection
    return anew and before.path == after.path and before.status == 0


@pytest.mark.slow
def test_no_host_is_asked_before_the_delay_is_over(asked) -> None:
    shortest = {host: min(pauses(mine)) for host, mine in asked.items() if len(mine) > 1}
    assert len(shortest) > 10
    assert {host: pause for host, pause in shortest.items() if pause < DELAY - LATE} == {}


@pytest.mark.slow
def test_hosts_are_asked_side_by_side(asked) -> None:
    """Else the pauses would say nothing about 64 threads."""
    everything = sorted(request for mine in asked.values() for request in mine)
    switches = sum(a.host != b.host for a, b in pairwise(everything))
    assert switches > len(everything) / 2


@pytest.mark.slow
def test_robots_txt_comes_first_on_every_host(crawled) -> None:
    web, asked = crawled
    assert asked.keys() == set(web.hosts)
    assert {mine[0].path for mine in asked.values()} == {"/robots.txt"}
    unreachable = [host for number, host in enumerate(web.hosts) if number % 8 == UNREACHABLE]
    assert {x.path for host in unreachable for x in asked[host]} == {"/robots.txt"}


@pytest.mark.slow
def test_a_crawl_delay_is_kept(crawled) -> None:
    web, asked = crawled
    slow = [host for number, host in enumerate(web.hosts) if number % 8 == CRAWL_DELAY]
    waited = [pause for host in slow for pause in pauses(asked[host])]
    assert len(waited) > 2 and min(waited) >= CRAWL_DELAY_SECONDS - LATE


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/redirects/", "/broken/", "/statuses/", "/slow/"])
def test_what_tempts_to_ask_at_once_does_not(asked, path) -> None:
    waited = [pause for mine in asked.values() for pause in pauses(mine, path)]
    assert len(waited) > 1 and min(waited) >= DELAY - LATE


@pytest.mark.slow
def test_failures_are_tried_again_later(asked) -> None:
    tries = Counter((x.host, x.path) for mine in asked.values() for x in mine)
    assert {n for (_, path), n in tries.items() if path == "/broken/500"} == {1 + RETRIES}
    together = [a.path for mine in asked.values() for a, b in pairwise(mine) if a.path == b.path]
    assert set(together) <= {"/robots.txt", "/broken/closed", "/broken/reset"}


@pytest.mark.slow
def test_a_connection_that_dies_is_replaced_once(asked) -> None:
    dead = [
        (before.path, after.path)
        for mine in asked.values()
        for before, after, last in zip(mine, mine[1:], mine[2:], strict=False)
        if died(before, after) and died(after, last)
    ]
    assert dead == []
    assert any(died(a, b) for mine in asked.values() for a, b in pairwise(mine))
