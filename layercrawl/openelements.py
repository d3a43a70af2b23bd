"""The elements that are open at each point of an HTML page, told from its tags alone.

A model of the stack of open elements and of the list of active formatting elements (HTML standard,
13.2.4.2 and 13.2.4.3) that promises less than the standard's algorithm and costs little:

* above `floor`, `names` holds what the parser's stack holds, formatting elements apart, which may
  lie elsewhere on the stack or only in the list;
* below it, the parser may hold any part of `names`. Wherever the standard's rules go beyond this
  model, the floor rises to the top.

So there are never more elements open in the parser's stack than there are `names`, but for the few
that the standard implies (`html`, `body`, `colgroup`).
"""

from collections.abc import Set

FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt")
    + ("u",)
)
MARKERS = frozenset(("applet", "caption", "marquee", "object", "td", "template", "th"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SECTIONS = frozenset(("tbody", "tfoot", "thead"))
_CELLS = frozenset(("td", "th"))
_TABLE_PARTS = _SECTIONS | _CELLS | {"caption", "tr"}
_FOREIGN_ROOTS = frozenset(("svg", "math"))
_HTML_INSIDE = frozenset(
    ("svg:desc", "svg:foreignobject", "svg:title", "math:mi", "math:mo", "math:mn", "math:ms")
    + ("math:mtext", "math:annotation-xml")
)
_TABLE_SCOPE = frozenset(("table", "template"))
_SCOPE = _HTML_INSIDE | MARKERS | {"select", "table"}
_CLOSE_P = _HEADINGS | frozenset(
    ("address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div")
    + ("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr")
    + ("li", "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre", "search", "section")
    + ("summary", "table", "ul", "xmp")
)
_BLOCKS = (_CLOSE_P - {"p", "li", "hr"}) | frozenset(("applet", "button", "marquee", "object"))
_BLOCKS |= {"select"}
_SPECIAL = _SCOPE | _BLOCKS | _TABLE_PARTS | {"li", "p", "noscript"}
_LIST_BARRIER = _SPECIAL - {"address", "div", "p"}
_IGNORED_ENDS = frozenset(("body", "br", "colgroup", "head", "html"))
_IN_HEAD = frozenset(
    ("base", "basefont", "bgsound", "head", "html", "link", "meta", "noframes", "noscript")
    + ("script", "style", "template", "title")
)
_LEAVE_FOREIGN = _HEADINGS | frozenset(
    ("b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em")
    + ("embed", "font", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol")
    + ("p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt")
    + ("u", "ul", "var")
)
_MOST_SPECIALS = 7
"""The adoption agency runs eight times at most."""


class OpenElements:
    """What is open after the tags given so far.

    >>> page = OpenElements()
    >>> for name in ("ul", "li", "b", "li"):
    ...     page.start(name)
    >>> page.names
    ['ul', 'b', 'li']
    >>> page.end("ul"), page.names
    (None, ['b'])
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.floor = 0
        self.steps = 0
        self._below: Set[str] = frozenset()
        self._leaky = False  # a formatting element left the stack but not the list
        self._form = False
        self._in_body = False

    def foreign(self) -> bool:
        """Whether the parser takes the next start tag for SVG or MathML."""
        return bool(self.names) and ":" in self.names[-1] and self.names[-1] not in _HTML_INSIDE

    def formatting(self) -> int:
        """How many formatting elements the parser may have to open again in each new block."""
        return sum(name in FORMATTING for name in self.names)

    def start(self, name: str) -> None:
        """A start tag of an HTML element that is neither void nor raw text."""
        self.imply(name)
        if name in _TABLE_PARTS and not self._enter_table_part(name):
            return
        if name == "form":
            if self._form and "template" not in self.names:
                return
            self._form = True
            if self._innermost_table_part() in _SECTIONS | {"table", "tr"}:
                return
        self.names.append(f"{name}:{name}" if name in _FOREIGN_ROOTS else name)

    def start_foreign(self, name: str, html_inside: bool = False) -> None:
        """A start tag of an element of SVG or MathML, below `svg` or `math`."""
        raise NotImplementedError
