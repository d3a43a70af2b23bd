"""A bound on how deep the elements of a page nest, set in its source before it is parsed.

Tree construction is quadratic in nesting: 40,000 nested ``<li>`` take Lexbor 19 seconds. It is also
quadratic in the attributes of a tag, and in formatting elements left open, each of which is made
anew in every later block. One pass over the tags bounds all three.
"""

import re
from collections.abc import Callable, Iterator, Set
from itertools import chain

from layercrawl.nesting.elementkinds import FORMATTING
from layercrawl.nesting.openelements import MOST_COPIES, OpenElements
from layercrawl.nesting.tagtokens import (
    ATTRIBUTE,
    RAW_TEXT,
    SPACE,
    TOKEN,
    lower,
    raw_text_end,
    split_attributes,
)

LIMIT = 200
"""The most elements open at a time."""
_FEW_TAGS = 1000
_MOST_ATTRIBUTES = 1000
_SHORT = 40_000  # too short for so many attributes that they matter
_PART = 1 << 16
_MOST_EFFORT = 400_000  # tags followed one by one; one left out counts for eight

_VOID = frozenset(
    ("area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img")
    + ("input", "keygen", "link", "meta", "param", "source", "track", "wbr")
)
_MANY_ATTRIBUTES = re.compile(
    rf"<[a-zA-Z](?:[^{SPACE}/>]{{200}}|[^{SPACE}/>]*+(?:[{SPACE}/]*+[^{SPACE}/>=]{{1,200}}+"
    rf"(?:=[{SPACE}]*+(?:\"[^\"]*+\"|'[^']*+'|[^{SPACE}>\"']{{1,200}}+))?+){{{_MOST_ATTRIBUTES}}})"
)
_FORMATTING = re.compile(rf"<(?:{'|'.join(FORMATTING)})[{SPACE}/>]", re.IGNORECASE | re.ASCII)
_NESTING = re.compile(
    rf"</?(?!(?:{'|'.join(('a', 'p', *_VOID, *RAW_TEXT))})(?=[{SPACE}/>])"
    rf"(?:[{SPACE}/]++|{ATTRIBUTE}){{0,200}}+>)"
    rf"[a-z][^{SPACE}/>]*+(?:[{SPACE}/]++|{ATTRIBUTE})*+>",
    re.IGNORECASE | re.ASCII,
)
# An element that holds text only, or a tag without content. Taken away again and again, these leave
# the tags that may nest, whatever the text around makes of them: a start tag goes only together
# with its end tag, between which all is closed. A form may outlive its end tag (13.2.6.4.7).
_PAIRED = re.compile(
    rf"<(?:/([a-z][\w:-]*+)>"
    rf"|(?!form[{SPACE}/>])([a-z][\w:-]*+)(?:[{SPACE}]++[a-z][\w:.-]*+"
    rf"(?:=(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^{SPACE}\"'<>=]++))?+){{0,100}}+[{SPACE}]*+/?+>"
    rf"(?:[^<]*+</(\2)>)?+"  # most elements hold text only
    rf"|!--[^<>]*+-->"
    rf"|([/!?]|[a-z]*+))".encode()
)
# Other void names are not void in SVG and MathML; these end them.
_VOID_BESIDE_FOREIGN = frozenset((b"br", b"embed", b"hr", b"img", b"meta"))
_VOID_NAMES, _FORMATTING_NAMES = (
    frozenset(name.encode() for name in names) for names in (_VOID, FORMATTING)
)
_T = ord("t")
_TWICE = re.compile("<(?=<)")
_LEFT_CLOSED = _VOID | RAW_TEXT | frozenset(("body", "colgroup", "frameset", "head", "html"))
_REPLACED_BY_ALIKE = frozenset(("a", "dd", "dt", "li", "p", "td", "th", "tr"))
_STRIPPED = frozenset(("col", "colgroup", "frameset"))


def flatten(html: str) -> tuple[str, bool]:
    """The page, no more than `LIMIT` of its elements open at a time, and whether it was changed.

    Tags that would nest deeper are left out and text is kept. Where tags are so badly nested that
    more than `LIMIT` elements may or may not be open, end tags for all of them are put in.

    >>> flatten("<p>a<p>b")
    ('<p>a<p>b', False)
    >>> flat, changed = flatten("<div>" * 1000 + "a" + "</div>" * 1000)
    >>> flat == "<div>" * LIMIT + "a" + "</div>" * LIMIT, changed
    (True, True)
    """
    if _is_shallow(html):
        return html, False
    page = _Page(html)
    pieces = list(page.pieces())
    return ("".join(pieces), True) if page.changed else (html, False)


def tamed(html: str) -> tuple[str, bool]:
    """`flatten` for who needs only that no page takes long: one of few tags is left as it is.

    So few take 30 ms at the worst, nested or reopened; to look for that takes .3 ms a page.
    """
    return (html, False) if is_small(html) else flatten(html)


def is_small(html: str) -> bool:
    """Whether the page has so few tags and attributes that no tree of it takes long to make."""
    return html.count("<") <= _FEW_TAGS and not _has_many_attributes(html)


def _has_many_attributes(html: str) -> bool:
    return len(html) > _SHORT and bool(_MANY_ATTRIBUTES.search(html))


def _is_shallow(html: str) -> bool:
    """Whether one pass of C, and one over the names that it finds, show that nothing is to do."""
    if _has_many_attributes(html):
        return False
    starts = html.count("<") - html.count("</")
    cells = html.count("<t") + html.count("<T")
    if _is_bounded(starts, starts + 2 * cells, lambda: len(_FORMATTING.findall(html))):
        return True
    source = html.encode("utf-8", "replace").lower()
    found = _unpaired(source, _VOID_NAMES)
    if found[0] > LIMIT and (b"<svg" in source or b"<math" in source):
        found = _unpaired(source, _VOID_BESIDE_FOREIGN)
    most_open, left = found
    return _is_bounded(starts, most_open, lambda: sum(name in _FORMATTING_NAMES for name in left))


def _is_bounded(starts: int, most_open: int, formatting: Callable[[], int]) -> bool:
    return most_open <= LIMIT and (
        starts * most_open <= MOST_COPIES or starts * formatting() <= MOST_COPIES
    )


def _unpaired(source: bytes, void: Set[bytes]) -> tuple[int, list[bytes]]:
    """How many elements may be open at a time, and the start tags that no end tag surely closes.

    A cell may imply two elements around it. It is enough to know that there are too many.
    """
    left: list[bytes] = []
    most = now = 0
    for end, start, closed, odd in chain.from_iterable(map(_PAIRED.findall, _parts(source))):
        if closed and start not in void:
            most = max(most, now + (3 if start[0] == _T else 1))
        elif start and start not in void or odd and odd not in b"/!?":
            name = start or odd
            left.append(name if start else b"<" + odd)
            now += 3 if name[0] == _T else 1
            if now > most:
                most = now
                if most > LIMIT:
                    return most, []
        elif end and left and left[-1] == end:
            left.pop()
            now -= 3 if end[0] == _T else 1
        elif end or closed or odd:  # no pair goes across
            left.append(b"/")
    return most, [name.lstrip(b"<") for name in left]


def _parts(source: bytes) -> Iterator[bytes]:
    """The source, cut before some ``<``: no match goes across one."""
    start = 0
    while start < len(source):
        end = source.find(b"<", start + _PART)
        end = end if end >= 0 else len(source)
        yield source[start:end]
        start = end


class _Page:
    """One pass over a page's tags; `pieces` gives its source again, bounded."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._open = OpenElements()
        self._dropped: dict[str, int] = {}  # start tags left out whose end tags did not come yet
        self._raw_text = ""  # the element whose raw text, then end tag follow
        self._effort = 0
        self.changed = False

    def pieces(self) -> Iterator[str]:
        written = position = 0
        while match := TOKEN.search(self._html, position):
            position, tag = match.end(), None
            self._effort += 1
            if self._effort > _MOST_EFFORT:
                self.changed = True
                yield _ended(self._html[written : match.start()]) + self._close_all()
                yield _without_nesting(self._html[match.start() :])
                return
            if match["name"]:
                tag = self._end_tag(match) if match["end"] else self._start_tag(match)
            if tag is not None:
                yield _ended(self._html[written : match.start()]) + tag
                written, self.changed = position, True
            if self._raw_text:
                position = raw_text_end(self._html, self._raw_text, position)
            elif match["section"]:
                position = self._section_end(position)
        yield self._html[written:]

    def _section_end(self, start: int) -> int:
        """The end of ``<![CDATA[``, which is a comment up to the first ``>`` in HTML proper."""
        end = "]]>" if self._open.names[-1:] and "/" in self._open.names[-1] else ">"
        found = self._html.find(end, start)
        return len(self._html) if found < 0 else found + len(end)

    def _end_tag(self, match: re.Match[str]) -> str | None:
        """The tag to write instead, if any."""
        name = lower(match["name"])
        if self._raw_text:
            self._raw_text = ""
            return None
        if self._dropped.get(name):
            self._dropped[name] -= 1
            return ""
        if name == "form" and self._open.is_misplaced_form_end():
            return ""
        before = self._close_all() if self._open.strands_marker(name) else ""
        self._open.end(name)
        if self._open.lost:
            return before + match[0] + self._close_all()
        return before + match[0] if before else None

    def _start_tag(self, match: re.Match[str]) -> str | None:
        name = lower(match["name"])
        tag = _with_few_attributes(match)
        before = ""
        if self._open.is_uncertain_beyond(LIMIT) or self._open.strands_marker(name):
            before = self._close_all()
        foreign = self._open.foreign_name(name, match["attributes"])
        if name in _STRIPPED and not foreign and self._is_misplaced(name):
            return before
        if self._is_left_open(name, foreign, bool(match["closed"])):
            if not self._has_room(name):
                self._effort += 7
                self._dropped[name] = self._dropped.get(name, 0) + 1
                return before
            self._open.start(name, foreign)
        elif not foreign:
            self._open.imply(name)
            self._raw_text = name if name in RAW_TEXT else ""
        if self._open.lost:
            return before + (tag or match[0]) + self._close_all()
        return before + (tag or match[0]) if before or tag else None

    def _is_left_open(self, name: str, foreign: str, closed: bool) -> bool:
        if foreign or name in ("svg", "math"):
            return not closed
        return name not in _LEFT_CLOSED

    def _has_room(self, name: str) -> bool:
        """Links are let in beyond the limit: one cannot be inside another."""
        depth = self._open.depth()
        if depth < LIMIT or name == "a" and depth == LIMIT and not self._open.foreign():
            return True
        return name in _REPLACED_BY_ALIKE and self._open.names[-1] == name

    def _is_misplaced(self, name: str) -> bool:
        """Tags after which the parser would take no raw text."""
        return name == "frameset" or "template" in self._open.names

    def _close_all(self) -> str:
        names = (name.split("/") for name in self._open.close_all())
        return "".join(f"</{parts[1] if len(parts) > 1 else parts[0]}>" for parts in names)


def _ended(text: str) -> str:
    """Text before a tag that may be left out: its last ``<`` must not begin one with what follows.

    >>> _ended("a<"), _ended("a")
    ('a&lt;', 'a')
    """
    return text[:-1] + "&lt;" if text.endswith("<") else text


def _without_nesting(html: str) -> str:
    """Links, paragraphs, void elements and raw text only: none of these nest.

    >>> _without_nesting("<div><p>a<DIV>b</div><a href='>'>c</a><br><<<b>i>")
    "<p>ab<a href='>'>c</a><br>&lt;&lt;i>"
    """
    # Two < could make a new tag when what lies between is gone.
    end = html.rfind(">") + 1
    return _NESTING.sub("", _TWICE.sub("&lt;", html[:end])) + html[end:]


def _with_few_attributes(match: re.Match[str]) -> str | None:
    """The tag to write instead, if it has too many attributes."""
    if len(match["attributes"]) < _MOST_ATTRIBUTES:
        return None
    each = split_attributes(match["attributes"])
    if len(each) <= _MOST_ATTRIBUTES:
        return None
    return f"<{match['name']}{''.join(each[:_MOST_ATTRIBUTES])}{match['closed']}>"
