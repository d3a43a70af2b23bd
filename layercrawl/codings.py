"""Content codings undone piece by piece, so that a body costs no more than is taken of it. Pure.

Codings are those of RFC 9110, 8.4.1, with Brotli (RFC 7932) and Zstandard (RFC 8878). A body whose
coding ends before its end mark is an error: half a page must not pass for a whole one.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple, Protocol

import brotli

from layercrawl.charset import labels

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPTED = "gzip, deflate, br, zstd"
PIECE = 1 << 16
MAX_CODINGS = 3
_BITE = 1 << 14  # input at a time: what is left of a bite is copied for each piece and member
_MAGIC = 4  # bytes that tell whether another member begins
_TRAILING = 1 << 16
_BROTLI_LIMIT = 1 << 14  # makes the library return its first buffer, 32 KiB; it would add larger
_ZSTD_LIMITS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}  # RFC 9659: 8 MB
_ERRORS = (zlib.error, brotli.error, zstd.ZstdError)
_NOT_CODED = frozenset({"", "identity", "none", "binary", "7bit", "8bit", "chunked", "aws-chunked"})


class BrokenCoding(ValueError):
    """A body that its Content-Encoding cannot be undone for; the message says why."""


class Decoder(Protocol):
    """One member of a coded stream; `decompress(b"", n)` goes on with the input that it holds."""

    def decompress(self, data: bytes, max_length: int) -> bytes: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...


def decoded(chunks: Iterable[bytes], content_encoding: str) -> Iterator[bytes]:
    """Yield the bytes behind the codings of a Content-Encoding header, at most PIECE at a time.

    Nothing is decompressed before it is asked for; a piece may be empty, so that the caller can
    look at the clock. No bytes at all are an empty body under any coding. What trails gzip, deflate
    or zstd data is dropped. Raises BrokenCoding.

    >>> wire = zlib.compress(b"one")
    >>> b"".join(decoded([wire[:5], wire[5:]], "Deflate"))
    b'one'
    >>> b"".join(decoded([b"plain"], "none")), b"".join(decoded([b"", b""], "gzip"))
    (b'plain', b'')
    >>> list(decoded([b"plain"], "gzip"))
    Traceback (most recent call last):
    layercrawl.codings.BrokenCoding: content coding broken
    """
    chunks = iter(chunks)
    first = next(filter(None, chunks), b"")
    names = codings(content_encoding) if first else []
    stream = _cut(chain((first,), chunks), _BITE if names else PIECE)
    for name in reversed(names):
        stream = _undone(_CODINGS[name], stream)
    yield from stream


def codings(content_encoding: str) -> list[str]:
    """Return the codings of a Content-Encoding header, in the order in which they were applied.

    Words that stand for none are left out, among them the names of character encodings, which
    servers put here by mistake. Raises BrokenCoding for unknown ones and more than MAX_CODINGS.

    >>> codings("X-GZip , identity, BR"), codings("utf-8")
    (['x-gzip', 'br'], [])
    """
    words = (word.strip().lower() for word in content_encoding.split(","))
    names = [word for word in words if word not in _NOT_CODED and not labels.name(word)]
    if len(names) > MAX_CODINGS:
        raise BrokenCoding(f"more than {MAX_CODINGS} content codings")
    for name in names:
        if name not in _CODINGS:
            raise BrokenCoding(f"content coding {name[:40]!r} unknown")
    return names


def _cut(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]


class _Coding(NamedTuple):
    """`start` makes a decoder for data by its first bytes, or None; `members` may follow."""

    start: Callable[[bytes], Decoder | None]
    members: bool


def _undone(coding: _Coding, stream: Iterator[bytes]) -> Iterator[bytes]:
    """Undo one coding: one member after another, until what follows is none."""
    data = _enough(b"", stream)
    decoder = coding.start(data) if data else None
    if data and decoder is None:
        raise BrokenCoding("content coding broken")
    while decoder is not None:
        yield from _member(decoder, data, stream)
        data = _enough(decoder.unused_data, stream) if coding.members else b""
        decoder = coding.start(data) if data else None
    _pass_over(stream)


def _enough(data: bytes, stream: Iterator[bytes]) -> bytes:
    """`data` with so much more of the stream that its kind can be told."""
    while len(data) < _MAGIC and (more := next(stream, None)) is not None:
        data += more
    return data


def _member(decoder: Decoder, data: bytes, stream: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield decoder.decompress(data, PIECE)
        while not decoder.eof:
            more = next(stream, None) if decoder.needs_input else b""
            piece = decoder.decompress(more or b"", PIECE)
            if more is None and not piece and not decoder.eof:
                raise BrokenCoding("content coding cut short")
            yield piece
    except _ERRORS:
        raise BrokenCoding("content coding broken") from None


def _pass_over(stream: Iterator[bytes]) -> None:
    """Read what trails a body, so that its transfer comes to an end, but not for ever."""
    size = 0
    while size <= _TRAILING and (more := next(stream, None)) is not None:
        size += len(more) or 1


class _Inflate:
    """zlib's decoder with the manners of zstd's."""

    def __init__(self, wbits: int) -> None:
        self._inflate = zlib.decompressobj(wbits)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        tail = self._inflate.unconsumed_tail
        return self._inflate.decompress(tail + data if tail else data, max_length)

    @property
    def needs_input(self) -> bool:
        return not self._inflate.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data


class _Brotli:
    """Brotli's decoder with the manners of zstd's; to it, trailing data are an error."""

    unused_data = b""

    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()

    def decompress(self, data: bytes, max_length: int) -> bytes:
        limit = min(max_length, _BROTLI_LIMIT)
        return bytes(self._decoder.process(data, output_buffer_limit=limit))

    @property
    def needs_input(self) -> bool:
        return bool(self._decoder.can_accept_more_data())

    @property
    def eof(self) -> bool:
        return bool(self._decoder.is_finished())


def _gzip(data: bytes) -> Decoder | None:
    return _Inflate(16 + zlib.MAX_WBITS) if data.startswith(b"\x1f\x8b") else None


def _deflate(data: bytes) -> Decoder:
    """Under this name servers send zlib's format (RFC 1950), and some the bare one (RFC 1951)."""
    is_zlib = data[0] & 15 == 8 and int.from_bytes(data[:2], "big") % 31 == 0
    return _Inflate(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)


def _zstd(data: bytes) -> Decoder | None:
    skippable = data[1:4] == b"\x2a\x4d\x18" and data[0] >> 4 == 5
    if skippable or data.startswith(b"\x28\xb5\x2f\xfd"):
        return zstd.ZstdDecompressor(options=_ZSTD_LIMITS)
    return None


_CODINGS = {
    "gzip": _Coding(_gzip, True),
    "x-gzip": _Coding(_gzip, True),
    "deflate": _Coding(_deflate, False),
    "br": _Coding(lambda data: _Brotli(), False),
    "zstd": _Coding(_zstd, True),
}
