"""The encoding that a page declares: in its first bytes, its header, or its markup.

Each function gives the WHATWG name of an encoding, or None where nothing usable is declared, in
time linear in the bytes it is given.
"""

from __future__ import annotations

import re

from layercrawl.charset.labels import name

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_UTF_16_XML = ((b"<\0?\0x\0", "utf-16le"), (b"\0<\0?\0x", "utf-16be"))
# In markup that was read as ASCII these two cannot be meant (HTML standard, 13.2.3.2).
_MEANT = {"utf-16be": "utf-8", "utf-16le": "utf-8", "x-user-defined": "windows-1252"}

_PARAMETER = re.compile(r";\s*charset\s*=\s*[\"']?([^\"';,]*)", re.I)
_XML = re.compile(rb"<\?xml[^>]*?encoding[\0- ]*=[\0- ]*(?:\"([^\">]*)\"|'([^'>]*)')")
_LATE_META = re.compile(rb"<meta[\t\n\f\r /][^<>]*charset")
_PRESCANNED = 1024
_SEARCHED = 65536

_MARKUP = re.compile(
    rb"<(?:(?P<comment>!--)|(?P<meta>meta(?=[\t\n\f\r /]))|(?P<tag>/?[a-z])|(?P<other>[!/?]))",
    re.I,
)
_TAG_NAME_END = re.compile(rb"[\t\n\f\r >]")
_NAME = re.compile(
    rb"[\t\n\f\r /]*(?:>|(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*(?P<equals>=?))"
)
_VALUE = re.compile(
    rb"[\t\n\f\r ]*"
    rb"(?:\"([^\"]*)\"|'([^']*)'|(?=>)|([^\t\n\f\r >\"'][^\t\n\f\r >]*)(?=[\t\n\f\r >]))"
)
_CONTENT = re.compile(
    rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"']+))"
)


def byte_order_mark(body: bytes) -> tuple[str, int] | None:
    """The encoding of the byte order mark and the mark's length (Encoding Standard, 6).

    >>> byte_order_mark(b"\\xff\\xfe<\\0")
    ('utf-16le', 2)
    """
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return encoding, len(mark)
    return None


def in_header(content_type: str) -> str | None:
    """What the `charset` parameter of a Content-Type says (RFC 9110, 8.3.2).

    >>> in_header('text/html; Charset="ISO-8859-1"'), in_header("text/html; charset=none")
    ('windows-1252', None)
    """
    parameter = _PARAMETER.search(content_type)
    return name(parameter[1]) if parameter else None


def in_markup(body: bytes) -> str | None:
    """What a meta element or the XML declaration says (HTML standard, 13.2.3.2).

    The standard's prescan sees 1024 bytes; a meta element that stands later makes a browser read
    the page again, so it counts here too, within the first 64 KiB.

    >>> in_markup(b"<!--<meta charset=gbk>--><meta charset=utf-16>")
    'utf-8'
    """
    for start, encoding in _UTF_16_XML:
        if body.startswith(start):
            return encoding
    return _prescan(body[:_PRESCANNED]) or _in_xml_declaration(body) or _in_late_meta(body)


def _in_xml_declaration(body: bytes) -> str | None:
    declaration = _XML.match(body[:_PRESCANNED])
    return _meant(declaration[declaration.lastindex or 0]) if declaration else None


def _in_late_meta(body: bytes) -> str | None:
    # Most pages end here: two quick looks spare them the slow one.
    late = body[_PRESCANNED - len(b"<meta charset") : _SEARCHED].lower()
    if b"charset" in late and _LATE_META.search(late):
        return _prescan(body[:_SEARCHED])
    return None


def _prescan(head: bytes) -> str | None:
    """The encoding of the first meta element that names one; None when `head` ends before."""
    position = 0
    try:
        while markup := _MARKUP.search(head, position):
            if markup.lastgroup == "meta":
                attributes, position = _attributes(head, markup.end())
                if encoding := _of_meta(attributes):
                    return encoding
            else:
                position = _skip(head, markup)
    except EOFError:
        pass
    return None


def _skip(head: bytes, markup: re.Match[bytes]) -> int:
    """The end of a comment, tag or declaration; EOFError when `head` ends first."""
    if markup.lastgroup == "tag":
        name_end = _TAG_NAME_END.search(head, markup.end())
        if name_end is None:
            raise EOFError
        return _attributes(head, name_end.start())[1]
    # A comment's two dashes may be those that opened it: "<!-->".
    end = b"-->" if markup.lastgroup == "comment" else b">"
    found = head.find(end, markup.start() + 2)
    if found < 0:
        raise EOFError
    return found + len(end)


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """A tag's attributes in lower case, the first of a name counting, and where the tag ends."""
    attributes: dict[bytes, bytes] = {}
    while attribute := _NAME.match(head, position):
        position = attribute.end()
        key = attribute["name"]
        if key is None:
            return attributes, position
        value = b""
        if attribute["equals"]:
            found = _VALUE.match(head, position)
            if found is None:
                break
            value, position = found[found.lastindex or 0], found.end()
        attributes.setdefault(key.lower(), value.lower())
    raise EOFError


def _of_meta(attributes: dict[bytes, bytes]) -> str | None:
    if b"charset" in attributes:
        return _meant(attributes[b"charset"])
    if attributes.get(b"http-equiv") == b"content-type":
        content = _CONTENT.search(attributes.get(b"content", b""))
        return _meant(content[content.lastindex or 0]) if content else None
    return None


def _meant(label: bytes) -> str | None:
    encoding = name(label.decode("latin-1"))
    return _MEANT.get(encoding, encoding) if encoding else None
