"""The main text of a page: what fingerprints, near-duplicates and exports look at.

The rule: what a reader sees in `body`, without the parts that repeat from page to page. Those are
the landmarks of HTML-AAM (1.0, 3.5): `nav`, `aside`, and `header` and `footer` of the page as a
whole, that is outside `article`, `main`, `section`; or an element whose `role` says the same. Where
nothing would be left, they count as text.

Text on both sides of a block stands apart; inline mark-up (`<b>bo</b>ld`) cuts no word.
"""

from __future__ import annotations

from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from layercrawl.markup.elements import Elements, read

_ROLES = frozenset({"navigation", "complementary", "banner", "contentinfo", "search"})
_SECTIONS = "article *,main *,section *"
_OF_THE_PAGE = f"header:not({_SECTIONS}),footer:not({_SECTIONS})"


def main_text(tree: LexborHTMLParser, found: Elements) -> str:
    """Return the page's main text, white space as it comes. The tree is used up by it.

    >>> main_text(*read("<nav>Home</nav><p>H<sub>2</sub>O<br>is wet<svg>x</svg>")).strip()
    'H2O is wet'
    >>> main_text(*read("<header>A</header><article><header>B</header>C</article>")).strip()
    'B C'
    >>> main_text(*read("<nav>All there is</nav>")), main_text(*read(""))
    ('All there is', '')
    """
    repeated = _show(tree, found)
    _remove(repeated)
    text = _text(tree)
    if text.strip() or not repeated:
        return text
    whole, found = read(tree.raw_html)
    _show(whole, found)
    return _text(whole)


def collapse(text: str) -> str:
    """Return `text` with every run of white space as one space, none at the ends."""
    return " ".join(text.split())


def _show(tree: LexborHTMLParser, found: Elements) -> list[LexborNode]:
    """Leave what a reader sees, in one piece what no block parts; return what repeats of it."""
    body = tree.body
    if body is None:  # a frameset
        return []
    hidden, repeated = _marked(body)
    repeated += found.asides
    if found.headers:
        repeated += body.css(_OF_THE_PAGE)
    for unseen in (found.unseen, found.frames, hidden):
        _remove(unseen)
    for node in found.inline:
        node.unwrap(delete_empty=True)
    body.merge_text_nodes()
    return repeated


def _marked(body: LexborNode) -> tuple[list[LexborNode], list[LexborNode]]:
    """Return what attributes call hidden, and what they call repeated."""
    hidden, repeated = [], []
    for node in body.css("[hidden],[role]"):
        attributes = node.attributes
        if node.tag == "body":  # `<body hidden>` until a script has run
            continue
        if "hidden" in attributes:
            hidden.append(node)
        elif attributes.get("role") in _ROLES:
            repeated.append(node)
    return hidden, repeated


def _remove(nodes: Iterable[LexborNode]) -> None:
    for node in nodes:
        node.decompose(recursive=False)


def _text(tree: LexborHTMLParser) -> str:
    return tree.body.text(separator=" ") if tree.body else ""
