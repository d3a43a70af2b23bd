"""The groups of pages that were merged into one each, and what differs between two of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from layercrawl import markup, stores, urls
from layercrawl.asking import lookup
from layercrawl.records import Page
from layercrawl.stores import Stores

_WIDTH = 48
_CONTEXT = 8  # words
_MOST_WORDS = 50_000


def duplicates(crawl: Stores) -> Iterator[str]:
    """The groups, the largest first: the page that stands, then each other's kind and distance."""
    if not stores.complete(crawl.merged):
        raise stores.BadRoot(f"--root {crawl.root}: nothing was merged here yet")
    merged = stores.read(crawl.merged, Page)
    found = [
        (len(page.duplicates), url, page.duplicates) for url, page in merged if page.duplicates
    ]
    for many, url, others in sorted(found, key=lambda group: (-group[0], group[1])):
        yield f"{many + 1} {url}"
        yield from (f"  {kind:<9} {distance:>2} {name}" for name, kind, distance in others)
    if not found:
        yield "no page has a duplicate"


def differences(crawl: Stores, one: str, other: str) -> Iterator[str]:
    """The main texts of two pages side by side, where they differ, with some words around.

    ValueError where there is no good page at one of the URLs.
    """
    left, right = (_text(crawl, urls.normalise(url)) for url in (one, other))
    yield from _side_by_side(left, right)


def _text(crawl: Stores, url: str) -> list[str]:
    page = next((page for page in lookup.answers(crawl, url) if page.outcome == "ok"), None)
    if page is None:
        raise ValueError(f"{url}: no good page of it lies here")
    return markup.parse(page.html, url, page.encoding).text.split()[:_MOST_WORDS]


def _side_by_side(left: list[str], right: list[str]) -> Iterator[str]:
    """Rows of two columns; those that differ have a bar between.

    >>> list(_side_by_side("a b c".split(), "a x c".split()))[1].split()
    ['b', '|', 'x']
    """
    for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            words = left[a:b]
            if len(words) > 2 * _CONTEXT:
                words = [
                    *words[:_CONTEXT],
                    f"[… {len(words) - 2 * _CONTEXT} words …]",
                    *words[-_CONTEXT:],
                ]
            yield from _rows(words, words, " ")
        else:
            yield from _rows(left[a:b], right[c:d], "|")


def _rows(left: list[str], right: list[str], bar: str) -> Iterator[str]:
    columns = (textwrap.wrap(" ".join(words), _WIDTH) for words in (left, right))
    for one, other in zip_longest(*columns, fillvalue=""):
        yield f"{one:<{_WIDTH}} {bar} {other}".rstrip()
