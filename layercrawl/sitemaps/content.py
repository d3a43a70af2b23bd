"""A sitemap's text, slice by slice: gzip undone, bytes decoded, never all of it at a time. Pure.

A few kilobytes of gzip may hold the 50 MB that a sitemap may have, and text takes up to four times
as much memory as its bytes.

>>> "".join(Content(b"<urlset>", 100)), "".join(Content(b"<urlset>", 4))
('<urlset>', '<url')
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from layercrawl import charset, codings

GZIP = b"\x1f\x8b"
"""How a gzip file begins (RFC 1952, 2.3.1)."""
_SLICE = 1 << 18
_JUDGED = 4  # slices whose bytes tell the encoding


class Content:
    """The text of a sitemap's first `limit` bytes; `whole` tells, once read, whether that is all.

    Any bytes will do; names do not tell gzip, its first bytes do.
    """

    def __init__(self, body: bytes, limit: int) -> None:
        self.whole = True
        self._body, self._limit = body, limit

    def __iter__(self) -> Iterator[str]:
        slices = self._slices()
        head = b"".join(islice(slices, _JUDGED))
        encoding, mark = charset.detected(head, None)
        if head.isascii() and len(head) == _JUDGED * _SLICE and not mark:
            encoding = "utf-8"
        read = charset.reader(encoding)
        for piece in chain((head[mark:],), slices):
            yield read(piece, False)
        yield read(b"", True)

    def _slices(self) -> Iterator[bytes]:
        """The bytes, each slice but the last of the same length."""
        waiting, size = bytearray(), 0
        for piece in self._unpacked():
            waiting += piece[: self._limit - size]
            size += len(piece)
            if len(waiting) >= _SLICE:
                yield bytes(waiting[:_SLICE])
                del waiting[:_SLICE]
            if size >= self._limit:
                self.whole = False
                break
        yield bytes(waiting)

    def _unpacked(self) -> Iterator[bytes]:
        """The bytes of the file, of one that is cut short or broken what comes before that."""
        try:
            yield from codings.decoded([self._body], self._coding)
        except codings.BrokenCoding:
            self.whole = False

    @property
    def _coding(self) -> str:
        return "gzip" if self._body.startswith(GZIP) else ""
