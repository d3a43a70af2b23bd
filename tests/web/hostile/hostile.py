"""The hostile web: its hosts, what a right crawler says of each URL, and its server."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from tests.web import serving
from tests.web.hostile.bodies import BODIES, CODINGS
from tests.web.hostile.case import Family, Told
from tests.web.hostile.giants import GIANTS, SLOW
from tests.web.hostile.heads import HEADS
from tests.web.hostile.redirects import GUEST, LURE, NAMES, REDIRECTS
from tests.web.hostile.robots import ROBOTS
from tests.web.hostile.traps import TRAPS
from tests.web.hostile.wire import Wire

_USUAL = (HEADS, BODIES, CODINGS, REDIRECTS, LURE, NAMES, *ROBOTS, *TRAPS)
FAMILIES = {family.name: family for family in (*_USUAL, GIANTS, SLOW)}
USUAL = tuple(family.name for family in _USUAL)
_CHILD = "from tests.web.hostile.hostile import child; child()"
_LONGEST_HEAD = 1 << 16


@dataclass(frozen=True)
class Hostile:
    """Hosts NAME.`domain`, one for each family named; `port` 0 until it is served.

    Requests for other hosts are answered too: with a page, and no robots.txt.
    """

    domain: str
    port: int = 0
    names: tuple[str, ...] = USUAL

    def url(self, name: str, path: str = "/") -> str:
        """The URL of a path at the host of a family; one in full is only given the port."""
        if path.startswith("http"):
            return path.replace("{port}", str(self.port))
        return f"http://{name}.{self.domain}:{self.port}{path}"

    @property
    def seeds(self) -> list[str]:
        """The front page of each host."""
        return [self.url(name) for name in self.names]

    def expected(self) -> dict[str, Told]:
        """What a right crawler records of each URL, but for what lies in traps."""
        found = {}
        for name in self.names:
            family = FAMILIES[name]
            told = {"/": family.front, **{case.path: case.told for case in family.cases}}
            found.update({self.url(name, path): x for path, x in (told | family.also).items()})
        return found

    async def answer(self, wire: Wire) -> None:
        """Play one request; whoever sends cookies is told so."""
        family = FAMILIES.get(wire.host.partition(".")[0], GUEST)
        play = family.opening if wire.path == "/" else family.playing(wire.path)
        if "cookie" in wire.fields:
            await wire.page(b"No cookie was to be sent.", status=499)
        elif wire.path == "/" and not play:
            await wire.page(_front(family))
        elif play:
            await play(wire)
        else:
            await wire.page(b"<p>Nothing is here.", status=404)


def _front(family: Family) -> bytes:
    links = [case.path for case in family.cases if case.linked]
    return "".join(f'<a href="{path}">{path}</a>\n' for path in links).encode()


async def _talk(
    web: Hostile, log: TextIO | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    keeps = True
    with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
        while keeps:
            wire = _request(await reader.readuntil(b"\r\n\r\n"), web.port, writer)
            try:
                await web.answer(wire)
            finally:
                _note(wire, log)
            keeps = wire.keeps
    writer.close()


def _request(head: bytes, port: int, writer: asyncio.StreamWriter) -> Wire:
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    host = fields.get("host", "").rpartition(":")[0]
    return Wire(host, first.split(" ")[1], port, fields, writer)


def _note(wire: Wire, log: TextIO | None) -> None:
    line = {
        "host": wire.host, "path": wire.path, "method": "GET", "start": wire.began,
        "end": time.monotonic(), "connection": wire.writer.get_extra_info("peername")[1],
        "status": wire.status, "agent": wire.fields.get("user-agent", ""),
    }  # fmt: skip
    if log:
        log.write(json.dumps(line) + "\n")


async def _answer_all(web: Hostile, sockets: list[socket.socket], log: TextIO | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_reader(sys.stdin.fileno(), stop.set)
    for one in sockets:
        await asyncio.start_server(
            lambda reader, writer: _talk(web, log, reader, writer), sock=one, limit=_LONGEST_HEAD
        )
    await stop.wait()


@contextmanager
def serve(web: Hostile, log: Path | None = None) -> Iterator[Hostile]:
    """Serves `web` on loopback, IPv6 too where there is one; yields it with its port.

    The server is a process of its own, which ends with the block, or with this process.
    """
    sockets = [socket.create_server(("127.0.0.1", web.port), backlog=512)]
    web = replace(web, port=sockets[0].getsockname()[1])
    with suppress(OSError):
        sockets.append(socket.create_server(("::1", web.port), family=socket.AF_INET6))
    with serving.beside(_CHILD, web, sockets, log):
        yield web


def child() -> None:
    """The process that `serve` starts."""
    web, sockets, log = serving.inherited()
    with open(log or "/dev/null", "a", buffering=1) as file:
        asyncio.run(_answer_all(web, sockets, file))
