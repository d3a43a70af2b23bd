"""What the stores say of one URL, found by reading them through: no index, and little memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from layercrawl import config, records, seeds, stores, urls
from layercrawl.ordering import ORDERS
from layercrawl.planning import fold
from layercrawl.records import Outlinks, Page, UrlState
from layercrawl.rules import Rules
from layercrawl.stores import Folder, Stores

_DEEPEST = 1 << 30


def naming(
    crawl: Stores, folder: Folder, url: str, kind: type[records.R]
) -> Iterator[tuple[str, str, records.R]]:
    """The records whose line holds the URL, as their key or in the JSON: part file, key, record."""
    key, inside = url.encode() + b"\t", b'"%s"' % url.encode()
    for path in stores.files(folder, "part-*"):
        with path.open("rb") as lines:
            for line in lines:
                if line.startswith(key) or inside in line:
                    yield crawl.name(path), *records.decode(line, kind)


def of(
    crawl: Stores, folder: Folder, url: str, kind: type[records.R]
) -> Iterator[tuple[str, records.R]]:
    """The URL's own records in a folder, each with its part file."""
    for where, key, record in naming(crawl, folder, url, kind):
        if key == url:
            yield where, record


def state(crawl: Stores, url: str, before: int = _DEEPEST) -> UrlState | None:
    """What all layers before a number say of the URL: each line of out/ that names it, folded."""
    order = ORDERS["breadth-first"]  # the order's message is not looked at
    states = [fold.seed(order)] if url in seed_urls(crawl) else []
    for layer in crawl.layers("out")[:before]:
        for _, page_url, page in naming(crawl, crawl.layer("out", layer), url, Outlinks):
            found = fold.found(page_url, page, layer, order, _DEEPEST)
            states += [state for found_url, state in found if found_url == url]
    return reduce(lambda a, b: fold.merge(a, b, order), states) if states else None


def answers(crawl: Stores, url: str) -> Iterator[Page]:
    """The answers that the URL had, the last one first."""
    for layer in reversed(crawl.layers("doc")):
        for _, page in of(crawl, crawl.layer("doc", layer), url, Page):
            yield page


def newest(crawl: Stores, url: str) -> Page | None:
    """The last answer that the URL had."""
    return next(answers(crawl, url), None)


def seed_urls(crawl: Stores) -> set[str]:
    """The user's seeds."""
    texts = (path.read_text("utf-8", errors="replace") for path in crawl.seeds.glob("[!.]*"))
    return {url for text in texts for url in seeds.read(text.splitlines())[0]}


def settings(folder: Folder) -> config.Config:
    """The settings that a complete folder was made with."""
    return config.make(stores.marker(folder).settings)


def rules(crawl: Stores, made_with: config.Config) -> Rules:
    """The rules for links that these settings mean."""
    place = urls.host if made_with.scope == "host" else urls.site
    places = frozenset(map(place, seed_urls(crawl)))
    return Rules(
        made_with.scope, places, made_with.include, made_with.exclude, made_with.drop_params
    )
