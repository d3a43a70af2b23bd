"""HTML as a crawler reads it: where a page links to, what it is about, what it asks of robots.

Pages are parsed by the HTML standard's own algorithm (lexbor), scripting off: a crawler runs no
scripts, so links in `noscript` are links.

>>> page = parse('<title>A</title><base href=b/><a href="c#d" rel=nofollow>C</a>', "http://a.example/")
>>> page.title, page.links
('A', (Link(url='http://a.example/b/c', text='C', rel=('nofollow',)),))
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from layercrawl import nesting, urls
from layercrawl.directives import META_NAMES, Directives, directives, robots_header
from layercrawl.elements import Elements, read
from layercrawl.maintext import collapse, main_text
from layercrawl.refresh import refresh_target

__all__ = ["Directives", "Document", "Link", "parse", "robots_header"]

LONGEST_LINK_TEXT = 200
# The HTML standard's hyperlinks (4.6.1) that take a reader along, and documents shown in a page.
_LINKS = "a,area,frame,iframe"
_FRAMES = frozenset({"frame", "iframe"})
# Sites send browsers without scripts to an error page so.
_REFRESH = "meta[http-equiv=refresh i][content]:not(noscript *)"
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
    _found: Elements = field(repr=False, compare=False)

    @cached_property
    def source_text(self) -> str:
        """The main text (see `layercrawl.maintext`), white space as it comes."""
        return main_text(self._tree, self._found)

    @property
    def text(self) -> str:
        """The main text, white space collapsed."""
        return collapse(self.source_text)


def parse(html: str, url: str, encoding: str = "utf-8") -> Document:
    """Return what the page at `url` says; ValueError when `url` itself is no URL.

    `encoding` is the page's, by its name in the Encoding Standard; the queries of its links are
    written in it.
    """
    html, flattened = nesting.flatten(html)
    tree, found = read(html)
    base = _base(found.bases, url, encoding)
    resolver = urls.Resolver(base, encoding)
    metas = [node.attributes for node in found.metas]
    asked = directives(_contents(metas, "name", META_NAMES))
    links, unusable = _links(_linking(tree, found), resolver, 2 * len(html))
    return Document(
        url=url,
        base=base,
        title=_title(tree, found.titles),
        lang=(tree.root.attributes.get("lang") or "").strip() if tree.root else "",
        links=links,
        unusable=unusable,
        canonical=_canonical(found.relations, resolver),
        refresh=_refresh(tree, resolver) if _contents(metas, "http-equiv", {"refresh"}) else None,
        noindex=asked.noindex,
        nofollow=asked.nofollow,
        flattened=flattened,
        _tree=tree,
        _found=found,
    )


def _title(tree: LexborHTMLParser, titles: list[LexborNode]) -> str:
    """Return the first title that is not a drawing's."""
    title = titles[0] if titles else None
    if title and title.parent and title.parent.tag != "head":
        title = tree.css_first("title:not(svg title)")
    return collapse(title.text()) if title else ""


def _contents(metas: Iterable[_Attributes], key: str, names: Set[str]) -> list[str]:
    """Return the `content` of those whose attribute `key` is one of `names`, in any case."""
    return [meta.get("content") or "" for meta in metas if (meta.get(key) or "").lower() in names]


def _base(nodes: Iterable[LexborNode], url: str, encoding: str) -> str:
    """Return the document base URL (HTML, 2.4.1): the first `base`, if a page can have that."""
    fallback = urls.parse(url)
    hrefs = (_value(node.attributes, "href") for node in nodes)
    href = next((href for href in hrefs if href is not None), None)
    if href is None:
        return fallback
    try:
        base = urls.parse(href, fallback, encoding)
    except ValueError:
        return fallback
    return fallback if base.startswith(("data:", "javascript:")) else base


def _canonical(nodes: Iterable[LexborNode], resolver: urls.Resolver) -> str | None:
    """Return the one canonical URL (RFC 6596); several contradict each other and say nothing."""
    relations = (node.attributes for node in nodes)
    hrefs = [_value(link, "href") for link in relations if "canonical" in _rel(link)]
    found = {_resolve(href, resolver) for href in hrefs} - {None}
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


def _linking(tree: LexborHTMLParser, found: Elements) -> list[LexborNode]:
    return tree.css(_LINKS) if found.frames else found.anchors


def _links(
    nodes: Iterable[LexborNode], resolver: urls.Resolver, budget: int
) -> tuple[tuple[Link, ...], int]:
    """Return each URL once, where it comes first, and the number of links without one.

    Texts are read until they have `budget` characters in all: anchors can be in anchors, by way of
    tables, and every one of them holds the text of all inside.
    """
    links: dict[str, Link] = {}
    resolved = _Resolved(resolver)
    unusable = 0
    for node in nodes:
        attributes = node.attributes
        href = _href(node, attributes)
        if href is None:
            continue
        url = resolved[_without_fragment(href)]
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


class _Resolved(dict[str, str | None]):
    """The URLs that a page's addresses stand for: only every third of them is new on its page."""

    def __init__(self, resolver: urls.Resolver) -> None:
        self._resolver = resolver

    def __missing__(self, href: str) -> str | None:
        url = self[href] = _resolve(href, self._resolver)
        return url


def _without_fragment(href: str) -> str:
    """Return what decides the URL; a blank at the end of that counts before a fragment only."""
    address = href.partition("#")[0]
    return href if "" < address[-1:] <= " " else address


def _href(node: LexborNode, attributes: _Attributes) -> str | None:
    """Return the address that an element links to; None where it is no link."""
    if node.tag in _FRAMES:
        return _value(attributes, "src")
    href = _value(attributes, "href")
    return _value(attributes, "xlink:href") if href is None else href  # as SVG 1.1 has it


def _value(attributes: _Attributes, name: str) -> str | None:
    """Return an attribute's value, which Lexbor has None for if empty; None where it is not."""
    return (attributes[name] or "") if name in attributes else None


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
