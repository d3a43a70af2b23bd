"""The elements that are open at each point of an HTML page, told from its tags alone.

A model of the stack of open elements and the list of active formatting elements (HTML standard,
13.2.4.2 and 13.2.4.3) that promises less than the standard's algorithm and takes constant time a
tag. What the parser holds open is always a part of `names`, in this order, but for elements that
the standard implies (`html`, `body`, `colgroup`) and . Above `floor`, `names`
is what the parser holds, save that formatting elements may lie elsewhere, or be closed but still to
be opened again in the next block. Wherever the standard's rules go beyond this model, the floor
rises to the top, and what is below it is only let go by an end tag that fits the top.
"""

import re
from collections.abc import Set
from html import unescape

FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt")
    + ("u",)
)
MARKERS = frozenset(("applet", "caption", "marquee", "object", "td", "template", "th"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SECTIONS = frozenset(("tbody", "tfoot", "thead"))
_CELLS = frozenset(("td", "th"))
_TABLE_PARTS = _SECTIONS | _CELLS | {"caption", "tr"}
_MATH_TEXT = frozenset(("math:mi", "math:mo", "math:mn", "math:ms", "math:mtext"))
_HTML_INSIDE = _MATH_TEXT | frozenset(
    ("svg:desc", "svg:foreignobject", "svg:title", "math:annotation-xml/html")
)
_TABLE_SCOPE = frozenset(("table", "template"))
_SCOPE = _HTML_INSIDE | MARKERS | {"select", "table", "math:annotation-xml"}
_CLOSE_P = _HEADINGS | frozenset(
    ("address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div")
    + ("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr")
    + ("li", "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre", "search", "section")
    + ("summary", "ul", "xmp")
)
_BUTTON_SCOPE = _SCOPE | {"button"}
_SPECIAL = (_SCOPE | _CLOSE_P | _TABLE_PARTS | {"button", "noscript"}) - {"dialog"}
_LIST_BARRIER = _SPECIAL - {"address", "div", "p"}
_IMPLIED_ENDS = frozenset(("dd", "dt", "li", "optgroup", "option", "p", "rb", "rp", "rt", "rtc"))
_LEAVE_FOREIGN = (
    _HEADINGS
    | (FORMATTING - {"a", "font"})
    | frozenset(
        (
            "blockquote",
            "body",
            "br",
            "center",
            "dd",
            "div",
            "dl",
            "dt",
            "embed",
            "head",
            "hr",
            "img",
        )
        + ("li", "listing", "menu", "meta", "ol", "p", "pre", "ruby", "span", "sub", "sup", "table")
        + ("ul", "var")
    )
)
_FOREIGN_ROOTS = {"svg": "svg:svg", "math": "math:math"}
_NO_EFFECT = frozenset(("body", "br", "col", "colgroup", "head", "html"))
_IN_SECTION = _CELLS | {"tr"}
_TABLE_STATES = tuple(_TABLE_PARTS | _TABLE_SCOPE)
_ALL_HEADINGS = tuple(_HEADINGS)
_CLOSED_ALIKE = {"li": ("li",), "dd": ("dd", "dt"), "dt": ("dd", "dt")}
_CONTEXTS = dict.fromkeys(_TABLE_PARTS, tuple(_TABLE_SCOPE))
_CONTEXTS["tr"] = tuple(_TABLE_SCOPE | _SECTIONS)
_CONTEXTS |= dict.fromkeys(_CELLS, tuple(_TABLE_SCOPE | _SECTIONS | {"tr"}))
# Start tags whose effect hangs on the very element on top: none of these may be open.
_UNCERTAIN: dict[str, Set[str]] = {"button": frozenset(("button",))}
_UNCERTAIN |= dict.fromkeys(("hr", "input", "keygen", "select"), frozenset(("select",)))
_UNCERTAIN |= dict.fromkeys(("rb", "rp", "rt", "rtc"), _IMPLIED_ENDS)
_UNCERTAIN |= dict.fromkeys(_HEADINGS, _HEADINGS)
_ENDS: dict[str, Set[str]] = dict.fromkeys(
    _CLOSE_P | {"applet", "button", "marquee", "object", "select"}, _SCOPE
)
_ENDS |= dict.fromkeys(_TABLE_PARTS | {"table"}, _TABLE_SCOPE)
_ENDS |= {"p": _BUTTON_SCOPE, "li": _SCOPE | {"ol", "ul"}, "template": frozenset()}
_SPACE = " \t\n\f\r"
_FONT = re.compile(rf"(?<![^{_SPACE}/\"'])(?:color|face|size)(?![^{_SPACE}/=])", re.IGNORECASE)
_ENCODING = re.compile(
    rf"(?<![^{_SPACE}/\"'])encoding[{_SPACE}]*=[{_SPACE}]*[\"']?([^{_SPACE}\"']*)", re.I
)
MOST_CERTAIN = 100
MOST_COPIES = 200_000
_REACH = 24  # how far down is looked: what keeps the time for a tag constant
_MOST_BLOCKS = 7  # the adoption agency runs eight times at most


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
        self.copies = 0
        """Formatting elements that the parser may have made anew in blocks."""
        self.lost = False
        """Whether it is unknown if the next tag is one of HTML or of SVG or MathML."""
        self._leaky = False  # a formatting element left the stack, but not the list
        self._in_form = False
        # Of four alike the list forgets the first (13.2.4.3), which blocks then keep on the stack.
        self._forgotten: set[str] = set()

    def depth(self) -> int:
        """The most elements that can be open; each marker counts for the paragraph in it, too."""
        depth = len(self.names)
        if depth < MOST_CERTAIN:
            return depth
        return depth + sum(name in MARKERS for name in self.names)

    def is_uncertain_beyond(self, limit: int) -> bool:
        """Whether more elements than this may be open, or far too many copies be made of some."""
        if not self.floor and not self._leaky:
            return False
        return self.copies > MOST_COPIES or self.floor > 0 and self.depth() >= limit

    def close_all(self) -> list[str]:
        """All that may be open, innermost first, which from now on is closed."""
        closed = self.names[::-1] + ["form"] * self._in_form
        self.names.clear()
        self._in_form = False
        self.floor = 0
        self.lost = self._leaky = False
        self._forgotten.clear()
        return closed

    def foreign(self) -> str:
        """`svg` or `math` where the next start tag may be one of theirs, else the empty string."""
        top = self.names[-1] if self.names else ""
        return "" if top in _HTML_INSIDE else top.partition(":")[0] if ":" in top else ""

    def foreign_name(self, name: str, attributes: str) -> str:
        """What `names` calls the element of SVG or MathML that a start tag makes here, if so."""
        if name in ("mglyph", "malignmark") and self.names[-1:] and self.names[-1] in _MATH_TEXT:
            return f"math:{name}"
        space = self.foreign()
        if not space or name in _LEAVE_FOREIGN or name == "font" and _FONT.search(attributes):
            return ""
        if name == "svg" and self.names[-1] == "math:annotation-xml":
            return "svg:svg"
        if name == "annotation-xml" and space == "math" and _holds_html(attributes):
            return "math:annotation-xml/html"
        return f"{space}:{name}"

    def start(self, name: str, foreign: str = "") -> None:
        """A start tag of an element that stays open; `foreign` is its `foreign_name`.

        An HTML one ends SVG or MathML around it.
        """
        if self._leaky or self.floor:
            self.copies += sum(name in FORMATTING for name in self.names)
        if foreign:
            self.names.append(foreign)
            return
        self.imply(name)
        if name in FORMATTING and self.names.count(name) >= 3:
            self._forgotten.add(name)
        entered: bool | None = True
        if name in _TABLE_PARTS:
            entered = self._enter_table_part(name)
        elif name == "form":
            entered = self._enter_form()
        elif name == "select" and "select" in self.names:
            entered = None
        if entered is not False:
            self.names.append(_FOREIGN_ROOTS.get(name, name))
        if entered is None:
            self._lose_track()

    def imply(self, name: str) -> None:
        """What a start tag of HTML closes, be its element void or not."""
        self._leave_foreign()
        if name in _CLOSE_P:
            self._imply_end(("p",), _BUTTON_SCOPE)
        if name in _CLOSED_ALIKE:
            self._imply_end(_CLOSED_ALIKE[name], _LIST_BARRIER)
        elif name == "a":
            if self._find(("a",), MARKERS) != self._find(("a",), _SCOPE):
                self._lose_track()
            self._end_formatting("a", _SCOPE)
        elif name in ("option", "optgroup"):
            self._imply_end_of_option()
        elif name == "table":
            if "p" in self.names or self._directly_in_table():
                self._lose_track()
        elif name in _UNCERTAIN and not _UNCERTAIN[name].isdisjoint(self.names):
            self._lose_track()

    def is_misplaced_form_end(self) -> bool:
        """Whether the end tag of a form comes where it would leave its form open for ever."""
        at = self._find(("form",), _SCOPE)
        return at is None or at < 0 and "form" in self.names

    def end(self, name: str) -> None:
        """An end tag."""
        names = self.names
        if name == "form":
            self._in_form = False
        elif name in ("br", "p"):
            self._leave_foreign()
        if names and names[-1] == name and not (name == "form" and self._leaky):
            names.pop()
            self.floor = min(self.floor, len(names))
        elif name in FORMATTING:
            if not self._end_foreign(name):
                self._end_formatting(name, _SCOPE)
        elif name not in _NO_EFFECT and not self._end_foreign(name):
            self._end_html(name)

    def _leave_foreign(self) -> None:
        while self.foreign():
            self.names.pop()
        self.floor = min(self.floor, len(self.names))

    def _lose_track(self) -> None:
        self.copies += 8
        self.floor = len(self.names)
        self.lost = self.lost or any(":" in name for name in self.names)

    def _imply_end(self, closed: tuple[str, ...], barrier: Set[str]) -> None:
        at = self._find(closed, barrier)
        if at is None:
            self._lose_track()
        elif at >= 0:
            self._cut(at)

    def _imply_end_of_option(self) -> None:
        top = self.names[-1] if self.names else ""
        if top == "option" and not self._leaky and self.floor < len(self.names):
            self.names.pop()
        elif top in _IMPLIED_ENDS or top in FORMATTING or self._leaky:
            self._lose_track()

    def _directly_in_table(self) -> bool:
        """Whether the parser may be in a table but in no cell of it."""
        at = self._find(_TABLE_STATES, frozenset())
        return at is None or at >= 0 and self.names[at] not in MARKERS

    def _enter_form(self) -> bool | None:
        """Whether a form begins, which it does in no other; None: perhaps."""
        if "template" in self.names:
            return None
        if self._in_form:
            return False
        self._in_form = True
        return None if self._directly_in_table() else True

    def _enter_table_part(self, name: str) -> bool | None:
        """Clears the stack back to where this part of a table belongs; None: perhaps.

        False if there is no table, so that the parser ignores the tag.
        """
        at = self._find(_CONTEXTS[name], frozenset())
        if at is None or at < 0:
            return None if at is None else False
        if self.names[at] == "template":
            return None
        self._cut(at + 1)
        if name in _IN_SECTION and self.names[-1] == "table":
            self.names.append("tbody")
        if name in _CELLS and self.names[-1] in _SECTIONS:
            self.names.append("tr")
        return True

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
        closed = _ALL_HEADINGS if name in _HEADINGS else (name,)
        # What is open in a form stays in it, though the form itself leaves the stack.
        at = self._find(closed, _ENDS.get(name, _SPECIAL))
        if at is None or at >= 0 and name in ("form", "noscript"):
            self._lose_track()
        elif at >= 0:
            self._cut(at)

    def _end_formatting(self, name: str, barrier: Set[str]) -> None:
        """The adoption agency algorithm (13.2.6.4.7)."""
        at = self._find((name,), barrier)
        if at is None or at < 0:
            if at is None:
                self._lose_track()
            return
        above = self.names[at + 1 :]
        blocks = sum(entry in _SPECIAL for entry in above)
        plain = all(entry in _SPECIAL or entry in FORMATTING for entry in above)
        if plain and blocks <= _MOST_BLOCKS and (not blocks or name not in self._forgotten):
            del self.names[at]
        elif not blocks and not self._leaky:
            self._cut(at)
            del self.names[at]
        else:
            self._lose_track()

    def _find(self, wanted: tuple[str, ...], barrier: Set[str]) -> int | None:
        """Where the uppermost of the wanted is; -1 if a barrier hides it or none is open.

        None: this model cannot tell.
        """
        names = self.names
        if not any(name in names for name in wanted):
            return -1
        for at in range(len(names) - 1, max(self.floor, len(names) - _REACH) - 1, -1):
            if names[at] in wanted:
                return at
            if names[at] in barrier:
                return -1
        return None

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


def _holds_html(attributes: str) -> bool:
    match = _ENCODING.search(attributes)
    value = unescape(match[1]).lower() if match else ""
    return value in ("text/html", "application/xhtml+xml")
