"""A page's HTML as one well-formed XML 1.0 document.

Lexbor parses and serialises in C; what is left is to amend the serialised HTML where XML differs.
That takes a fifth of the time of a walk over the nodes. It is sound because raw text (scripts,
styles), the only text that HTML does not escape, is escaped in the tree first: from then on each
``<`` of the serialised page begins a tag or a comment, or lies in a name, and tags are unambiguous.
"""

import re
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from layercrawl import nesting
from layercrawl.markup.elements import title
from layercrawl.markup.slicing import slices
from layercrawl.xmldoc import foreign_content, names

LONGEST = 2_000_000
"""Characters that one text node, attribute or comment may have: libxml2 refuses 10 MB."""

MOST_TAGS = 300_000
"""Tags, start and end, of one tree, which takes about 0.4 kB for each."""

_END = "</body></html>"
_RAW_TEXT = "script,style,xmp,iframe,noembed,noframes,plaintext"
_LONGEST_TITLE = 200
_LONGEST_LANG = 100
_SURROGATE = re.compile("[\ud800-\udfff]")
_VOID = "|".join(sorted(foreign_content.VOID))
_PLAIN_ATTRIBUTES = r'(?: (?!xmlns)[a-z_][a-z0-9_.-]{0,99}+="[^"\n\t]*+")*+'
# Everything that XML writes otherwise. Most tags are passed by the look-ahead alone.
_DIFFERENT = re.compile(
    rf"<(?!/[a-z][a-z0-9-]{{0,99}}+>"
    rf"|(?!(?:{_VOID}|html|svg|math)[ >])[a-z][a-z0-9-]{{0,99}}+{_PLAIN_ATTRIBUTES}>)"
    rf"(?:(?P<void>{_VOID}){_PLAIN_ATTRIBUTES}>"
    r"|!--(?P<comment>.*?)-->|!(?P<doctype>[^>]*)>|\?(?P<instruction>[^>]*)>"
    r"|(?P<close>/?)(?P<name>[A-Za-z][^ \t\n\f\r/>]*)"
    r'(?P<attributes>(?: =?[^ \t\n\f\r/>=]*="[^"]*")*)>)',
    re.DOTALL,
)
_LONG_TAG = re.compile(rf"<[^<>!]{{{LONGEST},}}>")
_LONG_TEXT = re.compile(rf">[^<]{{{LONGEST},}}")
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
_CUT_REFERENCE = re.compile(r"&[^;]{0,8}\Z")


def to_xml(html: str, **attributes: str | int | None) -> str:
    """One XML 1.0 document, without declaration: ``page`` with the attributes given, XHTML inside.

    None leaves an attribute out. The page's own ``title``, white space collapsed, and ``lang`` are
    added where it has them, of `_LONGEST_TITLE` and `_LONGEST_LANG` characters at most. A page that
    nests too deeply (`nesting.flatten`) has ``flattened="true"``. One with a tag beyond `LONGEST`
    characters has ``cut="true"``: its values share that length. Text is never cut; empty comments
    part it where it is longer. A page of more than `MOST_TAGS` is read in slices (`slices`), whose
    ends close what is open. Every result is valid by ``schema/page.rng`` if ``url`` is given, and
    suits expat and libxml2 with their default limits.

    >>> to_xml("<title>T</title><p>a<br>b", url="http://a.example/?x&y", depth=0, status=None)
    '<page xmlns="urn:layercrawl:page" url="http://a.example/?x&amp;y" depth="0" title="T"><html \
xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>a<br/>b</p></body>\
</html></page>'
    """
    found, flattened = _read(html)
    body, cut = _LONG_TAG.subn(_with_short_values, found.body)
    of_page: dict[str, str | int | None] = {
        "title": found.title or None,
        "lang": found.lang or None,
        "flattened": "true" if flattened else None,
        "cut": "true" if cut else None,
    }
    body = _LONG_TEXT.sub(_parted, body)
    return names.characters(f"<page{_page_attributes(attributes | of_page)}>{body}</page>")


class _Read(NamedTuple):
    """A page's element ``html`` in XML, and what it says of itself."""

    body: str
    title: str
    lang: str


def _read(html: str) -> tuple[_Read, bool]:
    """The page, and whether it had to be made flatter; what is small is not looked at before."""
    if nesting.is_small(html):
        found = _in_xml([_tree(html)])
        if _depth(found.body) <= nesting.LIMIT:
            return found, False
    flat, flattened = nesting.flatten(html)
    parts = slices(flat) if flat.count("<") > MOST_TAGS else [flat]
    return _in_xml(map(_tree, parts)), flattened


def _depth(body: str) -> int:
    """How deep the elements nest, or more. In `body` each ``<`` begins a tag or a comment."""
    tags = body.count("<")
    if tags <= nesting.LIMIT:
        return tags
    octets = np.frombuffer(_COMMENT.sub("", body).encode(), dtype=np.uint8)
    begins, ends = np.flatnonzero(octets == ord("<")), np.flatnonzero(octets == ord(">"))
    closing, empty = octets[begins + 1] == ord("/"), octets[ends - 1] == ord("/")
    opened = (1 - 2 * closing.astype(np.int32) - empty).cumsum()
    return int((opened + empty).max(initial=0))


def _with_short_values(tag: re.Match[str]) -> str:
    longest = LONGEST // len(names.ATTRIBUTE.findall(tag[0]))
    return names.ATTRIBUTE.sub(
        lambda match: f' {match[1]}="{_CUT_REFERENCE.sub("", match[2][:longest])}"', tag[0]
    )


def _parted(match: re.Match[str]) -> str:
    text, parts, start = match[0], [], 0
    while len(text) - start > LONGEST:
        part = _CUT_REFERENCE.sub("", text[start : start + LONGEST])
        parts.append(part)
        start += len(part)
    return "<!---->".join([*parts, text[start:]])


def _page_attributes(given: dict[str, str | int | None]) -> str:
    escaped = "".join(
        f' {key}="{escape(str(value))}"' for key, value in given.items() if value is not None
    )
    return ' xmlns="urn:layercrawl:page"' + names.attributes(escaped)


def _in_xml(trees: Iterable[LexborHTMLParser]) -> _Read:
    """The page of these trees, each one slice of it, one after another."""
    parts = []
    name = lang = ""
    for tree in trees:
        _escape_raw_text(tree)
        parts.append(tree.html or "")
        name = name or title(tree, [node for node in [tree.css_first("title")] if node])
        lang = lang or ((tree.root.attributes.get("lang") or "").strip() if tree.root else "")
    html = parts[0]
    if len(parts) > 1:
        html = html.removesuffix(_END) + "".join(map(_contents, parts[1:])) + _END
    body = _amended(html).replace("&nbsp;", "\xa0")
    return _Read(body, name[:_LONGEST_TITLE], lang[:_LONGEST_LANG])


def _contents(html: str) -> str:
    """What lies in the head and in the body of a serialised tree."""
    head, _, rest = html.partition("</head>")
    return head.partition("<head>")[2] + rest.partition(">")[2].removesuffix(_END)


def _tree(html: str) -> LexborHTMLParser:
    try:
        return LexborHTMLParser(html.encode())
    except UnicodeEncodeError:  # selectolax would drop lone surrogates without a word
        return LexborHTMLParser(_SURROGATE.sub("\ufffd", html))


def _escape_raw_text(tree: LexborHTMLParser) -> None:
    templates = False
    for node in tree.css(f"{_RAW_TEXT},template"):
        if node.tag == "template":
            templates = True
        else:
            _escape_text(node)
    fragments = tree.template_fragments() if templates else []
    while fragments:
        fragment = fragments.pop()
        for node in fragment.css(_RAW_TEXT):
            _escape_text(node)
        fragments += fragment.template_fragments()


def _escape_text(node: LexborNode) -> None:
    child = node.first_child
    while child is not None:
        following = child.next
        if child.tag == "-text":
            text = child.text_content or ""
            child.replace_with(escape(text, quote=False))
        child = following


def _amended(html: str) -> str:
    pieces: list[str] = []
    position = 0
    while match := _DIFFERENT.search(html, position):
        start, end = match.span()
        if match.lastgroup == "void":  # most are
            pieces += (html[position : end - 1], "/>")
        elif match["name"] in ("svg", "math") and not match["close"]:
            foreign, end = foreign_content.subtree(html, start)
            pieces += (html[position:start], foreign)
        else:
            pieces += (html[position:start], _rewritten(match))
        position = end
    pieces.append(html[position:])
    return "".join(pieces)


def _rewritten(match: re.Match[str]) -> str:
    """In XML: a comment, processing instruction, doctype (none) or tag of an HTML element."""
    if match.lastgroup == "comment":
        return foreign_content.comment(match["comment"])
    if match.lastgroup == "instruction":
        return foreign_content.comment(f"?{match['instruction']}")
    if match.lastgroup == "doctype":
        return ""
    tag, attributes = match["name"], names.attributes(match["attributes"])
    if tag == "html" and not match["close"]:
        attributes = f' xmlns="{foreign_content.XHTML}"' + attributes
    end = "/>" if tag in foreign_content.VOID else ">"
    return f"<{match['close']}{names.name(tag)}{attributes}{end}"
