"""SVG and MathML inside a page: the same subtree in XML, each element in its namespace.

HTML serialises namespaces away; they follow from names and ancestors (HTML standard, 13.2.6.5).
"""

import re

from layercrawl.xmldoc import names

XHTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"
MATHML = "http://www.w3.org/1998/Math/MathML"
VOID = frozenset(
    ("area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input")
    + ("keygen", "link", "meta", "param", "source", "track", "wbr")
)
LONGEST_COMMENT = 1_000_000
"""Characters; libxml2 refuses comments of 10 MB."""
_ROOTS = {"svg": SVG, "math": MATHML}
_HTML_INSIDE_SVG = frozenset(("foreignObject", "desc", "title"))
_HTML_INSIDE_MATHML = frozenset(("mi", "mo", "mn", "ms", "mtext"))
_HTML_ANNOTATION = re.compile(r' encoding="(?:text/html|application/xhtml\+xml)"', re.IGNORECASE)
_TOKEN = re.compile(
    r"<!--(?P<comment>.*?)-->|<\?(?P<instruction>[^>]*)>"
    r"|<(?P<close>/?)(?P<name>[A-Za-z][^ \t\n\f\r/>]*)"
    r'(?P<attributes>(?: =?[^ \t\n\f\r/>=]*="[^"]*")*)>',
    re.DOTALL,
)


def comment(data: str) -> str:
    """An XML comment: hyphens kept apart by spaces (13.2.9), cut after `LONGEST_COMMENT`.

    >>> comment(" a -- b -"), comment("---")
    ('<!-- a - - b - -->', '<!--- - - -->')
    """
    data = re.sub("-(?=-)", "- ", data[:LONGEST_COMMENT])
    return f"<!--{data} -->" if data.endswith("-") else f"<!--{data}-->"


def subtree(html: str, start: int) -> tuple[str, int]:
    """The element `svg` or `math` that starts at `start` of serialised HTML, and where it ends.

    >>> subtree('<svg a:b=""><desc><br>x</desc></svg>', 0)[0]
    '<svg xmlns="http://www.w3.org/2000/svg" aU00003Ab=""><desc><br xmlns="http://www.w3.org/1999/xhtml"/>x</desc></svg>'
    """
    out: list[str] = []
    inner = [XHTML]  # the namespace of the open elements' children, innermost last
    outer = [XHTML]  # the namespace of those elements themselves
    position = start
    while match := _TOKEN.search(html, position):
        out.append(html[position : match.start()])
        position = match.end()
        if match["name"] is None:
            instruction = match["instruction"]
            out.append(comment(match["comment"] if instruction is None else f"?{instruction}"))
        elif match["close"]:
            out.append(f"</{names.name(match['name'])}>")
            inner.pop()
            outer.pop()
        else:
            out.append(_start(match["name"], match["attributes"], inner, outer))
        if len(inner) == 1:
            break
    return "".join(out), position


def _start(name: str, serialised: str, inner: list[str], outer: list[str]) -> str:
    """The start tag in XML; opens the element unless it is void."""
    space = _namespace(name, inner[-1])
    declaration = "" if space == outer[-1] else f' xmlns="{space}"'
    coerce = names.attributes if space == XHTML else names.foreign_attributes
    tag = f"<{names.name(name)}{declaration}{coerce(serialised)}"
    if space == XHTML and name in VOID:
        return tag + "/>"
    outer.append(space)
    inner.append(_space_inside(name, space, serialised))
    return tag + ">"


def _namespace(name: str, inherited: str) -> str:
    if inherited.endswith("#text"):
        return MATHML if name in ("mglyph", "malignmark") else _ROOTS.get(name, XHTML)
    if inherited.endswith("#annotation"):
        return SVG if name == "svg" else MATHML
    return _ROOTS.get(name, XHTML) if inherited == XHTML else inherited


def _space_inside(name: str, space: str, serialised: str) -> str:
    """The namespace of children; a fragment marks the two kinds of place where it varies."""
    if space == SVG:
        return XHTML if name in _HTML_INSIDE_SVG else SVG
    if space == MATHML and name in _HTML_INSIDE_MATHML:
        return f"{MATHML}#text"
    if space == MATHML and name == "annotation-xml":
        return XHTML if _HTML_ANNOTATION.search(serialised) else f"{MATHML}#annotation"
    return space
