"""Heads of answers: slow ones, huge ones, and bytes that are none."""

from __future__ import annotations

import socket
import struct
from itertools import repeat

from tests.web.hostile.case import BROKEN, OK, TIMEOUT, Case, Family, Play, Told, refused
from tests.web.hostile.wire import Wire, head

_START = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_BODY = b"Content-Length: 3\r\n\r\n<p>"


def raw(*pieces: bytes) -> Play:
    """These bytes, and the connection's end."""

    async def play(wire: Wire) -> None:
        for piece in pieces:
            await wire.send(piece)

    return play


def status(code: int, body: bytes = b"") -> Play:
    """A status, with a body that some statuses must not have."""
    return raw(head(code, "Content-Type: text/html"), body)


async def drip(wire: Wire) -> None:
    await wire.drip(repeat(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000))


async def drip_after_the_status(wire: Wire) -> None:
    await wire.send(_START)
    await wire.drip(repeat(b"X: y\r\n"))


async def drip_interim(wire: Wire) -> None:
    await wire.drip(repeat(b"HTTP/1.1 100 Continue\r\n\r\n"))


async def endless_lines(wire: Wire) -> None:
    await wire.send(_START)
    await wire.flood(repeat(b"X-Filler: nothing at all\r\n" * 1000))


async def endless_line(wire: Wire) -> None:
    await wire.send(_START + b"X-Filler: ")
    await wire.flood(repeat(b"x" * 65536))


async def endless_interim(wire: Wire) -> None:
    await wire.flood(repeat(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" * 1000))


async def reset(wire: Wire) -> None:
    plug = wire.writer.get_extra_info("socket")
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def two_answers(wire: Wire) -> None:
    """An answer nobody asked for follows the one that was: it must not answer the next request."""
    pages = (b"<p>This was asked for.", b"<p>This was not: whoever keeps it mixes up two URLs.")
    lines = ("Content-Type: text/html", f"Content-Length: {len(pages[0])}")
    again = ("Content-Type: text/html", f"Content-Length: {len(pages[1])}")
    wire.status, wire.keeps = 200, True
    # In one piece: nobody can tell what comes later from the answer to a request that is under way.
    await wire.send(head(200, *lines) + pages[0] + head(200, *again) + pages[1])


async def silence(wire: Wire) -> None:
    await wire.silence()


HEADS = Family(
    "heads",
    (
        Case("/drip", TIMEOUT, drip),
        Case("/drip-later", TIMEOUT, drip_after_the_status),
        Case("/drip-interim", TIMEOUT, drip_interim),
        Case("/silent", TIMEOUT, silence),
        Case("/endless-lines", BROKEN, endless_lines),
        Case("/endless-line", BROKEN, endless_line),
        Case("/endless-interim", BROKEN, endless_interim),
        Case("/megabyte", BROKEN, raw(_START, b"X: " + b"x" * 1_000_000 + b"\r\n", _BODY)),
        Case("/ten-thousand-lines", BROKEN, raw(_START, b"X: x\r\n" * 10_000, _BODY)),
        Case("/interim", OK, raw(head(100), head(102), head(103), _START, _BODY)),
        Case("/http-0.9", BROKEN, raw(b"<html><p>No head at all.</html>\n")),
        Case("/garbage", BROKEN, raw(bytes(range(256)) * 40)),
        Case("/another-protocol", BROKEN, raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")),
        Case("/tls-alert", BROKEN, raw(b"\x15\x03\x03\x00\x02\x02\x46")),
        Case("/half", BROKEN, raw(_START)),
        Case("/empty", Told("failed", "closed without an answer"), raw()),
        Case("/reset", Told("failed", "connection reset"), reset),
        Case("/099", BROKEN, raw(b"HTTP/1.1 099 Odd\r\n\r\n")),
        Case("/101", Told("failed", "status 101"), status(101, b"<p>")),
        Case("/204", refused("status 204"), status(204, b"<p>A body that must not be.")),
        Case("/205", refused("status 205"), status(205, b"<p>A body that must not be.")),
        Case("/304", refused("status 304"), status(304, b"<p>A body that must not be.")),
        Case("/999", Told("failed", "status 999"), status(999)),
        Case("/twice", OK, raw(_START, b"Content-Type: text/html\r\nContent-Length: 3\r\n", _BODY)),
        Case("/two-lengths", BROKEN, raw(_START, b"Content-Length: 900\r\n", _BODY)),
        Case("/nul", OK, raw(_START, b"X-Nul: a\0b\x1b[31m\r\nX-\xc3\xa9: \xff\xfe\r\n", _BODY)),
        Case("/bare-lf", OK, raw(_START.replace(b"\r", b""), _BODY.replace(b"\r", b""))),
        Case("/no-colon", OK, raw(_START, b"no field at all\r\n: no name\r\n", _BODY)),
        Case("/cookies", OK, raw(_START, b"Set-Cookie: a=b; Path=/\r\n" * 50, _BODY)),
        Case("/two-answers", OK, two_answers),
        Case("/type", refused("type text/x-1b31m"), raw(head(200, "Content-Type: text/x-1b31m"))),
    ),
)
