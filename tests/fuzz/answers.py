"""HTTP answers: whatever bytes a server sends become a Page, within time and memory.

The first byte of an input says what the others are: what a server on loopback sends, and how; an
answer read without a server; or a body under content codings.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import socket
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.client import HTTPException
from typing import Any, get_args
from unittest.mock import patch

import brotli
import zstandard

from layercrawl import codings, fetch, outlinks, records, urls
from layercrawl.config import Config
from layercrawl.fetch import Fetcher, connection, heads
from layercrawl.records import Outcome, Page, Target
from layercrawl.rules import Rules
from tests.fuzz import samples

SKIPPED = ""
TOKENS = (
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 302 Found\r\n", b"HTTP/1.1 100 Continue\r\n\r\n",
    b"\r\n\r\n",
    b"HTTP/1.1 304\r\n", b"HTTP/1.1 101 \r\n", b"Content-Length: ", b"Location: ", b"\r\n", b"\n",
    b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n", b"Content-Encoding: br, ",
    b"Content-Type: text/html\r\n", b"Connection: close\r\n", b"Connection: keep-alive\r\n",
    b"0\r\n\r\n", b"5;x=y\r\nabcde\r\n", b"-1\r\n", b"FFFFFFFFFFFFFFF\r\n",
    b"X-Robots-Tag: none\r\n",
    b"Retry-After: 120\r\n", b" ", b"\t", b":", b";", b",", b"//", b"http://b.example/", b"#f",
    b"https://b.example/", b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18",
)  # fmt: skip
_HEADERS = ("gzip", "deflate", "br", "zstd", "gzip, br", "zstd, zstd, gzip", "identity", "x, gzip")
_MAX_BYTES = 100_000
_MOST_DECODED = 1 << 22
_READ, _CODED = 0x80, 0xC0  # the first bytes from which on an input is not sent
_KEPT, _LEFT_OPEN = 7, 0x70
_PATIENCE = 0.01  # seconds that the server waits for another request


def seeds() -> list[bytes]:
    sent = [samples.octets(text) for text in samples.cases("fetch", "sent")]
    sent += [samples.octets(text) for text in samples.cases("heads", "sent")]
    sent += [a.head() + a.payload() for a in samples.web_answers(3000) if not a.delay]
    page = b"<p>a page</p>" * 20
    packed = [gzip.compress(page, mtime=0), zlib.compress(page), brotli.compress(page)]
    packed += [zstandard.compress(page), zlib.compress(page)[2:-4]]
    packed += [brotli.compress(packed[0]), gzip.compress(zstandard.compress(packed[3]), mtime=0)]
    return [
        *(bytes((number % 8,)) + data for number, data in enumerate(sent)),
        bytes((_LEFT_OPEN,)) + sent[0],
        *(bytes((_READ,)) + data for data in sent),
        *(bytes((_CODED + number,)) + data for number in range(8) for data in packed),
    ]


def target(data: bytes) -> None:
    kind, data = (data[0], data[1:]) if data else (0, b"")
    if kind >= _CODED:
        _decoded(data, _HEADERS[kind % len(_HEADERS)])
    elif kind >= _READ:
        _read(data)
    else:
        _asked(data, kind)


class _Server:
    """Says the same to everyone: `said` in `pieces`; a connection may be kept or left open."""

    def __init__(self) -> None:
        self.said, self.pieces, self.kept, self.left_open = b"", 1, False, False
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.address = self._listening.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            plug, _ = self._listening.accept()
            threading.Thread(target=self._talk, args=(plug,), daemon=True).start()

    def _talk(self, plug: socket.socket) -> None:
        with suppress(OSError), plug:
            said, size, kept = self.said, len(self.said) // self.pieces + 1, self.kept
            while plug.recv(65536):
                plug.settimeout(_PATIENCE)
                for start in range(0, len(said), size):
                    plug.sendall(said[start : start + size])
                if self.left_open:
                    plug.settimeout(10)
                if not kept and not self.left_open:
                    break


@cache
def _server() -> _Server:
    return _Server()


@contextmanager
def _nowhere_else(server: _Server) -> Iterator[None]:
    """All connections lead to the server, wherever a redirect points to."""
    address = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", server.address)
    with (
        patch.object(connection._Guarded, "_addresses", lambda *_: [address]),
        patch.object(fetch, "_proxies", lambda origin: {}),
    ):
        yield


def _asked(data: bytes, kind: int) -> None:
    server = _server()
    server.said, server.pieces = data, (1, 2, 7, len(data) % 97 + 1)[kind & 3]
    server.kept, server.left_open = kind & _KEPT == _KEPT, kind & _LEFT_OPEN == _LEFT_OPEN
    timeout = 0.2 if server.left_open else 2.0
    fetcher = Fetcher(
        Config(timeout=timeout, max_bytes=_MAX_BYTES, allow_private=True), frozenset()
    )
    with _nowhere_else(server):
        for _ in range(2):  # the second may go over a connection that was kept
            page = fetcher.page("http://a.example/d/p", Target())
            _check(page, timeout, _MAX_BYTES)
        robots = fetcher.robots("http://a.example/robots.txt", Target(kind="robots"))
    _check(robots, timeout, fetch.ROBOTS_BYTES)
    fetcher._adapter.close()


def _check(page: Page, timeout: float, most: int) -> None:
    assert page.outcome in get_args(Outcome)
    assert bool(page.reason) is (page.outcome not in ("ok", "redirect")), page
    assert page.elapsed < timeout + 1
    line = records.encode("http://a.example/d/p", page)
    assert b"\n" not in line and b"\r" not in line and line.count(b"\t") == 1
    assert records.decode(line, Page)[1] == page
    assert page.outcome != "redirect" or urls.normalise(page.location) == page.location
    if page.outcome == "ok":
        body = page.body()
        assert len(body) <= most and hashlib.sha256(body).hexdigest() == page.digest
    found = outlinks.outlinks("http://a.example/d/p", page, Rules("any"), "layercrawl")
    records.encode("http://a.example/d/p", found)


_PIECE = 1 << 16
"""Bytes read at a time, as by the crawler: else it were as many as a chunk claims to have."""


class _Plug:
    """A socket with all of its bytes there."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, *_: Any, **__: Any) -> io.BytesIO:
        return io.BytesIO(self._data)

    def gettimeout(self) -> float:
        return 10.0

    def settimeout(self, seconds: float) -> None:
        assert seconds > 0


def _read(data: bytes) -> None:
    answer = heads.Answer(_Plug(data), method="GET")  # type: ignore[arg-type]
    try:
        answer.begin()
        declared = answer.length
        body = b"".join(iter(lambda: answer.read(_PIECE), b""))
    except HTTPException:
        return
    assert 100 <= answer.status <= 999 and answer.version in (10, 11)
    assert (
        answer.chunked or declared is None or len(body) <= declared
    )  # what is short is for urllib3
    assert len(body) <= len(data)
    assert not any(set(name + value) & set("\r\n") for name, value in answer.headers.items())


def _decoded(data: bytes, header: str) -> None:
    whole = _undone([data], header)
    assert whole == _undone([data[at : at + 97] for at in range(0, len(data), 97)], header)
    assert whole == _undone([data[:1], b"", data[1:]], header)
    if header == "gzip" and not whole[1]:
        inflate = zlib.decompressobj(31)
        expected = inflate.decompress(data, _MOST_DECODED)
        assert whole[0][: len(expected)] == expected[: len(whole[0])]


def _undone(chunks: list[bytes], header: str) -> tuple[bytes, str]:
    """The decoded bytes, and the error that ends them; of endless ones the beginning."""
    pieces, size = [], 0
    try:
        for piece in codings.decoded(chunks, header):
            assert len(piece) <= codings.PIECE
            pieces.append(piece)
            size += len(piece)
            if size > _MOST_DECODED:
                return b"".join(pieces)[:_MOST_DECODED], ""
    except codings.BrokenCoding as error:
        return b"", str(error)
    return b"".join(pieces), ""
