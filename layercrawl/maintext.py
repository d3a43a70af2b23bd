"""The main text of a page: what fingerprints, near-duplicates and exports look at.

The rule: what a reader sees in `body`, without the parts that repeat from page to page. Those are
the landmarks of HTML-AAM (1.0, 3.5): `nav`, `aside`, and `header` and `footer` of the page as a
whole, that is outside `article`, `main`, `section`; or an element whose `role` says the same. Where
nothing would be left, they count as text.

Text on both sides of a block stands apart; inline mark-up (`<b>bo</b>ld`) cuts no word.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSEEN = (
    "script,style,noscript,template,iframe,object,svg,noembed,noframes,select,datalist,textarea,"
    "button,[hidden]"
)
_SECTIONS = "article *,main *,section *"
_REPEATED = (
    f"nav,aside,header:not({_SECTIONS}),footer:not({_SECTIONS}),"
    "[role=navigation],[role=complementary],[role=banner],[role=contentinfo],[role=search]"
)
# Not `a`: links set side by side are separate words.
_INLINE = (
    "abbr,acronym,b,bdi,bdo,big,cite,code,data,dfn,em,font,i,ins,kbd,mark,q,s,samp,small,span,"
    "strike,strong,sub,sup,time,tt,u,var,wbr"
)


def main_text(tree: LexborHTMLParser) -> str:
    """Return the page's main text, white space collapsed. The tree is used up by it.

    >>> main_text(LexborHTMLParser("<nav>Home</nav><p>H<sub>2</sub>O<br>is wet<svg>x</svg>"))
    'H2O is wet'
    >>> main_text(LexborHTMLParser("<header>A</header><article><header>B</header>C</article>"))
    'B C'
    >>> main_text(LexborHTMLParser("<nav>All there is</nav>")), main_text(LexborHTMLParser(""))
    ('All there is', '')
    """
    body = tree.body
    if body is None:  # a frameset
        return ""
    _remove(body, _UNSEEN)
    for node in body.css(_INLINE):
        node.unwrap(delete_empty=True)
    body.merge_text_nodes()
    whole = body.text(separator=" ")
    _remove(body, _REPEATED)
    return collapse(body.text(separator=" ")) or collapse(whole)


def collapse(text: str) -> str:
    """Return `text` with every run of white space as one space, none at the ends."""
    return " ".join(text.split())


def _remove(body: LexborNode, selector: str) -> None:
    for node in body.css(selector):
        if node.tag != "body":  # `<body hidden>` until a script has run
            node.decompose()
