"""The encoding of a page that declares none, judged by its bytes."""

from __future__ import annotations

import codecs


def guess(body: bytes) -> str:
    """The WHATWG name of the likeliest encoding; windows-1252 when nothing tells.

    >>> guess(b"caf\\xc3\\xa9"), guess(b"caf\\xe9"), guess(b"cafe")
    ('utf-8', 'windows-1252', 'windows-1252')
    """
    if body.isascii():
        return "windows-1252"
    return "utf-8" if _is_utf_8(body) else "windows-1252"


def _is_utf_8(body: bytes) -> bool:
    """Whether all characters are UTF-8; a cut-off body may end in the middle of one."""
    try:
        text, length = codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return False
    return len(text) < length
