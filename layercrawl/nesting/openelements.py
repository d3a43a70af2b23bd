"""The elements that are open at each point of an HTML page, told from its tags alone.

A model of the stack of open elements and the list of active formatting elements (HTML standard,
13.2.4.2 and 13.2.4.3) that promises less than the standard's algorithm and takes constant time a
tag. What the parser holds open is always a part of `names`, in this order, but for elements that
the standard implies (`html`, `body`, `colgroup`). Above `floor`, `names` is what the parser holds,
save that formatting elements may lie elsewhere, or be closed but still to be opened again in the
next block. Wherever the standard's rules go beyond this model, the floor rises to the top, and what
is below it is only let go by an end tag that fits the top.
"""

from collections.abc import Set
from html import unescape

from layercrawl.nesting import elementkinds as kinds
from layercrawl.nesting import tagtokens

MOST_CERTAIN = 100  # names, with the paragraphs in them still within any limit
MOST_COPIES = 200_000
_FONT_OF_HTML = frozenset(("color", "face", "size"))
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
        return depth + sum(name in kinds.MARKERS for name in self.names)

    def is_uncertain_beyond(self, limit: int) -> bool:
        """Whether more elements than this may be open, or far too many copies be made of some."""
        if not self.floor and not self._leaky:
            return False
        return self.copies > MOST_COPIES or self.floor > 0 and self.depth() >= limit

    def strands_marker(self, name: str) -> bool:
        """Whether this tag of a table pops an object, whose marker would stay in the list."""
        if name not in kinds.TABLE_TAGS or kinds.OBJECTS.isdisjoint(self.names):
            return False
        states = kinds.OBJECTS.union(kinds.TABLE_STATES)
        innermost = next(name for name in reversed(self.names) if name in states)
        return innermost in kinds.OBJECTS and (name != "table" or self._directly_in_table())

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
        return "" if top in kinds.HTML_INSIDE else top.partition("/")[0] if "/" in top else ""

    def foreign_name(self, name: str, attributes: str) -> str:
        """What `names` calls the element of SVG or MathML that a start tag makes here, if so."""
        if (
            name in ("mglyph", "malignmark")
            and self.names[-1:]
            and self.names[-1] in kinds.MATH_TEXT
        ):
            return f"math/{name}"
        space = self.foreign()
        if not space or name in kinds.LEAVE_FOREIGN:
            return ""
        if name == "font" and not _FONT_OF_HTML.isdisjoint(tagtokens.attributes(attributes)):
            return ""
        if name == "svg" and self.names[-1] == "math/annotation-xml":
            return "svg/svg"
        if name == "annotation-xml" and space == "math" and _holds_html(attributes):
            return "math/annotation-xml/html"
        return f"{space}/{name}"

    def start(self, name: str, foreign: str = "") -> None:
        """A start tag of an element that stays open; `foreign` is its `foreign_name`.

        An HTML one ends SVG or MathML around it.
        """
        if self._leaky or self.floor:
            self.copies += sum(name in kinds.FORMATTING for name in self.names)
        if foreign:
            self.names.append(foreign)
            return
        if name == "form" and self._in_form and "template" not in self.names:
            return  # ignored: it does not even end a paragraph
        self.imply(name)
        if name in kinds.FORMATTING and self.names.count(name) >= 3:
            self._forgotten.add(name)
        entered: bool | None = True
        if name in kinds.TABLE_PARTS:
            entered = self._enter_table_part(name)
        elif name == "form":
            entered = self._enter_form()
        elif name == "select" and "select" in self.names:
            entered = None
        if entered is not False:
            self.names.append(kinds.FOREIGN_ROOTS.get(name, name))
        if entered is None:
            self._lose_track()

    def imply(self, name: str) -> None:
        """What a start tag of HTML closes, be its element void or not."""
        self._leave_foreign()
        if name in kinds.CLOSED_ALIKE:
            self._imply_end(kinds.CLOSED_ALIKE[name], kinds.LIST_BARRIER)
        if name in kinds.CLOSE_P:
            self._imply_end(("p",), kinds.BUTTON_SCOPE)
        if name == "a":
            self._imply_end_of_link()
        elif name in ("option", "optgroup"):
            self._imply_end_of_option()
        elif self._has_unknown_effect(name):
            self._lose_track()

    def _has_unknown_effect(self, name: str) -> bool:
        if name in ("col", "colgroup"):
            return self._enter_table_part(name) is None
        if name == "table":
            return "p" in self.names or self._directly_in_table()
        return name in kinds.UNCERTAIN and not kinds.UNCERTAIN[name].isdisjoint(self.names)

    def is_misplaced_form_end(self) -> bool:
        """Whether the end tag of a form comes where it would leave its form open for ever."""
        at = self._find(("form",), kinds.SCOPE)
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
        elif name in kinds.FORMATTING:
            if not self._end_foreign(name):
                self._end_formatting(name, kinds.SCOPE)
        elif name not in kinds.NO_EFFECT and not self._end_foreign(name):
            self._end_html(name)

    def _leave_foreign(self) -> None:
        while self.foreign():
            self.names.pop()
        self.floor = min(self.floor, len(self.names))

    def _lose_track(self) -> None:
        self.copies += 8
        self.floor = len(self.names)
        self.lost = self.lost or any("/" in name for name in self.names)

    def _imply_end(self, closed: tuple[str, ...], barrier: Set[str]) -> None:
        at = self._find(closed, barrier)
        if at is None:
            self._lose_track()
        elif at >= 0:
            self._cut(at)

    def _imply_end_of_link(self) -> None:
        # One behind a table leaves the stack, but what is open in it stays in it.
        if self._find(("a",), kinds.MARKERS) != self._find(("a",), kinds.SCOPE):
            self._lose_track()
        self._end_formatting("a", kinds.SCOPE)

    def _imply_end_of_option(self) -> None:
        top = self.names[-1] if self.names else ""
        if top == "option" and not self._leaky and self.floor < len(self.names):
            self.names.pop()
        elif top in kinds.IMPLIED_ENDS or top in kinds.FORMATTING or self._leaky:
            self._lose_track()

    def _directly_in_table(self) -> bool:
        """Whether the parser may be in a table but in no cell of it."""
        at = self._find(kinds.TABLE_STATES, frozenset())
        return at is None or at >= 0 and self.names[at] not in kinds.MARKERS

    def _enter_form(self) -> bool | None:
        """Whether a form begins; None: perhaps."""
        if "template" in self.names:
            return None
        self._in_form = True
        return None if self._directly_in_table() else True

    def _enter_table_part(self, name: str) -> bool | None:
        """Clears the stack back to where this part of a table belongs; None: perhaps.

        False if there is no table, so that the parser ignores the tag.
        """
        at = self._find(kinds.CONTEXTS[name], frozenset())
        if at is None or at < 0:
            return None if at is None else False
        if self.names[at] == "template":
            return None
        self._cut(at + 1)
        if name in kinds.IN_SECTION and self.names[-1] == "table":
            self.names.append("tbody")
        if name in kinds.CELLS and self.names[-1] in kinds.SECTIONS:
            self.names.append("tr")
        return True

    def _end_foreign(self, name: str) -> bool:
        for at in range(len(self.names) - 1, -1, -1):
            entry = self.names[at]
            if "/" not in entry:
                return False
            if entry.split("/")[1] == name:
                del self.names[at:]
                self.floor = min(self.floor, at)
                return True
        return False

    def _end_html(self, name: str) -> None:
        closed = kinds.ALL_HEADINGS if name in kinds.HEADINGS else (name,)
        # What is open in a form stays in it, though the form itself leaves the stack.
        at = self._find(closed, kinds.ENDS.get(name, kinds.SPECIAL))
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
        blocks = sum(entry in kinds.SPECIAL for entry in above)
        plain = all(entry in kinds.SPECIAL or entry in kinds.FORMATTING for entry in above)
        if plain and blocks <= _MOST_BLOCKS and (not blocks or name not in self._forgotten):
            del self.names[at]
        elif not blocks and not self._leaky:
            self._cut(at + 1)
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
            if name in kinds.MARKERS:
                kept.clear()
            elif name in kinds.FORMATTING:
                kept.append(name)
        self.names[at:] = reversed(kept)
        self._leaky = self._leaky or bool(kept)


def _holds_html(attributes: str) -> bool:
    encoding = tagtokens.attributes(attributes).get("encoding", "")
    return unescape(encoding).lower() in ("text/html", "application/xhtml+xml")
