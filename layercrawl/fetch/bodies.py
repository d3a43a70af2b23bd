"""An answer's body: received to its end first, then its codings undone, and memory last.

Bodies come slowly, and there are as many at a time as there are requests; so each waits in a file
for its last byte, of which little is memory. Decoders come late for the same reason: one of
Brotli's or Zstandard's may hold 16 MB for as long as its body takes.
"""

from __future__ import annotations

import tempfile
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from layercrawl import codings
from layercrawl.sitemaps import GZIP

IN_MEMORY = 1 << 17
"""Bytes of a body up to which it waits in memory."""
MOST_PACKED = 1 << 24
"""Bytes of a packed sitemap that are kept; a plain one is packed from a megabyte on."""
DECODING = 5.0
"""CPU seconds that the codings of one body may take: others wait for its decoder."""
_CHUNK = 1 << 16
_PACKED_FROM = 1 << 20
_decoders = threading.BoundedSemaphore(2)


class DiskFailed(RuntimeError):
    """A body could not be put down on this machine, which is no fault of the web's."""


@dataclass(frozen=True)
class Body:
    """A file of `size` bytes, and whether a limit cut it off."""

    file: IO[bytes]
    size: int
    cut: bool

    def content(self) -> bytes:
        """All of its bytes; the file is gone then."""
        with self.file:
            self.file.seek(0)
            return self.file.read()

    def chunks(self) -> Iterator[bytes]:
        """Its bytes, piece by piece."""
        self.file.seek(0)
        yield from iter(lambda: self.file.read(_CHUNK), b"")


def received(raw: Any, limit: int, coding: str) -> Body:
    """The body of a urllib3 answer with its codings undone, at most `limit` bytes of it.

    `coding` is its Content-Encoding. Raises TimeoutError where that takes too long to undo,
    BrokenCoding, DiskFailed, and what reading from the network raises.
    """
    names = codings.codings(coding)
    # Coded, what does not compress is a little longer.
    sent = _filled(_arriving(raw), limit + (limit >> 4) + _CHUNK if names else limit)
    if not names or not sent.size:
        return sent
    with sent.file, _decoders:
        return _filled(_decoded(sent, coding), limit, sent.cut)


def packed(sitemap: Body) -> Body:
    """A sitemap as it is kept: as it is, but a long one as a gzip file, at most MOST_PACKED of it.

    So its record stays small, however long it is.
    """
    start = next(sitemap.chunks(), b"")
    if start.startswith(GZIP):
        return _filled(sitemap.chunks(), MOST_PACKED, sitemap.cut)
    if sitemap.size < _PACKED_FROM:
        return sitemap
    return _filled(_gzip(sitemap.chunks()), MOST_PACKED, sitemap.cut)


def _gzip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The gzip file of the pieces, the same each time."""
    compressor = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    yield from map(compressor.compress, pieces)
    yield compressor.flush()


def _filled(pieces: Iterable[bytes], limit: int, cut: bool = False) -> Body:
    """The first `limit` bytes of the pieces, in a file that no name tells of."""
    file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=".")  # noqa: SIM115
    size = 0
    try:
        for piece in pieces:
            size += len(piece)
            _write(file, piece)
            if size > limit:
                file.truncate(limit)
                return Body(file, limit, True)
    except BaseException:
        file.close()
        raise
    return Body(file, size, cut)


def _write(file: IO[bytes], piece: bytes) -> None:
    try:
        file.write(piece)
    except OSError as error:
        raise DiskFailed(f"no room for a body in the task's directory: {error}") from error


def _arriving(raw: Any) -> Iterator[bytes]:
    yield from iter(lambda: raw.read(_CHUNK, decode_content=False), b"")


def _decoded(sent: Body, coding: str) -> Iterator[bytes]:
    """The pieces behind the coding; of a body that was cut off, those before the cut."""
    size, end = 0, time.thread_time() + DECODING
    try:
        for piece in codings.decoded(sent.chunks(), coding):
            yield piece
            size += len(piece)
            if time.thread_time() > end:  # little can be sent that takes long to decode
                raise TimeoutError
    except codings.BrokenCoding:
        if not (sent.cut and size):
            raise
