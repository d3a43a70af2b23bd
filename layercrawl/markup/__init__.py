"""HTML as a crawler reads it: where a page links to, what it is about, what it asks of robots.

Pages are parsed by the HTML standard's own algorithm (lexbor), scripting off: a crawler runs no
scripts, so links in `noscript` are links.

>>> page = parse('<title>A</title><base href=b/><a href="c#d" rel=nofollow>C</a>', "http://a.example/")
>>> page.title, page.links
('A', (Link(url='http://a.example/b/c', text='C', rel=('nofollow',)),))
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from layercrawl import nesting, urls
from layercrawl.markup.elements import Elements, read, title
from layercrawl.markup.hyperlinks import Hyperlinks, Link, rel, resolve, value
from layercrawl.markup.maintext import collapse, main_text
from layercrawl.markup.page_robots import Directives, directives, meta_names, robots_header
from layercrawl.markup.refresh import refresh_seconds, refresh_target
from layercrawl.markup.slicing import slices

__all__ = ["Directives", "Document", "Link", "parse", "robots_header"]

# The HTML standard's hyperlinks (4.6.1) that take a reader along, and documents shown in a page.
_LINKS = "a,area,frame,iframe"
# Sites send browsers without scripts to an error page so.
_REFRESH = "meta[http-equiv=refresh i][content]:not(noscript *)"
_Attributes = dict[str, str | None]


@dataclass(frozen=True)
class Document:
    """A page as parsed. All URLs but `base` are in normal form.

    `unusable` counts the links that lead to no http(s) URL. `canonical` is None also where a page
    names several, `versions` are the pages that it calls itself in other languages (hreflang). The
    page leads on to `refresh` after `refresh_seconds`. `flattened`
    says that the page was nested beyond reason and is read flatter.
    `source_text` is the main text (see `layercrawl.markup.maintext`), white space as it comes.
    """

    url: str
    base: str
    title: str
    lang: str
    links: tuple[Link, ...]
    unusable: int
    canonical: str | None
    versions: tuple[str, ...]
    refresh: str | None
    refresh_seconds: int
    noindex: bool
    nofollow: bool
    flattened: bool
    source_text: str

    @property
    def text(self) -> str:
        """The main text, white space collapsed."""
        return collapse(self.source_text)


def parse(html: str, url: str, encoding: str = "utf-8", agent: str = "") -> Document:
    """Return what the page at `url` says; ValueError when `url` itself is no URL.

    `encoding` is the page's, by its name in the Encoding Standard; the queries of its links are
    written in it. `agent` is the crawler's User-Agent, whose product may have meta elements of its
    own. Of a base only what begins in the page's first 2**20 characters counts.
    """
    html, flattened = nesting.tamed(html)
    parts = slices(html)
    reading = _Reading(url, encoding, 2 * len(html), *read(next(parts)), meta_names(agent))
    for part in parts:
        reading.add(*read(part))
    return reading.document(url, flattened)


class _Reading:
    """What the slices of a page say, added one by one."""

    def __init__(
        self, url: str, encoding: str, budget: int, tree: LexborHTMLParser, found: Elements,
        names: Set[str],
    ) -> None:  # fmt: skip
        self._names = names
        self._base = _base(found.bases, url, encoding)
        self._resolver = urls.Resolver(self._base, encoding)
        self._hyperlinks = Hyperlinks(self._resolver, budget)
        self._lang = (tree.root.attributes.get("lang") or "").strip() if tree.root else ""
        self._title = ""
        self._canonical: set[str | None] = set()
        self._versions: dict[str | None, None] = {}
        self._refresh: tuple[str | None, int] = (None, 0)
        self._rules: list[str] = []
        self._texts: list[str] = []
        self.add(tree, found)

    def add(self, tree: LexborHTMLParser, found: Elements) -> None:
        """Read a slice; its tree is used up by it."""
        metas = [node.attributes for node in found.metas]
        self._title = self._title or title(tree, found.titles)
        self._rules += _contents(metas, "name", self._names)
        if not self._refresh[0] and _contents(metas, "http-equiv", {"refresh"}):
            self._refresh = _refresh(tree, self._resolver)
        self._canonical |= _canonical(found.relations, self._resolver)
        self._versions |= _versions(found.relations, self._resolver)
        self._hyperlinks.read(tree.css(_LINKS) if found.frames else found.anchors)
        self._texts.append(main_text(tree, found))

    def document(self, url: str, flattened: bool) -> Document:
        """Return what all of them say. Canonical URLs (RFC 6596) that differ say nothing."""
        asked = directives(self._rules)
        canonical = self._canonical - {None}
        return Document(
            url=url,
            base=self._base,
            title=self._title,
            lang=self._lang,
            links=self._hyperlinks.links(),
            unusable=self._hyperlinks.unusable,
            canonical=canonical.pop() if len(canonical) == 1 else None,
            versions=tuple(filter(None, self._versions)),
            refresh=self._refresh[0],
            refresh_seconds=self._refresh[1],
            noindex=asked.noindex,
            nofollow=asked.nofollow,
            flattened=flattened,
            source_text=" ".join(self._texts),
        )


def _base(nodes: Iterable[LexborNode], url: str, encoding: str) -> str:
    """Return the document base URL (HTML, 2.4.1): the first `base`, if a page can have that."""
    fallback = urls.parse(url)
    hrefs = (value(node.attributes, "href") for node in nodes)
    href = next((href for href in hrefs if href is not None), None)
    if href is None:
        return fallback
    try:
        base = urls.parse(href, fallback, encoding)
    except ValueError:
        return fallback
    return fallback if base.startswith(("data:", "javascript:")) else base


def _contents(metas: Iterable[_Attributes], key: str, names: Set[str]) -> list[str]:
    """Return the `content` of those whose attribute `key` is one of `names`, in any case."""
    return [meta.get("content") or "" for meta in metas if (meta.get(key) or "").lower() in names]


def _canonical(nodes: Iterable[LexborNode], resolver: urls.Resolver) -> set[str | None]:
    relations = (node.attributes for node in nodes)
    hrefs = [value(link, "href") for link in relations if "canonical" in rel(link)]
    return {resolve(href, resolver) for href in hrefs}


def _versions(nodes: Iterable[LexborNode], resolver: urls.Resolver) -> dict[str | None, None]:
    relations = (node.attributes for node in nodes)
    hrefs = [
        value(link, "href")
        for link in relations
        if link.get("hreflang") and "alternate" in rel(link)
    ]
    return {resolve(href, resolver): None for href in hrefs}


def _refresh(tree: LexborHTMLParser, resolver: urls.Resolver) -> tuple[str | None, int]:
    """Return where the first refresh that leads anywhere leads to, and after how many seconds."""
    for node in tree.css(_REFRESH):
        content = node.attributes["content"] or ""
        target = resolve(refresh_target(content), resolver)
        if target is not None:
            return target, refresh_seconds(content)
    return None, 0
