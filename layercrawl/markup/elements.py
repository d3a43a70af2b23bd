"""The elements of a page that say something to a crawler, found in one walk through its tree.

A CSS query visits every element and tries one selector after the other on it: 3 µs a selector on a
page of 300 elements. Those that find links, head, and main text took 0.23 ms; a walk that looks up
the tag of each element takes 0.05.
"""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

# With events every change of the tree walks all that is below it: quadratic in nesting.
_NO_EVENTS = LexborDocumentOptions.WO_EVENTS
_TAGS = {
    "titles": "title",
    "bases": "base",
    "metas": "meta",
    "relations": "link",
    "anchors": "a area",
    "frames": "frame iframe",
    "inline": "abbr acronym b bdi bdo big cite code data dfn em font i ins kbd mark q s samp small "
    "span strike strong sub sup time tt u var wbr",
    "unseen": "script style noscript template object svg noembed noframes select datalist textarea "
    "button",
    "asides": "nav aside",
    "headers": "header footer",
}


class Elements(NamedTuple):
    """Elements by what they are for, in the order of the page.

    `inline` cut no word; `a` is not among them, since links set side by side are separate words.
    Nothing inside `unseen` is read as text. `asides` repeat from page to page; `headers`, and
    footers, do so where they are the page's own and not those of a section.
    """

    titles: list[LexborNode]
    bases: list[LexborNode]
    metas: list[LexborNode]
    relations: list[LexborNode]
    anchors: list[LexborNode]
    frames: list[LexborNode]
    inline: list[LexborNode]
    unseen: list[LexborNode]
    asides: list[LexborNode]
    headers: list[LexborNode]


def read(html: str | bytes) -> tuple[LexborHTMLParser, Elements]:
    """Return the tree of a page (bytes are UTF-8) and its elements; in a `template` there are none.

    >>> _, found = read("<title>A</title><A href=b>C</a><template><a></a></template>")
    >>> [node.tag for node in found.anchors], [node.tag for node in found.titles]
    (['a'], ['title'])
    """
    tree = LexborHTMLParser(html, options=_NO_EVENTS)
    found = Elements(*([] for _ in Elements._fields))
    place = _PLACES.get
    for node in tree.root.traverse() if tree.root else ():
        index = place(node.tag_id)
        if index is not None:
            found[index].append(node)
    return tree, found


def title(tree: LexborHTMLParser, titles: list[LexborNode]) -> str:
    """Return the text of the first of `titles` that is not a drawing's, white space collapsed.

    >>> tree, found = read("<svg><title>A</title></svg><title> B  C</title>")
    >>> title(tree, found.titles)
    'B C'
    """
    first = titles[0] if titles else None
    if first and first.parent and first.parent.tag != "head":
        first = tree.css_first("title:not(svg title)")
    return " ".join(first.text().split()) if first else ""


def _places() -> dict[int, int]:
    """Return which list an element belongs to, by the number that Lexbor has for its tag."""
    tree = LexborHTMLParser("")
    return {
        tree.create_node(tag).tag_id: Elements._fields.index(name)
        for name, tags in _TAGS.items()
        for tag in tags.split()
    }


_PLACES = _places()
