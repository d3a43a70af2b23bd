"""Kinds of HTML elements, by name, that tree construction treats alike.

From the HTML standard, 13.2.4.2 to 13.2.6.5. A name of SVG or MathML has its language before a
slash, which no tag's name can have: ``<o:p>`` is HTML.
"""

from collections.abc import Set

FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt")
    + ("u",)
)
MARKERS = frozenset(("applet", "caption", "marquee", "object", "td", "template", "th"))
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
SECTIONS = frozenset(("tbody", "tfoot", "thead"))
CELLS = frozenset(("td", "th"))
TABLE_PARTS = SECTIONS | CELLS | {"caption", "tr"}
MATH_TEXT = frozenset(("math/mi", "math/mo", "math/mn", "math/ms", "math/mtext"))
HTML_INSIDE = MATH_TEXT | frozenset(
    ("svg/desc", "svg/foreignobject", "svg/title", "math/annotation-xml/html")
)
TABLE_SCOPE = frozenset(("table", "template"))
SCOPE = HTML_INSIDE | MARKERS | {"select", "table", "math/annotation-xml"}
CLOSE_P = HEADINGS | frozenset(
    ("address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div")
    + ("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr")
    + ("li", "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre", "search", "section")
    + ("summary", "ul", "xmp")
)
BUTTON_SCOPE = SCOPE | {"button"}
SPECIAL = (SCOPE | CLOSE_P | TABLE_PARTS | {"button", "noscript"}) - {"dialog"}
LIST_BARRIER = SPECIAL - {"address", "div", "p"}
IMPLIED_ENDS = frozenset(("dd", "dt", "li", "optgroup", "option", "p", "rb", "rp", "rt", "rtc"))
LEAVE_FOREIGN = (
    HEADINGS
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
FOREIGN_ROOTS = {"svg": "svg/svg", "math": "math/math"}
NO_EFFECT = frozenset(("body", "br", "col", "colgroup", "head", "html"))
IN_SECTION = CELLS | {"tr"}
TABLE_STATES = tuple(TABLE_PARTS | TABLE_SCOPE)
OBJECTS = frozenset(("applet", "marquee", "object"))
TABLE_TAGS = TABLE_PARTS | TABLE_SCOPE | {"col", "colgroup"}
ALL_HEADINGS = tuple(HEADINGS)
CLOSED_ALIKE = {"li": ("li",), "dd": ("dd", "dt"), "dt": ("dd", "dt")}
CONTEXTS = dict.fromkeys(TABLE_PARTS | {"col", "colgroup"}, tuple(TABLE_SCOPE))
CONTEXTS["tr"] = tuple(TABLE_SCOPE | SECTIONS)
CONTEXTS |= dict.fromkeys(CELLS, tuple(TABLE_SCOPE | SECTIONS | {"tr"}))
# Start tags whose effect hangs on the very element on top: none of these may be open.
UNCERTAIN: dict[str, Set[str]] = {"button": frozenset(("button",))}
UNCERTAIN |= dict.fromkeys(("hr", "input", "keygen", "select"), frozenset(("select",)))
UNCERTAIN |= dict.fromkeys(("rb", "rp", "rt", "rtc"), IMPLIED_ENDS)
UNCERTAIN |= dict.fromkeys(HEADINGS, HEADINGS)
ENDS: dict[str, Set[str]] = dict.fromkeys(
    CLOSE_P | {"applet", "button", "marquee", "object", "select"}, SCOPE
)
ENDS |= dict.fromkeys(TABLE_PARTS | {"table"}, TABLE_SCOPE)
ENDS |= {"p": BUTTON_SCOPE, "li": SCOPE | {"ol", "ul"}, "template": frozenset()}
