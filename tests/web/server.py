"""The server: HTTP/1.1 with keep-alive over asyncio, and a log of every request."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import struct
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TextIO

from tests.web.answers import Answer, failure
from tests.web.web import Web

Respond = Callable[[str, str], tuple[Answer, bytes]]
"""Host and path → the answer, and its head in bytes."""

_CACHED = 1024
_LONGEST_HEAD = 65536
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Request:
    """The head of a request, as far as it matters here."""

    method: str
    path: str
    host: str
    agent: str
    closes: bool


def parse(head: bytes) -> Request:
    """Raises ValueError when it is no HTTP request.

    >>> parse(b"GET /a HTTP/1.1\\r\\nHost: A.test:80\\r\\nUser-Agent: me")
    Request(method='GET', path='/a', host='a.test', agent='me', closes=False)
    """
    first, *lines = head.decode("utf-8", "backslashreplace").split("\r\n")
    method, path, version = first.split(" ")
    fields = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    closes = fields.get("connection", "").lower() == "close" or version == "HTTP/1.0"
    host = fields.get("host", "").partition(":")[0].lower()
    return Request(method, path, host, fields.get("user-agent", ""), closes)


class Connection(asyncio.Protocol):
    """One connection: requests are answered one after another, in order."""

    def __init__(self, respond: Respond, log: TextIO | None) -> None:
        self._respond, self._log = respond, log
        self._buffer = b""
        self._busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._peer: int = transport.get_extra_info("peername")[1]

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while not self._busy and b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            self._answer(head)
        if len(self._buffer) > _LONGEST_HEAD:
            self._transport.close()

    def _answer(self, head: bytes) -> None:
        start = time.monotonic()
        try:
            request = parse(head)
        except ValueError:
            request = Request("GET", "", "", "", True)
        answer, sent = self._respond(request.host, request.path)
        payload = b"" if request.method == "HEAD" else answer.payload()
        self._busy = True
        pieces = [sent, payload] if answer.pieces == 1 else _cut(sent + payload, answer.pieces)
        self._send(request, answer, start, deque(pieces))

    def _send(self, request: Request, answer: Answer, start: float, rest: deque[bytes]) -> None:
        """Writes the pieces, each after the answer's delay."""
        if answer.delay and rest and not self._transport.is_closing():
            loop = asyncio.get_running_loop()
            loop.call_later(answer.delay, self._piece, request, answer, start, rest)
            return
        # not writelines: that of CPython 3.12.1 waits for ever on an empty piece
        self._transport.write(b"".join(rest))
        self._done(request, answer, start)

    def _piece(self, request: Request, answer: Answer, start: float, rest: deque[bytes]) -> None:
        self._transport.write(rest.popleft())
        self._send(request, answer, start, rest)

    def _done(self, request: Request, answer: Answer, start: float) -> None:
        self._write_log(request, answer, start)
        self._busy = False
        if answer.reset:
            plug = self._transport.get_extra_info("socket")
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        if request.closes or answer.raw is not None:
            self._busy = True
            self._transport.close()
        elif answer.delay:
            self.data_received(b"")

    def _write_log(self, request: Request, answer: Answer, start: float) -> None:
        if self._log is None:
            return
        line = {
            "host": request.host,
            "path": request.path,
            "method": request.method,
            "start": start,
            "end": time.monotonic(),
            "connection": self._peer,
            "status": answer.status,
            "agent": request.agent,
        }
        self._log.write(json.dumps(line) + "\n")


def _cut(message: bytes, count: int) -> list[bytes]:
    """`message` in at most `count` pieces of like size."""
    size = -(-len(message) // count)
    return [message[start : start + size] for start in range(0, len(message), size)]


async def answer_all(
    web: Web, sockets: Sequence[socket.socket], log: TextIO | None, parent: int | None = None
) -> None:
    """Serves until SIGTERM, SIGINT or, if given, the end of the pipe from the parent process."""

    @lru_cache(_CACHED)
    def respond(host: str, path: str) -> tuple[Answer, bytes]:
        answer = web.answer(host, path) if path.startswith("/") else failure("refused", 400)
        return answer, answer.head()

    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if parent is not None:
        loop.add_reader(parent, stop.set)
    servers = [
        await loop.create_server(lambda: Connection(respond, log), sock=one) for one in sockets
    ]
    await stop.wait()
    for server in servers:
        server.close()
