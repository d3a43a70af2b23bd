"""The elements that are open at each point of an HTML page, told from its tags alone.

A model of the stack of open elements and the list of active formatting elements (HTML standard,
13.2.4.2 and 13.2.4.3) that promises less than the standard's algorithm and takes constant time a
tag. What the parser holds open is always a part of `names`, in this order, but for elements that
the standard implies (`html`, `body`, `colgroup`) and one `a` for each marker. Above `floor`, `names`
is what the parser holds, save that formatting elements may lie elsewhere, or be closed but still to
be opened again in the next block. Wherever the standard's rules go beyond this model, the floor
rises to the top, and what is below it is only let go by an end tag that fits the top.
"""

from collections.abc import Set

FORMATTING = frozenset(
    ("b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)
MARKERS = frozenset(("applet", "caption", "marquee", "object", "td", "template", "th"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SECTIONS = frozenset(("tbody", "tfoot", "thead"))
_CELLS = frozenset(("td", "th"))
_TABLE_PARTS = _SECTIONS | _CELLS | {"caption", "tr"}
_HTML_INSIDE = frozenset(
    ("svg:desc", "svg:foreignobject", "svg:title", "math:mi", "math:mo", "math:mn", "math:ms")
    + ("math:mtext", "math:annotation-xml/html")
)
_TABLE_SCOPE = frozenset(("table", "template"))
_SCOPE = _HTML_INSIDE | MARKERS | {"select", "table", "math:annotation-xml"}
_CLOSE_P = _HEADINGS | frozenset(
    ("address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div")
    + ("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr")
    + ("li", "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre", "search", "section")
    + ("summary", "table", "ul", "xmp")
)
_SPECIAL = _SCOPE | _CLOSE_P | _TABLE_PARTS | {"button", "noscript", "optgroup", "option"}
_LIST_BARRIER = _SPECIAL - {"address", "div", "p", "option", "optgroup"}
_IMPLIED_ENDS = frozenset(("dd", "dt", "li", "optgroup", "option", "p", "rb", "rp", "rt", "rtc"))
_LEAVE_FOREIGN = _HEADINGS | FORMATTING - {"font"} | frozenset(
    ("blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "embed", "head", "hr", "img")
    + ("li", "listing", "menu", "meta", "ol", "p", "pre", "ruby", "span", "sub", "sup", "table")
    + ("ul", "var")
)
_REACH = 24


class OpenElements:
    """What is open after the tags given so far.

    >>> page = OpenElements()
    >>> for name in ("ul", "li", "b", "li"):
    ...     page.start(name)
    >>> page.names
    ['ul', 'b', 'li']
    >>> page.end("ul")
    >>> page.names
    ['b']
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.floor = 0
        self._leaky = False  # a formatting element left the stack, but not the list

    def depth(self) -> int:
        """The most elements that can be open in the parser, without `html` and `body`."""
        return len(self.names) + sum(name in MARKERS for name in self.names)

    def foreign(self) -> str:
        """`svg` or `math` where the parser takes the next start tag for an element of it, or ``""``."""
        if not self.names or self.names[-1] in _HTML_INSIDE:
            return ""
        return self.names[-1].partition(":")[0] if ":" in self.names[-1] else ""

    def leaves_foreign(self, name: str) -> bool:
        """Whether this start tag ends the SVG or MathML around it; if so it is ended."""
        if name not in _LEAVE_FOREIGN:
            return False
        while self.foreign():
            self.names.pop()
        self.floor = min(self.floor, len(self.names))
        return True

    def start(self, name: str) -> None:
        """A start tag of an HTML element that stays open."""
        self.imply(name)
        if name == "a" or name in _TABLE_PARTS and not self._enter_table_part(name):
            return
        self.names.append(f"{name}:{name}" if name in ("svg", "math") else name)

    def imply(self, name: str) -> None:
        """What an HTML start tag closes, be its element void or not."""
        if name in _CLOSE_P:
            self._imply_end(("p",), _SCOPE | {"button"})
        if name == "li":
            self._imply_end(("li",), _LIST_BARRIER)
        elif name in ("dd", "dt"):
            self._imply_end(("dd", "dt"), _LIST_BARRIER)
        elif name in _UNCERTAIN:
            self._imply_uncertainly(name)

    def _imply_end(self, closed: tuple[str, ...], barrier: Set[str]) -> None:
        at = self._find(closed, barrier)
        if at is None:
            self.floor = len(self.names)
        elif at >= 0:
            self._cut(at)

    def _imply_uncertainly(self, name: str) -> None:
        """Start tags whose effect hangs on the very element on top, or on modes."""
        names = self.names
        top = names[-1] if names else ""
        if name in ("option", "optgroup"):
            if top == "option" and not self._leaky:
                names.pop()
            elif top in _IMPLIED_ENDS or top in FORMATTING or self._leaky:
                self.floor = len(names)
        elif name == "table":
            at = self._find(tuple(_TABLE_PARTS | {"table"}), frozenset(("template",)))
            if at is None or at >= 0 and names[at] not in MARKERS:
                self.floor = len(names)
        elif not _UNCERTAIN[name].isdisjoint(names):
            self.floor = len(names)
        self.floor = min(self.floor, len(names))

    def _enter_table_part(self, name: str) -> bool:
        """Clears the stack back to where this part of a table belongs; whether there is a table."""
        context = _TABLE_SCOPE
        if name in _CELLS:
            context = _TABLE_SCOPE | _SECTIONS | {"tr"}
        elif name == "tr":
            context = _TABLE_SCOPE | _SECTIONS
        at = self._find(tuple(context), frozenset())
        if at is None or at < 0:
            self.floor = len(self.names)
            return at is None
        if self.names[at] == "template" and at + 1 < len(self.names):
            self.floor = len(self.names)
            return True
        self._cut(at + 1)
        if name in _CELLS | {"tr"} and self.names[-1] == "table":
            self.names.append("tbody")
        if name in _CELLS and self.names[-1] in _SECTIONS:
            self.names.append("tr")
        return True

    def end(self, name: str) -> None:
        """An end tag."""
        names = self.names
        if names and names[-1] == name:
            names.pop()
            self.floor = min(self.floor, len(names))
        elif not self._end_foreign(name):
            self._end_html(name)

    def _end_foreign(self, name: str) -> bool:
        for at in range(len(self.names) - 1, -1, -1):
            entry = self.names[at]
            if ":" not in entry:
                return False
            if entry.partition(":")[2].partition("/")[0] == name:
                del self.names[at:]
                self.floor = min(self.floor, at)
                return True
        return False

    def _end_html(self, name: str) -> None:
        closed = tuple(_HEADINGS) if name in _HEADINGS else (name,)
        at = self._find(closed, _ENDS.get(name, _SPECIAL))
        if name in FORMATTING:
            at = self._find(closed, _SCOPE)
            if at is not None and at >= 0 and not self._blocks(at):
                del self.names[at]
        elif name in ("form", "noscript"):
            return
        elif at is None and name in _ENDS:
            self.floor = len(self.names)
        elif at is not None and at >= 0:
            self._cut(at)

    def _blocks(self, at: int) -> int:
        return sum(name in _SPECIAL for name in self.names[at:])

    def _find(self, wanted: tuple[str, ...], barrier: Set[str]) -> int | None:
        """Where the uppermost of the wanted is; -1 if a barrier hides it or none is open.

        None: this model cannot tell.
        """
        names = self.names
        for at in range(len(names) - 1, max(self.floor, len(names) - _REACH) - 1, -1):
            if names[at] in wanted:
                return at
            if names[at] in barrier:
                return -1
        return -1 if _absent(names, wanted) else None

    def _cut(self, at: int) -> None:
        """Closes all from `at` up; formatting elements stay, to be opened again, up to a marker."""
        kept: list[str] = []
        for name in reversed(self.names[at:]):
            if name in MARKERS:
                kept.clear()
            elif name in FORMATTING:
                kept.append(name)
        self.names[at:] = reversed(kept)
        self._leaky = self._leaky or bool(kept)


def _absent(names: list[str], wanted: tuple[str, ...]) -> bool:
    return not any(name in names for name in wanted)


_UNCERTAIN: dict[str, Set[str]] = {
    "option": _IMPLIED_ENDS,
    "optgroup": _IMPLIED_ENDS,
    "table": frozenset(),
    "button": frozenset(("button",)),
    "select": frozenset(("select",)),
    "input": frozenset(("select",)),
    "hr": frozenset(("select",)),
    "keygen": frozenset(("select",)),
}
_UNCERTAIN |= {name: _HEADINGS for name in _HEADINGS}
_UNCERTAIN |= {name: frozenset(("ruby",)) for name in ("rb", "rp", "rt", "rtc")}
_ENDS: dict[str, Set[str]] = {
    name: _SCOPE for name in _CLOSE_P | {"applet", "button", "marquee", "object", "select"}
}
_ENDS |= {name: _TABLE_SCOPE for name in _TABLE_PARTS | {"table"}}
_ENDS["p"] = _SCOPE | {"button"}
_ENDS["li"] = _SCOPE | {"ol", "ul"}
_ENDS["template"] = frozenset()
