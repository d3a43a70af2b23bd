"""Whatever is asked for here is an error that says it is a page; extras=("mistaken",)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.web.answers import HTML, Answer, Link, document, link
from tests.web.features.feature import Feature
from tests.web.site import Site, draw
from tests.web.words import text

_LETTERS = "abcdefghijklmnop"


def entries(site: Site) -> Iterator[Link]:
    yield from _links(site, "start")


def answer(site: Site, rest: str) -> Answer | None:
    if not re.fullmatch("[a-p-]+", rest):
        return None
    links = tuple(_links(site, rest))
    said = ["We are sorry that you cannot find it.", *text(site.web.seed, "mistaken", "en", 3000)]
    return Answer("ok", 200, HTML, document("Sorry", said, links).encode(), links=links)


def _links(site: Site, rest: str) -> Iterator[Link]:
    """Four names that nobody has heard before; no number is in them."""
    for number in range(4):
        drawn = draw(6, site.web.seed, rest, number)
        name = "".join(_LETTERS[byte % 16] for byte in drawn)
        yield link(site.url(f"/mistaken/{name[:3]}-{name[3:]}"))


FEATURE = Feature("mistaken", entries, answer)
