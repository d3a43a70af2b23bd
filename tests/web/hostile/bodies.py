"""Bodies: slow, endless, framed wrongly, coded wrongly, and bombs."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from functools import cache
from itertools import repeat

import brotli
import zstandard

from tests.web.hostile.case import BROKEN, CUT, OK, SHORT, TIMEOUT, Case, Family, Play, Told
from tests.web.hostile.heads import raw
from tests.web.hostile.wire import Wire, head

_HTML = "Content-Type: text/html; charset=utf-8"
_CHUNKED = head(200, _HTML, "Transfer-Encoding: chunked")
_PLAIN = head(200, _HTML)
_TEXT = b"<p>" + b"A page like any other. " * 500
_CODING_BROKEN = Told("failed", "content coding broken")


def length(value: str) -> bytes:
    """A head that says how long its body is."""
    return head(200, _HTML, f"Content-Length: {value}")


async def drip(wire: Wire) -> None:
    await wire.send(_PLAIN)
    await wire.drip(repeat(b"word "))


async def drip_chunks(wire: Wire) -> None:
    await wire.send(_CHUNKED)
    await wire.drip(repeat(b"1\r\nx\r\n"))


async def drip_coded(wire: Wire) -> None:
    await wire.send(head(200, _HTML, "Content-Encoding: gzip"))
    await wire.drip([gzip.compress(_TEXT * 100)])


async def endless(wire: Wire) -> None:
    await wire.send(_PLAIN)
    await wire.flood(repeat(b"<p>" + b"word " * 13000))


async def endless_chunks(wire: Wire) -> None:
    await wire.send(_CHUNKED)
    await wire.flood(repeat(b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n"))


async def endless_size_line(wire: Wire) -> None:
    await wire.send(_CHUNKED + b"1;")
    await wire.flood(repeat(b"extension" * 7000))


async def endless_trailer(wire: Wire) -> None:
    await wire.send(_CHUNKED + b"3\r\n<p>\r\n0\r\n")
    await wire.flood(repeat(b"X-Filler: nothing at all\r\n" * 1000))


def coded(coding: str, *layers: Callable[[bytes], bytes], body: bytes = _TEXT) -> Play:
    """A body under some codings, and a header that may say otherwise."""

    async def play(wire: Wire) -> None:
        wire_body = body
        for layer in layers:
            wire_body = layer(wire_body)
        await wire.page(wire_body, f"Content-Encoding: {coding}")

    return play


def bomb(coding: str, charge: Callable[[], bytes]) -> Play:
    """Gigabytes, in some kilobytes."""

    async def play(wire: Wire) -> None:
        await wire.page(charge(), f"Content-Encoding: {coding}")

    return play


_ZEROS = b"0" * 10_000_000


@cache
def gzip_bomb() -> bytes:
    """10 GB in 10 MB: gzip's members follow each other."""
    return gzip.compress(_ZEROS) * 1000


@cache
def double_bomb() -> bytes:
    """10 GB in some 30 kB."""
    return gzip.compress(gzip_bomb())


@cache
def zstd_bomb() -> bytes:
    """10 GB in less than a megabyte."""
    return zstandard.compress(_ZEROS) * 1000


@cache
def brotli_bomb() -> bytes:
    """100 MB in less than a kilobyte."""
    return bytes(brotli.compress(_ZEROS * 10, quality=5))


@cache
def deflate_bomb() -> bytes:
    """100 MB in 100 kB."""
    return zlib.compress(_ZEROS * 10)


def bare_deflate(body: bytes) -> bytes:
    """What some servers call deflate."""
    return zlib.compress(body, wbits=-15)


BODIES = Family(
    "bodies",
    (
        Case("/drip", TIMEOUT, drip),
        Case("/drip-chunks", TIMEOUT, drip_chunks),
        Case("/drip-coded", TIMEOUT, drip_coded),
        Case("/endless", CUT, endless),
        Case("/endless-chunks", CUT, endless_chunks),
        Case("/endless-size-line", BROKEN, endless_size_line),
        Case("/endless-trailer", BROKEN, endless_trailer),
        Case("/tiny-chunks", OK, raw(_CHUNKED, b"1\r\nx\r\n" * 30_000, b"0\r\n\r\n")),
        Case("/no-last-chunk", SHORT, raw(_CHUNKED, b"3\r\n<p>\r\n")),
        Case("/half-a-chunk", SHORT, raw(_CHUNKED, b"ff\r\n<p>")),
        Case("/no-size", BROKEN, raw(_CHUNKED, b"three\r\n<p>\r\n0\r\n\r\n")),
        Case("/negative-size", BROKEN, raw(_CHUNKED, b"-3\r\n<p>\r\n0\r\n\r\n")),
        Case("/huge-size", BROKEN, raw(_CHUNKED, b"f" * 40 + b"\r\n<p>")),
        Case("/too-short", SHORT, raw(length("5000"), b"<p>Too short.")),
        Case("/too-long", OK, raw(length("3"), b"<p>" + b"Too long." * 99)),
        Case("/negative-length", OK, raw(length("-5"), b"<p>")),
        Case("/no-length", OK, raw(length("many"), b"<p>")),
        Case("/huge-length", SHORT, raw(length("9" * 30), b"<p>")),
        Case("/nothing", OK, raw(length("0"))),
    ),
)
CODINGS = Family(
    "codings",
    (
        Case("/gzip", OK, coded("gzip", gzip.compress)),
        Case("/deflate", OK, coded("deflate", zlib.compress)),
        Case("/deflate-bare", OK, coded("deflate", bare_deflate)),
        Case("/br", OK, coded("br", brotli.compress)),
        Case("/zstd", OK, coded("zstd", zstandard.compress)),
        Case("/double", OK, coded("deflate, gzip", zlib.compress, gzip.compress)),
        Case("/not-gzip", _CODING_BROKEN, coded("gzip")),
        Case("/not-deflate", _CODING_BROKEN, coded("deflate")),
        Case("/not-br", _CODING_BROKEN, coded("br")),
        Case("/not-zstd", _CODING_BROKEN, coded("zstd")),
        Case("/not-double", _CODING_BROKEN, coded("gzip, gzip", gzip.compress)),
        Case("/a-name", OK, coded("utf-8")),
        Case("/half", Told("failed", "content coding cut short"), coded(
            "gzip", gzip.compress, lambda body: body[:-40])),
        Case("/many", Told("failed", "more than 3 content codings"), coded("gzip," * 4)),
        Case("/unknown", Told("failed", r"content coding 'x\x1b[31m' unknown"), coded("x\x1b[31m")),
        Case("/bomb-gzip", CUT, bomb("gzip", gzip_bomb)),
        Case("/bomb-double", CUT, bomb("gzip, gzip", double_bomb)),
        Case("/bomb-deflate", CUT, bomb("deflate", deflate_bomb)),
        Case("/bomb-br", CUT, bomb("br", brotli_bomb)),
        Case("/bomb-zstd", CUT, bomb("zstd", zstd_bomb)),
    ),
)  # fmt: skip
