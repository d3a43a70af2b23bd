"""Which pages link to a URL that is not known, and why their links were cut.

The stores count cuts and do not name them: so the pages that had some are read anew, by the rules
and settings of their layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from layercrawl import sitemaps, stores
from layercrawl.asking import lookup
from layercrawl.outlinks import judged
from layercrawl.records import Outlinks, Page
from layercrawl.rules import Rules
from layercrawl.stores import Stores

_SHOWN = 5
_HOW = {"page": "links to it", "sitemap": "lists it", "robots": "names it as a sitemap"}


def cut_links(crawl: Stores, url: str) -> Iterator[str]:
    """A line for each of the first five links to the URL that were cut."""
    yield from islice(_cut_links(crawl, url), _SHOWN)


def _cut_links(crawl: Stores, url: str) -> Iterator[str]:
    for layer in crawl.layers("out"):
        folder = crawl.layer("out", layer)
        made_with = lookup.settings(folder)
        rules = lookup.rules(crawl, made_with)
        cutting = {hash(key) for key, page in stores.read(folder, Outlinks) if page.cuts}
        for key, page in stores.read(crawl.layer("doc", layer), Page):
            if hash(key) not in cutting:
                continue
            links = judged(key, page, rules, made_with.user_agent, made_with.nofollow_rels)
            cut = (reason for link, _, reason in links if link == url and reason)
            if reason := next(chain(cut, _too_many(key, page, rules, url)), None):
                yield f"layer {layer}: {key} {_HOW[page.target.kind]}; cut: {reason}"


def _too_many(key: str, page: Page, rules: Rules, url: str) -> Iterator[str]:
    """Why a URL is left out that a sitemap lists at its end."""
    if page.target.kind == "sitemap" and page.outcome == "ok":
        beyond = map(rules.without_params, sitemaps.beyond(page.body(), key))
        if url in beyond:
            yield f"after the first {sitemaps.MAX_URLS} entries"


def would_be_cut(crawl: Stores, url: str) -> str:
    """Why the last layer's rules drop links to the URL, wherever they are; empty: they do not."""
    parsed = crawl.layers("out")
    if not parsed:
        return ""
    rules = lookup.rules(crawl, lookup.settings(crawl.layer("out", parsed[-1])))
    if rules.without_params(url) != url:
        return f"it is known as {rules.without_params(url)}"
    place = min(lookup.seed_urls(crawl), default=url)
    return rules.cut(url, place) or ""
