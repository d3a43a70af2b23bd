"""Pages with the same bytes, on one host and on two, and pages that differ in a word or two."""

from __future__ import annotations

from collections.abc import Iterator

from tests.web.answers import HTML, Answer, Link, document, link
from tests.web.features.feature import Feature
from tests.web.site import Site
from tests.web.words import text

EXACT = ("a", "b", "c?from=b")
NEAR = 6


def entries(site: Site) -> Iterator[Link]:
    for name in EXACT:
        yield link(site.url(f"/duplicates/exact/{name}"))
    yield link(site.neighbour().url("/duplicates/exact/a"))
    for number in range(NEAR):
        yield link(site.url(f"/duplicates/near/{number}"))


def answer(site: Site, rest: str) -> Answer | None:
    kind, _, name = rest.partition("/")
    if kind == "exact" and name in EXACT:
        return _page(_text(site))
    if kind == "near" and name in map(str, range(NEAR)):
        return _page(_altered(_text(site), int(name)))
    return None


def _text(site: Site) -> list[str]:
    """The same on every host."""
    return text(site.web.seed, "duplicates", "en", 8000)


def _altered(paragraphs: list[str], number: int) -> list[str]:
    """One word of paragraph `number` is another."""
    words = paragraphs[number].split(" ")
    words[5] = f"variant{number}"
    return [*paragraphs[:number], " ".join(words), *paragraphs[number + 1 :]]


def _page(paragraphs: list[str]) -> Answer:
    body = document("The same again", paragraphs, ()).encode()
    return Answer("ok", 200, HTML, body, encoding="utf-8")


FEATURE = Feature("duplicates", entries, answer)
