"""What a hostile server holds while it plays: the request, and the way to the one who asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

MOST = 64 << 20
"""Bytes after which even what is endless ends."""
LONGEST = 30.0
"""Seconds after which it does."""
PAUSE = 0.2
"""Seconds between the bytes of what drips."""


@dataclass
class Wire:
    """One request, for `path` at `host`, and the connection that waits for its answer.

    `keeps`, once set, leaves the connection open for the next request. ConnectionError ends the
    play where the other side has gone.
    """

    host: str
    path: str
    port: int
    fields: dict[str, str]
    writer: asyncio.StreamWriter
    keeps: bool = False
    status: int = 0
    began: float = field(default_factory=time.monotonic)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def page(self, body: bytes = b"<p>A page.", *lines: str, status: int = 200) -> None:
        """A good answer, but for what `lines` say."""
        self.status = status
        length = f"Content-Length: {len(body)}"
        await self.send(head(status, "Content-Type: text/html; charset=utf-8", length, *lines))
        await self.send(body)
        self.keeps = True

    async def flood(self, pieces: Iterable[bytes]) -> None:
        """One piece after another, until enough has been sent."""
        sent = 0
        for piece in pieces:
            await self.send(piece)
            sent += len(piece)
            if sent > MOST or time.monotonic() - self.began > LONGEST:
                return

    async def drip(self, pieces: Iterable[bytes]) -> None:
        """A byte now and then."""
        for byte in (bytes([byte]) for piece in pieces for byte in piece):
            await self.send(byte)
            await asyncio.sleep(PAUSE)
            if time.monotonic() - self.began > LONGEST:
                return

    async def silence(self) -> None:
        """Nothing, for as long as the other side waits."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end and not self.writer.transport.is_closing():
            await asyncio.sleep(0.1)


def head(status: int, *lines: str) -> bytes:
    """Status line and header lines, in Latin-1."""
    return "\r\n".join([f"HTTP/1.1 {status} Odd", *lines, "", ""]).encode("latin-1")
