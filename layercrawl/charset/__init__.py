"""From the bytes of a page to its text, as browsers read it, and back.

The encoding is that of the byte order mark, else of the HTTP header, else of the markup, else a
guess. Text never holds lone surrogates, and never the byte order mark.

>>> decode(b'<meta charset="latin1"><p>caf\\xe9', "text/html")
('<meta charset="latin1"><p>café', 'windows-1252')
>>> encode("café", "windows-1252")
b'caf\\xe9'
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from functools import cache
from typing import Any

from layercrawl.charset import declared
from layercrawl.charset.guessing import guess
from layercrawl.charset.labels import CODECS, NAMES, table


def decode(body: bytes, content_type: str | None) -> tuple[str, str]:
    """The text of `body` and the WHATWG name, in lower case, of the encoding it was read in.

    `content_type` is the value of the header field, if there was one. Bytes that mean nothing in
    the encoding become U+FFFD; the encodings that the Encoding Standard calls `replacement` (such
    as iso-2022-kr) give one U+FFFD for the whole body.
    """
    encoding, mark = detected(body, content_type)
    return _text(body[mark:], encoding), encoding


def detected(body: bytes, content_type: str | None) -> tuple[str, int]:
    """The encoding that `decode` reads a body in, and the length of its byte order mark."""
    if mark := declared.byte_order_mark(body):
        return mark
    encoding = (
        (declared.in_header(content_type) if content_type else None)
        or declared.in_markup(body)
        or guess(body)
    )
    return encoding, 0


def reader(encoding: str) -> Callable[[bytes, bool], str]:
    """What reads a text piece by piece, as `decode` does it whole; True goes with the last piece.

    >>> read = reader("utf-8")
    >>> read(b"caf\\xc3", False), read(b"\\xa9", False), read(b"\\xc3", True)
    ('caf', 'é', '\\ufffd')
    """
    if codec := CODECS.get(encoding):
        return codecs.getincrementaldecoder(codec)(_ERRORS.get(encoding, "replace")).decode
    return lambda piece, last: _text(piece, encoding)


def encode(text: str, encoding: str) -> bytes:
    """The bytes that `decode` reads as `text`; ValueError where `encoding` has none for it.

    >>> encode("日本", "koi8-r")
    Traceback (most recent call last):
    ValueError: not text in koi8-r
    """
    if not text:
        return b""
    try:
        if codec := CODECS.get(encoding):
            return text.encode(codec)
        mapping = _encoding_map(encoding)
        if text.isascii():
            return text.encode("ascii")
        return codecs.charmap_encode(text, "strict", mapping)[0]
    except (UnicodeEncodeError, LookupError):
        raise ValueError(f"not text in {encoding}") from None


def inverts(body: bytes, text: str, encoding: str) -> bool:
    """Whether `encode(text, encoding)` gives back exactly `body`.

    It does not where `decode` dropped a byte order mark, met bad bytes, or read one of several
    spellings of a character; then the bytes must be kept beside the text.

    >>> inverts(b"caf\\xe9", "café", "windows-1252"), inverts(b"\\xff", "\\ufffd", "utf-8")
    (True, False)
    """
    try:
        return encode(text, encoding) == body
    except ValueError:
        return False


def _text(body: bytes, encoding: str) -> str:
    if codec := CODECS.get(encoding):
        return body.decode(codec, _ERRORS.get(encoding, "replace"))
    if encoding == "replacement":
        return "\ufffd" if body else ""
    if body.isascii():
        return body.decode("ascii")
    return codecs.charmap_decode(body, "replace", table(encoding))[0]


@cache
def _encoding_map(encoding: str) -> Any:
    if NAMES.get(encoding) != encoding or encoding == "replacement":
        raise LookupError(encoding)
    return codecs.charmap_build(table(encoding))


# Python's tables are those of the national standards; on the web the vendors' characters count.


def _euro(error: UnicodeError) -> tuple[str, int]:
    """Windows' lone 0x80 of GBK, which the standard reads as the euro sign."""
    assert isinstance(error, UnicodeDecodeError)
    euro = error.object[error.start] == 0x80
    return ("€" if euro else "\ufffd"), error.end


def _vendor_jis(error: UnicodeError) -> tuple[str, int]:
    """NEC's and IBM's characters of EUC-JP, found by way of the same place in Shift_JIS."""
    assert isinstance(error, UnicodeDecodeError)
    pair = error.object[error.start : error.start + 2]
    if len(pair) == 2 and min(pair) > 0xA0 and max(pair) < 0xFF:
        row, cell = pair[0] - 0xA1, pair[1] - 0xA1
        lead = row // 2 + (0x81 if row < 62 else 0xC1)
        trail = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
        return _or_replacement(bytes((lead, trail))), error.start + 2
    return "\ufffd", error.end


def _or_replacement(pair: bytes) -> str:
    try:
        return pair.decode("cp932")
    except UnicodeDecodeError:
        return "\ufffd"


_ERRORS = {"gbk": "layercrawl.euro", "gb18030": "layercrawl.euro", "euc-jp": "layercrawl.vendor"}
_HANDLERS: dict[str, Callable[[UnicodeError], tuple[str, int]]] = {
    "layercrawl.euro": _euro,
    "layercrawl.vendor": _vendor_jis,
}
for _handler_name, _handler in _HANDLERS.items():
    codecs.register_error(_handler_name, _handler)
