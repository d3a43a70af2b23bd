"""HTTP/1 answers read off a socket: heads read strictly and within limits, bodies within a time.

http.client takes a head that breaks off for a whole one, an interim answer for the final one and a
chunk of size -1 for all that comes; it gives up at 100 header lines, which honest servers exceed,
and its e-mail parser costs more than the request. A socket's timeout bounds one recv, so that a
server which drips could hold a thread for ever.
"""

from __future__ import annotations

import io
import re
import socket
import time
from collections.abc import Iterable
from http.client import HTTPException, HTTPMessage, HTTPResponse, RemoteDisconnected

MAX_HEAD = 1 << 18  # bytes, interim answers included; browsers stop there too
MAX_LINES = 1000
_BUFFER = 1 << 15
_LONGEST_SIZE_LINE = 1 << 12
_STATUS = re.compile(rb"HTTP/(\d)(?:\.(\d))?[ \t]+([1-9]\d\d)(?!\d)[ \t]*(.*)", re.DOTALL)
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?\r?\n", re.DOTALL)
_NO_CONTROLS = bytes.maketrans(b"\0\r", b"  ")  # RFC 9110, 5.5, and RFC 9112, 2.2
_INTERIM = range(102, 200)  # and 100; 101 changes the protocol and is final
_BODILESS = (*range(100, 200), 204, 304)


class BrokenHead(HTTPException):
    """Bytes that are no head of an HTTP/1 answer, or none within the limits."""


class Answer(HTTPResponse):
    """An answer that comes within the seconds that its socket's timeout says at the start.

    All of it: a read after that raises TimeoutError. A head that cannot be read raises BrokenHead,
    none at all RemoteDisconnected.
    """

    def __init__(
        self,
        sock: socket.socket,
        debuglevel: int = 0,
        method: str | None = None,
        url: str | None = None,
    ) -> None:
        super().__init__(_Timed(sock), debuglevel, method, url)  # type: ignore[arg-type]
        self._room = MAX_HEAD

    def begin(self) -> None:
        """Read the head, and tell from it how the body is framed (RFC 9112, 6.3)."""
        if self.headers is not None:
            return
        self._read_start()
        while self.status == 100 or self.status in _INTERIM:
            self._read_start()
        self.msg = self.headers
        bare = self.status in _BODILESS or self._method == "HEAD"
        transfer = self.headers.get("transfer-encoding", "").lower()
        self.chunked = transfer.rpartition(",")[2].strip() == "chunked" and not bare
        self.chunk_left = None
        self.length = 0 if bare else self._declared_length()
        unframed = not self.chunked and self.length is None
        self.will_close: bool = unframed or self._check_close()

    def _read_start(self) -> None:
        first, *rest = self._lines()
        found = _STATUS.fullmatch(first)
        if found is None:
            raise BrokenHead("status line")
        major, minor, status, reason = found.groups()
        self.version = 11 if (major, minor or b"0") >= (b"1", b"1") else 10
        self.code = self.status = int(status)
        self.reason = reason.decode("latin-1").strip()
        self.headers = fields(rest)

    def _lines(self) -> list[bytes]:
        """The lines of one head without their ends; empty ones before it are passed over."""
        lines: list[bytes] = []
        while len(lines) <= MAX_LINES:
            line = self.fp.readline(self._room)
            self._room -= len(line)
            if not line.endswith(b"\n"):
                begun = self._room < MAX_HEAD
                raise BrokenHead("head") if begun else RemoteDisconnected("no answer")
            line = line.rstrip(b"\r\n").translate(_NO_CONTROLS)
            if line:
                lines.append(line)
            elif lines:
                return lines
        raise BrokenHead("number of header lines")

    def _declared_length(self) -> int | None:
        """Content-Length; the same one again counts once (RFC 9110, 8.6)."""
        values = ",".join(self.headers.get_all("content-length", [])).split(",")
        lengths = {value.strip() for value in values}
        length = lengths.pop()
        plain = not lengths and length.isascii() and length.isdigit() and len(length) < 16
        return int(length) if plain else None

    def _read_next_chunk_size(self) -> int:
        line = self.fp.readline(_LONGEST_SIZE_LINE)
        if not line:
            raise ValueError("no more chunks")  # http.client makes IncompleteRead of it
        found = _CHUNK_SIZE.fullmatch(line)
        if found is None:
            raise BrokenHead("chunk size")
        return int(found[1], 16)

    def _read_and_discard_trailer(self) -> None:
        for _ in range(MAX_LINES):
            line = self.fp.readline(self._room)
            self._room -= len(line)
            if not line.rstrip(b"\r\n"):
                return
        raise BrokenHead("trailer")


def fields(lines: Iterable[bytes]) -> HTTPMessage:
    r"""Return header lines as fields, a character for each byte; lines that are none are left out.

    A line that begins with a blank goes on with the one before (RFC 9112, 5.2).

    >>> fields([b"A: 1", b"nothing", b"a :\t2 ", b" \xc3\xbc", b": 3"]).items()
    [('A', '1'), ('a', '2 Ã¼')]
    """
    found: list[list[str]] = []
    for line in lines:
        text = line.decode("latin-1")
        name, colon, value = text.partition(":")
        if text[0] in " \t" and found:
            found[-1].append(text.strip(" \t"))
        elif colon and name.strip(" \t"):
            found.append([name.strip(" \t"), value.strip(" \t")])
    message = HTTPMessage()
    for name, *values in found:
        message.set_raw(name, " ".join(values))
    return message


class _Timed(io.RawIOBase):
    """What comes from a socket, until the seconds of its timeout are over."""

    def __init__(self, sock: socket.socket) -> None:
        self._end = time.monotonic() + (sock.gettimeout() or 0.0)
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)

    def makefile(self, mode: str) -> io.BufferedReader:
        """What http.client asks of a socket."""
        return io.BufferedReader(self, _BUFFER)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer's time is over")
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
