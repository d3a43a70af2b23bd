"""From a Page to what later stages need of it: its links, directives and fingerprints. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from layercrawl import answers, manners, markup, simhash, sitemaps, sketch, urls
from layercrawl.answers import MAX_HOPS
from layercrawl.markup import page_robots
from layercrawl.planning.visited import hashed, packed
from layercrawl.records import Outlinks, Page
from layercrawl.relevance import Topic
from layercrawl.rules import Rules

NOFOLLOW = ("nofollow",)
AT_ONCE = 1
"""Seconds; a refresh that comes sooner or then is a redirect, as search engines have it."""
MOST_VERSIONS = 100
"""Versions in other languages that are kept of a page's."""
MAX_NESTED = 3
"""Depth of the deepest sitemap that is followed: an index may name indexes, but those no more."""
Judged = tuple[str, str, str]
"""A link's URL and text, and why it is cut: empty, it is followed."""


def outlinks(
    url: str, page: Page, rules: Rules, agent: str, unfollowed: Collection[str] = NOFOLLOW,
    topic: Topic | None = None,
) -> Outlinks:  # fmt: skip
    """The Outlinks of a page, a sitemap, a redirect, a robots.txt or a failure.

    `agent` is the crawler's User-Agent; links whose `rel` has a word of `unfollowed` are cut. By a
    `topic` the page and its links are judged as well.
    """
    common: dict[str, Any] = {
        "target": page.target,
        "outcome": page.outcome,
        "reason": page.reason,
        "status": page.status,
        "fetched": page.fetched,
        "digest": page.digest,
        "etag": page.header("etag"),
        "last_modified": page.header("last-modified"),
        "length": answers.length(page.header("content-length")),
        "not_before": page.not_before,
    }
    return Outlinks(**common | _found(url, page, rules, agent, unfollowed, topic))


def _kept(page: Page) -> dict[str, Any]:
    """What a page that has not changed still has: what its Target brought, where no new is told.

    A validator that only HEAD tells of is none: GET may not know it.
    """
    target, told = page.target, page.header if page.status == 304 else lambda name: ""
    return {
        "simhash": target.simhash,
        "etag": told("etag") or target.etag,
        "last_modified": told("last-modified") or target.last_modified,
    }


def judged(
    url: str, page: Page, rules: Rules, agent: str, unfollowed: Collection[str] = NOFOLLOW
) -> Iterator[Judged]:
    """Each link of a page, redirect, sitemap or robots.txt as `outlinks` judges it.

    Repeats are included.
    """
    if page.outcome == "redirect":
        yield _redirected(url, page, rules)
    elif page.outcome == "ok" and page.target.kind == "robots":
        yield from _named(url, _sitemaps_of(manners.rules_text(page) or "", agent), rules)
    elif page.outcome == "ok" and page.target.kind == "sitemap":
        sitemap = sitemaps.parse(page.body(), url)
        yield from _entries(url, sitemap, rules)
        yield from _further(url, page, sitemap, rules)
    elif page.outcome == "ok" and page.target.kind == "page":
        document = markup.parse(page.html, url, page.encoding, agent)
        yield from _judged(url, page, document, rules, agent, unfollowed)


def _found(
    url: str, page: Page, rules: Rules, agent: str, unfollowed: Collection[str],
    topic: Topic | None,
) -> dict[str, Any]:  # fmt: skip
    if page.target.kind == "robots":
        return _host_state(url, page, rules, agent)
    if page.target.kind == "sitemap":
        return _listed(url, page, rules)
    if page.outcome == "not_modified":
        return _kept(page)
    if page.outcome == "redirect":
        link, text, reason = _redirected(url, page, rules)
        return {"cuts": {reason: 1}} if reason else {"links": [(link, text)]}
    return _read(url, page, rules, agent, unfollowed, topic) if page.outcome == "ok" else {}


def _host_state(url: str, page: Page, rules: Rules, agent: str) -> dict[str, Any]:
    if page.outcome in ("not_modified", "deferred"):  # nobody asked: what was known still holds
        known = page.target
        return {"rules": known.rules, "delay": known.delay, "fetched": known.fetched}
    text = manners.rules_text(page)
    if text is None:
        return {}
    delay = manners.origin(text, agent).delay or None
    named = _named(url, _sitemaps_of(text, agent), rules)
    return {"rules": text, "delay": delay} | _sitemaps(named)


def _sitemaps_of(text: str, agent: str) -> Iterable[str]:
    """The sitemaps that a robots.txt names."""
    found = manners.origin(text, agent).rules
    return found.sitemaps if found else ()


def _listed(url: str, page: Page, rules: Rules) -> dict[str, Any]:
    """What a sitemap lists, or where it moved; indexes within indexes come to an end."""
    if page.outcome != "ok":
        moved = [page.location] if page.outcome == "redirect" else []
        return _sitemaps(_named(url, moved, rules)) if moved else {}
    sitemap = sitemaps.parse(page.body(), url)
    cuts = Counter({"unusable": sitemap.skipped})
    found = _sitemaps(_further(url, page, sitemap, rules))
    kept = _followed(url, _entries(url, sitemap, rules), cuts)
    cuts.update(found["cuts"])
    return found | {"links": list(kept.items()), "cuts": dict(+cuts)}


def _entries(url: str, sitemap: sitemaps.Sitemap, rules: Rules) -> Iterator[Judged]:
    """The pages that a sitemap lists, each with its time of change as text."""
    for loc, lastmod in sitemap.urls:
        link = rules.without_params(loc)
        yield link, lastmod, rules.cut(link, url) or ""


def _further(url: str, page: Page, sitemap: sitemaps.Sitemap, rules: Rules) -> Iterator[Judged]:
    """The sitemaps that an index names; one that is an index's index's names none."""
    nested = page.target.depth >= MAX_NESTED
    for link, text, reason in _named(url, sitemap.sitemaps, rules):
        yield link, text, "nested sitemap" if nested else reason


def _named(url: str, named: Iterable[str], rules: Rules) -> Iterator[Judged]:
    """What `url` names as sitemaps."""
    for name in named:
        try:
            link = rules.without_params(urls.normalise(name, url))
        except ValueError:
            yield "", "", "unusable"
        else:
            yield link, "", _no_sitemap(link, url, rules) or ""


def _sitemaps(named: Iterable[Judged]) -> dict[str, Any]:
    """The sitemaps to follow of those that something names, once each; the others are counted."""
    kept, cuts = dict[str, None](), Counter[str]()
    for link, _, reason in named:
        if reason:
            cuts[reason] += 1
        else:
            kept[link] = None
    return {"sitemaps": list(kept), "cuts": dict(cuts)}


def _no_sitemap(link: str, url: str, rules: Rules) -> str | None:
    """Why what `url` names is not followed as a sitemap.

    What is one is no page any more, so that nobody may say it of another site's URLs, nor of a
    robots.txt.
    """
    if link == urls.robots_url(link):
        return "robots.txt"
    return rules.outside(link, url) or (None if urls.site(link) == urls.site(url) else "scope")


def _redirected(url: str, page: Page, rules: Rules) -> Judged:
    """A redirect's target; a seed's redirect may leave the scope: the user named it."""
    link = rules.without_params(page.location)
    return link, "", _redirect_cut(link, url, page, rules)


def _redirect_cut(link: str, url: str, page: Page, rules: Rules) -> str:
    reason = rules.cut(link, url) or ""
    return "" if reason == "scope" and page.target.depth == 0 else reason


def _read(
    url: str, page: Page, rules: Rules, agent: str, unfollowed: Collection[str],
    topic: Topic | None,
) -> dict[str, Any]:  # fmt: skip
    document = markup.parse(page.html, url, page.encoding, agent)
    fingerprints = _fingerprints(document)  # first, which takes room that the links take later
    cuts: Counter[str] = Counter({"unusable": document.unusable} if document.unusable else {})
    kept = _followed(url, _judged(url, page, document, rules, agent, unfollowed), cuts)
    refresh = rules.without_params(document.refresh or "")
    found = {
        "title": document.title[:200],
        "canonical": document.canonical or "",
        "noindex": document.noindex or _header_directives(page, agent).noindex,
        **fingerprints,
        **(_judgement(topic, document, kept) if topic else {}),
        "refresh": refresh if refresh in kept and _is_redirect(document, page) else "",
        "cuts": dict(cuts),
    }
    del document  # before its links, of which there may be very many, are listed once more
    return found | {"links": list(kept.items())}


def _judgement(topic: Topic, document: markup.Document, links: Mapping[str, str]) -> dict[str, Any]:
    """How well a page fits a topic, and what its links promise, in their order."""
    relevance = topic.page(document.title, document.source_text)
    promised = [topic.link(relevance, link, text) for link, text in links.items()]
    return {"relevance": relevance, "relevances": promised}


def _fingerprints(document: markup.Document) -> dict[str, Any]:
    """What tells pages that say nearly the same."""
    words = simhash.words(document.source_text)
    return {
        "simhash": f"{simhash.of(words):016x}",
        "text": sketch.digest(words),
        "sketch": sketch.sketch(words),
        "versions": packed(map(hashed, document.versions[:MOST_VERSIONS])),
    }


def _followed(url: str, links: Iterable[Judged], cuts: Counter[str]) -> dict[str, str]:
    """The links that are followed with their texts, once each and none to the page itself."""
    kept: dict[str, str] = {}
    for link, text, reason in links:
        if link in kept or link == url:
            continue
        if reason:
            cuts[reason] += 1
        else:
            kept[link] = text
    return kept


def _is_redirect(document: markup.Document, page: Page) -> bool:
    return document.refresh_seconds <= AT_ONCE and page.target.hops < MAX_HOPS


def _header_directives(page: Page, agent: str) -> page_robots.Directives:
    """What all X-Robots-Tag headers ask together; an agent's name holds for its own header only."""
    values = (value for name, value in page.headers if name.lower() == "x-robots-tag")
    asked = [markup.robots_header(value, agent) for value in values]
    return page_robots.Directives(
        any(header.noindex for header in asked), any(header.nofollow for header in asked)
    )


def _judged(
    url: str, page: Page, document: markup.Document, rules: Rules, agent: str,
    unfollowed: Collection[str],
) -> Iterator[Judged]:  # fmt: skip
    nofollow = document.nofollow or _header_directives(page, agent).nofollow
    for found in document.links:
        link = rules.without_params(found.url)
        reason = "nofollow" if nofollow else _rel_cut(found.rel, unfollowed)
        yield link, found.text, reason or rules.cut(link, url) or ""
    if document.refresh:
        link = rules.without_params(document.refresh)
        yield link, "", "nofollow" if nofollow else _refresh_cut(link, url, page, document, rules)


def _rel_cut(rel: tuple[str, ...], unfollowed: Collection[str]) -> str:
    return next((word for word in rel if word in unfollowed), "") if rel else ""


def _refresh_cut(link: str, url: str, page: Page, document: markup.Document, rules: Rules) -> str:
    if document.refresh_seconds > AT_ONCE:
        return rules.cut(link, url) or ""
    if page.target.hops >= MAX_HOPS:
        return f"more than {MAX_HOPS} redirects"
    return _redirect_cut(link, url, page, rules)
