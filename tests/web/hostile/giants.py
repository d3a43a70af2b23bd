"""Hosts that are asked for by name: pages of many megabytes, and more slow pages than time."""

from __future__ import annotations

from collections.abc import Callable

from tests.web.hostile.case import OK, TIMEOUT, Case, Family, Play
from tests.web.hostile.heads import silence
from tests.web.hostile.wire import Wire


def _giant(make: Callable[[], bytes]) -> Play:
    async def play(wire: Wire) -> None:
        await wire.page(make())

    return play


GIANTS = Family(
    "giants",
    (
        Case("/links", OK, _giant(lambda: b"".join(b"<a href=%d>" % n for n in range(500_000)))),
        Case("/nested", OK, _giant(lambda: b"<div>" * 1_500_000)),
        Case("/lists", OK, _giant(lambda: b"<ul><li>" * 900_000)),
        Case("/attributes", OK, _giant(lambda: b"<p " + b" a=1" * 1_500_000)),
        Case("/wide", OK, _giant(lambda: "<p>\U0001f600".encode() + b"word " * 1_400_000)),
    ),
)
SLOW = Family("slow", [Case(f"/{number}", TIMEOUT, silence) for number in range(30)])
