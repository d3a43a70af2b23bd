"""Percent-encoding of a query in the encoding of its document, as the URL standard asks.

A link's query is written in the *document's* encoding, its path always in UTF-8. That is what
browsers send, so it is what a site in Shift_JIS or windows-1251 expects to get.

Source: <https://url.spec.whatwg.org/#query-state>, "percent-encode after encoding", and the
encoders of <https://encoding.spec.whatwg.org/>.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from typing import Any

from layercrawl.charset import labels

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_ESCAPED_BYTES = frozenset({*range(0x21), *b"\"#<>'", *range(0x7F, 0x100)})
_PERCENT = tuple(f"%{byte:02X}" if byte in _ESCAPED_BYTES else chr(byte) for byte in range(256))

# Encodings whose encoder in the standard knows fewer characters than the decoder's codec, and those
# that no query is sent in (the standard's "output encoding").
_ENCODERS = {"gbk": "gbk", "iso-2022-jp": "iso2022_jp"} | dict.fromkeys(
    ("replacement", "utf-16be", "utf-16le"), "utf-8"
)


def encode_query(url: str, encoding: str) -> str:
    """Return `url` with the query's non-ASCII characters percent-encoded in `encoding`.

    `encoding` is a name or label of the Encoding Standard; others mean UTF-8.
    Characters that the encoding lacks become an escaped `&#N;`. (In Big5, those that only Hong
    Kong's supplement has are encoded by it; the standard escapes some of them.)

    >>> encode_query("/é?q=é#é", "windows-1252")
    '/é?q=%E9#é'
    >>> encode_query("?q=сыр☃", "windows-1251")
    '?q=%F1%FB%F0%26%239731%3B'
    >>> encode_query("?q=あ", "utf-16le")
    '?q=%E3%81%82'
    """
    address, hash_sign, fragment = url.partition("#")
    path, question_mark, query = address.partition("?")
    if not question_mark or query.isascii():
        return url
    name = labels.name(encoding) or "utf-8"
    encoded = _NON_ASCII.sub(lambda run: _percent_encode(run[0], name), query)
    return f"{path}?{encoded}{hash_sign}{fragment}"


def _percent_encode(run: str, name: str) -> str:
    return "".join(map(_PERCENT.__getitem__, _encode(run, name)))


def _encode(run: str, name: str) -> bytes:
    if name in ("euc-jp", "shift_jis"):
        table = _euc_jp() if name == "euc-jp" else _shift_jis()
        return b"".join(table.get(char) or _reference(char) for char in run)
    if codec := _ENCODERS.get(name) or labels.CODECS.get(name):
        return run.encode(codec, _HANDLER)
    return codecs.charmap_encode(run, _HANDLER, _single_byte(name))[0]


@lru_cache(maxsize=32)
def _single_byte(name: str) -> Any:
    return codecs.charmap_build(labels.table(name))


def _reference(char: str) -> bytes:
    return b"%%26%%23%d%%3B" % ord(char)


def _on_unencodable(error: UnicodeError) -> tuple[str | bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    if lacking[0] == "€" and error.encoding == "gbk":
        return b"\x80", error.start + 1
    # All of them at once: the codec looks for their end anew each time that it calls.
    return b"".join(map(_reference, lacking)).decode("ascii"), error.end


_HANDLER = "layercrawl.query"
codecs.register_error(_HANDLER, _on_unencodable)

# Python's own codecs for Japanese choose other places for NEC's and IBM's characters than browsers
# do, so both tables are made from the one list that Python and the standard have in common: the
# rows that cp932 decodes, by their "pointer". A character's first place counts.
_IN_EUC_JP = range(94 * 94)
_IN_SHIFT_JIS = (*range(8272), *range(10716, 11280))  # without NEC's copies and private use


@lru_cache(maxsize=1)
def _euc_jp() -> dict[str, bytes]:
    table = {"¥": b"\\", "‾": b"~", "−": b"\xa1\xdd"}
    table |= {chr(0xFF61 + n): bytes((0x8E, 0xA1 + n)) for n in range(63)}
    for pointer in _IN_EUC_JP:
        row, cell = divmod(pointer, 94)
        table.setdefault(_decode(pointer), bytes((0xA1 + row, 0xA1 + cell)))
    return table


@lru_cache(maxsize=1)
def _shift_jis() -> dict[str, bytes]:
    table = {"¥": b"\\", "‾": b"~", "−": b"\x81\x7c", "\x80": b"\x80"}
    table |= {chr(0xFF61 + n): bytes((0xA1 + n,)) for n in range(63)}
    for pointer in _IN_SHIFT_JIS:
        table.setdefault(_decode(pointer), _bytes_of(pointer))
    return table


def _bytes_of(pointer: int) -> bytes:
    """The Shift_JIS bytes of a place in the standard's index jis0208."""
    lead, trail = divmod(pointer, 188)
    return bytes((lead + (0x81 if lead < 0x1F else 0xC1), trail + (0x40 if trail < 0x3F else 0x41)))


def _decode(pointer: int) -> str:
    return _bytes_of(pointer).decode("cp932", "ignore")
