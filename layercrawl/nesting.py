"""A bound on how deep the elements of a page nest, set in its source before it is parsed.

Tree construction is quadratic in nesting: 40,000 nested ``<li>`` take Lexbor 19 seconds. It is also
quadratic in the attributes of a tag, and in formatting elements left open, each of which is made
anew in every later block. One pass over the tags bounds all three.
"""

import re
from collections.abc import Iterator

from layercrawl.openelements import FORMATTING, MOST_COPIES, OpenElements

LIMIT = 200
"""The most elements open at a time."""
_MOST_ATTRIBUTES = 1000
_SHORT = 40_000  # too short for so many attributes that they matter
_LEAST_PROGRESS = 0.8
_MOST_TAGS = 200_000  # that are followed one by one

_SPACE = " \t\n\f\r"
_ATTRIBUTE = (
    rf"(?:=[^{_SPACE}/>=]*+|[^{_SPACE}/>=]++)"
    rf"(?:[{_SPACE}]*+=[{_SPACE}]*+(?:\"[^\"]*+\"|'[^']*+'|[^{_SPACE}>\"'][^{_SPACE}>]*+|(?=>)))?+"
)
_TOKEN = re.compile(
    r"<(?:(?P<end>/?)(?P<name>[a-zA-Z][^ \t\n\f\r/>]*+)"
    rf"(?P<attributes>(?:[{_SPACE}]++|/(?!>)|{_ATTRIBUTE})*+)(?P<closed>/?)>"
    r"|!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|(?P<section>!\[CDATA\[)"
    r"|[!?/][^>]*+>"
    r"|[a-zA-Z!?/].*+)",  # a tag that the page's end cuts off
    re.DOTALL,
)
_ATTRIBUTES = re.compile(rf"[{_SPACE}/]*+{_ATTRIBUTE}")
_RAW_TEXT = frozenset(
    ("iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp")
)
_RAW_END = {name: re.compile(rf"</{name}(?=[{_SPACE}/>])", re.I) for name in _RAW_TEXT}
_SCRIPT_MARK = re.compile(rf"<!--|-->|</?script(?=[{_SPACE}/>])", re.I)
_VOID = frozenset(
    ("area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img")
    + ("input", "keygen", "link", "meta", "param", "source", "track", "wbr")
)
_MANY_ATTRIBUTES = re.compile(
    rf"<[a-zA-Z](?:[^{_SPACE}/>]{{200}}|[^{_SPACE}/>]*+(?:[{_SPACE}/]*+[^{_SPACE}/>=]{{1,200}}+"
    rf"(?:=[{_SPACE}]*+(?:\"[^\"]*+\"|'[^']*+'|[^{_SPACE}>\"']{{1,200}}+))?+){{{_MOST_ATTRIBUTES}}})"
)
_FORMATTING = re.compile(rf"<(?:{'|'.join(FORMATTING)})[{_SPACE}/>]", re.IGNORECASE | re.ASCII)
_NESTING = re.compile(
    rf"</?(?!(?:{'|'.join(('a', 'li', 'p', *_VOID, *_RAW_TEXT))})(?=[{_SPACE}/>])"
    rf"(?:[{_SPACE}/]++|{_ATTRIBUTE}){{0,200}}+>)"
    rf"[a-z][^{_SPACE}/>]*+(?:[{_SPACE}/]++|{_ATTRIBUTE})*+>",
    re.IGNORECASE | re.ASCII,
)
# An element that holds text only, or a tag without content. Taken away again and again, these leave
# the tags that may nest, whatever the text around makes of them: a start tag goes only together
# with its end tag, between which all is closed. A form may outlive its end tag (13.2.6.4.7).
_CLOSED = re.compile(
    rf"<(?:(?!form[{_SPACE}>])([a-z][\w:-]*+)(?:[{_SPACE}]++[a-z][\w:.-]*+"
    rf"(?:=(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^{_SPACE}\"'<>=]++))?+){{0,100}}+[{_SPACE}]*+>[^<]*+</\1>"
    r"|!--[^<>]*+-->"
    rf"|(?:br|hr|img|meta)(?:[{_SPACE}]++[a-z][\w:.-]*+(?:=\"[^\"<>]*+\")?+)*+[{_SPACE}]*+/?>)",
    re.IGNORECASE | re.ASCII,
)
_LEFT_CLOSED = _VOID | _RAW_TEXT | frozenset(("body", "colgroup", "frameset", "head", "html"))
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


def _is_shallow(html: str) -> bool:
    """Whether a few passes of C show that the page needs no other."""
    if len(html) > _SHORT and _MANY_ATTRIBUTES.search(html):
        return False
    tags = html.count("<") - html.count("</")
    left = _most_open(html)
    while left > LIMIT or tags > LIMIT and _formatting_left(html) * tags > MOST_COPIES:
        before = left
        html = _CLOSED.sub(".", html)
        left = _most_open(html)
        if left > _LEAST_PROGRESS * before:
            return False
    return True


def _most_open(html: str) -> int:
    """The number of start tags, and of the two elements that a cell may imply around it."""
    cells = html.count("<t") + html.count("<T")
    return html.count("<") - html.count("</") + 2 * cells


def _formatting_left(html: str) -> int:
    return len(_FORMATTING.findall(html))


class _Page:
    """One pass over a page's tags; `pieces` gives its source again, bounded."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._open = OpenElements()
        self._dropped: dict[str, int] = {}  # start tags left out whose end tags did not come yet
        self._raw_text = ""  # the element whose raw text, then end tag follow
        self.changed = False

    def pieces(self) -> Iterator[str]:
        written = position = tags = 0
        while match := _TOKEN.search(self._html, position):
            position, tag = match.end(), None
            tags += 1
            if tags > _MOST_TAGS:
                self.changed = True
                yield self._html[written : match.start()] + self._close_all()
                yield _without_nesting(self._html[match.start() :])
                return
            if match["name"]:
                tag = self._end_tag(match) if match["end"] else self._start_tag(match)
            if tag is not None:
                yield self._html[written : match.start()] + tag
                written, self.changed = position, True
            if self._raw_text:
                position = _raw_text_end(self._html, self._raw_text, position)
            elif match["section"]:
                position = self._section_end(position)
        yield self._html[written:]

    def _section_end(self, start: int) -> int:
        """The end of ``<![CDATA[``, which is a comment up to the first ``>`` in HTML proper."""
        end = "]]>" if self._open.names[-1:] and ":" in self._open.names[-1] else ">"
        found = self._html.find(end, start)
        return len(self._html) if found < 0 else found + len(end)

    def _end_tag(self, match: re.Match[str]) -> str | None:
        """The tag to write instead, if any."""
        name = _lower(match["name"])
        if self._raw_text:
            self._raw_text = ""
            return None
        if self._dropped.get(name):
            self._dropped[name] -= 1
            return ""
        if name == "form" and self._open.is_misplaced_form_end():
            return ""
        self._open.end(name)
        return match[0] + self._close_all() if self._open.lost else None

    def _start_tag(self, match: re.Match[str]) -> str | None:
        name = _lower(match["name"])
        tag = _with_few_attributes(match)
        before = self._close_all() if self._open.is_uncertain_beyond(LIMIT) else ""
        foreign = self._open.foreign_name(name, match["attributes"])
        if name in _STRIPPED and not foreign and self._is_misplaced(name):
            return before
        if self._is_left_open(name, foreign, bool(match["closed"])):
            if not self._has_room(name):
                self._dropped[name] = self._dropped.get(name, 0) + 1
                return before
            self._open.start(name, foreign)
        elif not foreign:
            self._open.imply(name)
            self._raw_text = name if name in _RAW_TEXT else ""
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
        return "".join(f"</{name.split(':')[-1].split('/')[0]}>" for name in self._open.close_all())


def _without_nesting(html: str) -> str:
    """Links, paragraphs, list items, void elements and raw text only: none of these nest.

    >>> _without_nesting("<div><p>a<DIV>b</div><a href='>'>c</a><br><<b>i>")
    "<p>ab<a href='>'>c</a><br>&lt;i>"
    """
    # Two < could make a new tag when what lies between is gone.
    end = html.rfind(">") + 1
    return _NESTING.sub("", html[:end].replace("<<", "&lt;<")) + html[end:]


def _with_few_attributes(match: re.Match[str]) -> str | None:
    """The tag to write instead, if it has too many attributes."""
    if len(match["attributes"]) < _MOST_ATTRIBUTES:
        return None
    each = [found[0] for found in _ATTRIBUTES.finditer(match["attributes"])]
    if len(each) <= _MOST_ATTRIBUTES:
        return None
    return f"<{match['name']}{''.join(each[:_MOST_ATTRIBUTES])}{match['closed']}>"


def _lower(name: str) -> str:
    # Only ASCII letters have a lower case in HTML: <lin\u212a> is not <link>.
    return name.lower() if name.isascii() else name


def _raw_text_end(html: str, name: str, start: int) -> int:
    """Where the end tag begins that ends raw text, which begins at `start`."""
    if name == "plaintext":
        return len(html)
    if name == "script":
        return _script_end(html, start)
    match = _RAW_END[name].search(html, start)
    return match.start() if match else len(html)


def _script_end(html: str, start: int) -> int:
    """Tokenisation, 13.2.5.4 and following: a script may hold another inside ``<!-- -->``.

    >>> html = "<script><!--<script></script>--></script>"
    >>> _script_end(html, 8) == html.rindex("</script>")
    True
    """
    escaped = nested = False
    position = start
    while match := _SCRIPT_MARK.search(html, position):
        position = match.end()
        mark = match[0].lower()
        if mark == "<!--":
            escaped = True
            position -= 2  # its hyphens may belong to -->
        elif mark == "-->":
            escaped = nested = False
        elif mark == "</script":
            if not nested:
                return match.start()
            nested = False
        else:
            nested = escaped
    return len(html)
