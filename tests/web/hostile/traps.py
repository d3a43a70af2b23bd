"""Traps: hosts that always have one more page."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from urllib.parse import parse_qsl, urlencode

from tests.web.hostile.case import Family, Play
from tests.web.hostile.wire import Wire

_numbers = itertools.count()


def _links(links: Callable[[str], Iterable[str]]) -> Play:
    async def play(wire: Wire) -> None:
        anchors = "".join(f'<a href="{link}">more</a> ' for link in links(wire.path))
        await wire.page(f"<title>{wire.path}</title>{anchors}".encode())

    return play


def calendar(path: str) -> Iterable[str]:
    """The months before and after, for ever."""
    month = int(path.rpartition("/")[2] or 24_000)
    return [f"/month/{month + step}" for step in (-1, 1)]


def deeper(path: str) -> Iterable[str]:
    """Relative links that wind themselves up, and folders that have ever new names."""
    return ["more/", f"{len(path)}/"]


def sessions(path: str) -> Iterable[str]:
    """The same pages under a new session with each request."""
    return [f"/page-{number}?sid={next(_numbers):032x}" for number in range(3)]


def filters(path: str) -> Iterable[str]:
    """Every set of filters, in any order."""
    chosen = parse_qsl(path.partition("?")[2])
    for name in ("colour", "size", "sort", "page"):
        yield "/list?" + urlencode([*chosen, (name, str(len(chosen)))])


def soft_404(path: str) -> Iterable[str]:
    """200 for everything, and links to what was never there."""
    return [f"/missing-{next(_numbers)}.html" for _ in range(5)]


TRAPS = tuple(
    Family(f"trap-{name}", opening=_links(links), other=_links(links))
    for name, links in {
        "calendar": calendar,
        "deeper": deeper,
        "sessions": sessions,
        "filters": filters,
        "soft-404": soft_404,
    }.items()
)
