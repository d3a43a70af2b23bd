"""HTML as a crawler reads it: where a page links to, what it is about, what it asks of robots.

Pages are parsed by the HTML standard's own algorithm (lexbor), scripting off: a crawler runs no
scripts, so links in `noscript` are links.

>>> page = parse('<title>A</title><base href=b/><a href="c#d" rel=nofollow>C</a>', "http://a.example/")
>>> page.title, page.links
('A', (Link(url='http://a.example/b/c', text='C', rel=('nofollow',)),))
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from layercrawl import nesting, urls
from layercrawl.directives import META_NAMES, Directives, directives, robots_header
from layercrawl.maintext import collapse, main_text
from layercrawl.refresh import refresh_target

__all__ = ["Directives", "Document", "Link", "parse", "robots_header"]

LONGEST_LINK_TEXT = 200
# The HTML standard's hyperlinks (4.6.1) that take a reader along, and documents shown in a page.
_LINKS = "a[href],area[href],frame[src],iframe[src]"
_HEAD = "title:not(svg title),base[href],meta[content],link[rel~=canonical i][href]"
_FRAMES = frozenset({"frame", "iframe"})
# Sites send browsers without scripts to an error page so.
_REFRESH = "meta[http-equiv=refresh i][content]:not(noscript *)"
# With events every change of the tree walks all that is below it: quadratic in nesting.
_NO_EVENTS = LexborDocumentOptions.WO_EVENTS
_Attributes = dict[str, str | None]


class Link(NamedTuple):
    """A page that is linked to: its URL in normal form, the link's text, the words of its `rel`.

    `text` has at most 200 characters. `rel` names `nofollow` only if every link there does.
    """

    url: str
    text: str
    rel: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """A page as parsed. All URLs but `base` are in normal form.

    `unusable` counts the links that lead to no http(s) URL. `canonical` is None also where a page
    names several. `flattened` says that the page was nested beyond reason and is read flatter.
    """

    url: str
    base: str
    title: str
    lang: str
    links: tuple[Link, ...]
    unusable: int
    canonical: str | None
    refresh: str | None
    noindex: bool
    nofollow: bool
    flattened: bool
    _tree: LexborHTMLParser = field(repr=False, compare=False)

    @cached_property
    def text(self) -> str:
        """The main text (see `layercrawl.maintext`), white space collapsed."""
        return main_text(self._tree)


def parse(html: str, url: str, encoding: str = "utf-8") -> Document:
    """Return what the page at `url` says; ValueError when `url` itself is no URL.

    `encoding` is the page's, by its name in the Encoding Standard; the queries of its links are
    written in it.
    """
    html, flattened = nesting.flatten(html)
    tree = LexborHTMLParser(html, options=_NO_EVENTS)
    head = _by_tag(tree.css(_HEAD))
    metas = [node.attributes for node in head["meta"]]
    base = _base(head["base"], url, encoding)
    resolver = urls.Resolver(base, encoding)
    links, unusable = _links(tree.css(_LINKS), resolver, 2 * len(html))
    asked = directives(_contents(metas, "name", META_NAMES))
    return Document(
        url=url,
        base=base,
        title=collapse(head["title"][0].text()) if head["title"] else "",
        lang=(tree.root.attributes.get("lang") or "").strip() if tree.root else "",
        links=links,
        unusable=unusable,
        canonical=_canonical(head["link"], resolver),
        refresh=_refresh(tree, resolver) if _contents(metas, "http-equiv", {"refresh"}) else None,
        noindex=asked.noindex,
        nofollow=asked.nofollow,
        flattened=flattened,
        _tree=tree,
    )


def _by_tag(nodes: Iterable[LexborNode]) -> defaultdict[str | None, list[LexborNode]]:
    groups = defaultdict(list)
    for node in nodes:
        groups[node.tag].append(node)
    return groups


def _contents(metas: Iterable[_Attributes], key: str, names: Set[str]) -> list[str]:
    """Return the `content` of those whose attribute `key` is one of `names`, in any case."""
    return [meta["content"] or "" for meta in metas if (meta.get(key) or "").lower() in names]


def _base(nodes: list[LexborNode], url: str, encoding: str) -> str:
    """Return the document base URL (HTML, 2.4.1): the first `base`, if a page can have that."""
    fallback = urls.parse(url)
    if not nodes:
        return fallback
    try:
        base = urls.parse(nodes[0].attributes["href"] or "", fallback, encoding)
    except ValueError:
        return fallback
    return fallback if base.startswith(("data:", "javascript:")) else base


def _canonical(nodes: Iterable[LexborNode], resolver: urls.Resolver) -> str | None:
    """Return the one canonical URL (RFC 6596); several contradict each other and say nothing."""
    found = {_resolve(node.attributes["href"], resolver) for node in nodes} - {None}
    return found.pop() if len(found) == 1 else None


def _refresh(tree: LexborHTMLParser, resolver: urls.Resolver) -> str | None:
    """Return where the first refresh that leads anywhere leads to."""
    for node in tree.css(_REFRESH):
        target = _resolve(refresh_target(node.attributes["content"] or ""), resolver)
        if target is not None:
            return target
    return None


def _resolve(href: str | None, resolver: urls.Resolver) -> str | None:
    try:
        return None if href is None else resolver.normalise(href)
    except ValueError:
        return None


def _links(
    nodes: Iterable[LexborNode], resolver: urls.Resolver, budget: int
) -> tuple[tuple[Link, ...], int]:
    """Return each URL once, where it comes first, and the number of links without one.

    Texts are read until they have `budget` characters in all: anchors can be in anchors, by way of
    tables, and every one of them holds the text of all inside.
    """
    links: dict[str, Link] = {}
    unusable = 0
    for node in nodes:
        attributes = node.attributes
        url = _resolve(_href(node, attributes), resolver)
        if url is None:
            unusable += 1
            continue
        known = links.get(url)
        if known and known.text and "nofollow" not in known.rel:
            continue
        text = _text(node, attributes) if budget > 0 else ""
        budget -= len(text)
        link = Link(url, collapse(text)[:LONGEST_LINK_TEXT].rstrip(), _rel(attributes))
        links[url] = _merge(known, link) if known else link
    return tuple(links.values()), unusable


def _href(node: LexborNode, attributes: _Attributes) -> str:
    name = "src" if "src" in attributes and node.tag in _FRAMES else "href"
    return attributes[name] or ""


def _text(node: LexborNode, attributes: _Attributes) -> str:
    """Return what the link shows: its text, else its pictures' or its own description."""
    text = node.text(separator=" ", skip_empty=True)
    if text:
        return text
    pictures = node.css("img[alt]") if node.first_child else []
    described = " ".join(picture.attributes["alt"] or "" for picture in pictures)
    return described or attributes.get("alt") or attributes.get("title") or ""


def _rel(attributes: _Attributes) -> tuple[str, ...]:
    rel = attributes.get("rel")
    return tuple(rel.lower().split()) if rel else ()


def _merge(first: Link, again: Link) -> Link:
    text = first.text or again.text
    if "nofollow" in again.rel:
        return Link(first.url, text, first.rel)
    return Link(first.url, text, tuple(word for word in first.rel if word != "nofollow"))
