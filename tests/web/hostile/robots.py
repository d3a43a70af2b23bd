"""robots.txt as a weapon: slow, endless, in loops, failing, huge."""

from __future__ import annotations

import asyncio
import gzip
from itertools import repeat

from tests.web.hostile.case import OK, Family, Play, Told
from tests.web.hostile.heads import raw, silence
from tests.web.hostile.redirects import page, to
from tests.web.hostile.wire import Wire, head

_TEXT = "Content-Type: text/plain"
UNREACHABLE = Told("deferred", "robots.txt unreachable")


async def drip(wire: Wire) -> None:
    await wire.send(head(200, _TEXT))
    await wire.drip(repeat(b"User-agent: *\nDisallow: /a\n"))


async def drip_head(wire: Wire) -> None:
    await wire.drip(repeat(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000))


async def endless(wire: Wire) -> None:
    await wire.send(head(200, _TEXT))
    await wire.flood(repeat(b"User-agent: *\nDisallow: /closed/\n" * 1000))


async def huge(wire: Wire) -> None:
    """As much as is read of it, all of it rules, on a host that is to be asked seldom."""
    rules = b"".join(b"Disallow:/c%d\n" % number for number in range(26_000))
    await wire.page(b"User-agent: *\nCrawl-delay: 1\n" + rules)


async def bomb(wire: Wire) -> None:
    rules = gzip.compress(b"User-agent: *\nDisallow: /closed/\n" * 300_000) * 100
    await wire.page(rules, "Content-Encoding: gzip")


async def slow_redirects(wire: Wire) -> None:
    """Redirects that all come in time, and together do not."""
    await asyncio.sleep(1.2)
    await to(wire.path.replace(".txt", "-.txt"))(wire)


def _family(name: str, play: Play, front: Told) -> Family:
    return Family(f"robots-{name}", front=front, robots=play, other=page)


ROBOTS = (
    _family("drip", drip, UNREACHABLE),
    _family("drip-head", drip_head, UNREACHABLE),
    _family("silent", silence, UNREACHABLE),
    _family("garbage", raw(b"\0\1\2\3" * 999), UNREACHABLE),
    _family("500", raw(head(500)), UNREACHABLE),
    _family("503", raw(head(503, "Retry-After: 999999999")), Told(
        "deferred", "host asked to retry later")),
    _family("429", raw(head(429, "Retry-After: -5")), UNREACHABLE),
    _family("reset", raw(), UNREACHABLE),
    _family("loop", to("/robots.txt"), OK),
    _family("elsewhere", to("ftp://a.test/robots.txt"), OK),
    _family("endless", endless, OK),
    _family("huge", huge, OK),
    _family("bomb", bomb, OK),
    _family("forever", raw(head(200), b"User-agent: *\nCrawl-delay: 99999\n"), Told(
        "denied", "robots.txt: Crawl-delay of 86400 s is over 120 s")),
    Family("robots-slow-hops", front=UNREACHABLE, robots=slow_redirects, other=slow_redirects),
)  # fmt: skip
