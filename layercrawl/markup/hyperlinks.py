"""The pages that a page links to: each once, with what the links show of it and say of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from layercrawl import urls
from layercrawl.markup.maintext import collapse

LONGEST_TEXT = 200
QUALIFIERS = frozenset({"nofollow", "ugc", "sponsored"})
"""The words of `rel` by which a page says that it does not stand for a link."""
_FRAMES = frozenset({"frame", "iframe"})
_Attributes = dict[str, str | None]


class Link(NamedTuple):
    """A page that is linked to: its URL in normal form, the link's text, the words of its `rel`.

    `text` has at most 200 characters. Where several links lead there, `rel` has no word of
    QUALIFIERS that one of them does without, unless that one has another.
    """

    url: str
    text: str
    rel: tuple[str, ...]


class Hyperlinks:
    """Collects the links of a page from its elements; `unusable` counts those without a URL.

    Texts are read until they have `budget` characters in all: anchors can be in anchors, by way of
    tables, and every one of them holds the text of all inside.
    """

    def __init__(self, resolver: urls.Resolver, budget: int) -> None:
        self.unusable = 0
        self._resolver = resolver
        self._budget = budget
        self._links: dict[str, Link] = {}

    def links(self) -> tuple[Link, ...]:
        """Return each URL once, where it comes first."""
        return tuple(self._links.values())

    def read(self, nodes: Iterable[LexborNode]) -> None:
        """Add the links among elements that may be some."""
        resolved = _Resolved(self._resolver)
        for node in nodes:
            attributes = node.attributes
            href = _href(node, attributes)
            if href is None:
                continue
            url = resolved[_without_fragment(href)]
            if url is None:
                self.unusable += 1
                continue
            known = self._links.get(url)
            if known is None:
                self._links[url] = Link(url, self._text(node, attributes), rel(attributes))
            elif not known.text or not QUALIFIERS.isdisjoint(known.rel):
                again = Link(url, self._text(node, attributes), rel(attributes))
                self._links[url] = _merge(known, again)

    def _text(self, node: LexborNode, attributes: _Attributes) -> str:
        if self._budget <= 0:
            return ""
        text = _shown(node, attributes)
        self._budget -= len(text)
        text = collapse(text)
        return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rstrip()


def resolve(href: str | None, resolver: urls.Resolver) -> str | None:
    """Return the URL that an address stands for, None where there is none."""
    try:
        return None if href is None else resolver.normalise(href)
    except ValueError:
        return None


def rel(attributes: _Attributes) -> tuple[str, ...]:
    """Return the words of `rel`, in lower case."""
    words = attributes.get("rel")
    return tuple(words.lower().split()) if words else ()


def value(attributes: _Attributes, name: str) -> str | None:
    """Return an attribute's value, which Lexbor has None for if empty; None where it is not."""
    return (attributes[name] or "") if name in attributes else None


class _Resolved(dict[str, str | None]):
    """The URLs that addresses stand for: only every third address is new to its page."""

    def __init__(self, resolver: urls.Resolver) -> None:
        self._resolver = resolver

    def __missing__(self, href: str) -> str | None:
        self[href] = url = resolve(href, self._resolver)
        return url


def _without_fragment(href: str) -> str:
    """Return what decides the URL; a blank at the end of that counts before a fragment only."""
    if "#" not in href:
        return href
    address = href.partition("#")[0]
    return href if "" < address[-1:] <= " " else address


def _href(node: LexborNode, attributes: _Attributes) -> str | None:
    """Return the address that an element links to; None where it is no link."""
    if node.tag in _FRAMES:
        return value(attributes, "src")
    href = value(attributes, "href")
    return value(attributes, "xlink:href") if href is None else href  # as SVG 1.1 has it


def _shown(node: LexborNode, attributes: _Attributes) -> str:
    """Return what the link shows: its text, else its pictures' or its own description."""
    text = node.text(separator=" ", skip_empty=True)
    if text:
        return text
    pictures = node.css("img[alt]") if node.first_child else []
    described = " ".join(picture.attributes["alt"] or "" for picture in pictures)
    return described or attributes.get("alt") or attributes.get("title") or ""


def _merge(first: Link, again: Link) -> Link:
    text = first.text or again.text
    dropped = QUALIFIERS.intersection(first.rel) - set(again.rel)
    if not QUALIFIERS.intersection(again.rel) <= set(first.rel):
        dropped = frozenset()
    return Link(first.url, text, tuple(word for word in first.rel if word not in dropped))
