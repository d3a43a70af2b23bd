"""From a Page to what later stages need of it: its links, directives and fingerprints. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from layercrawl import directives, manners, markup, simhash
from layercrawl.records import Outlinks, Page
from layercrawl.rules import Rules


def outlinks(url: str, page: Page, rules: Rules, agent: str) -> Outlinks:
    """The Outlinks of a page, a redirect, a robots.txt or a failure."""
    common: dict[str, Any] = {
        "target": page.target,
        "outcome": page.outcome,
        "reason": page.reason,
        "status": page.status,
        "fetched": page.fetched,
        "digest": page.digest,
        "etag": page.header("etag"),
        "last_modified": page.header("last-modified"),
        "length": _length(page.header("content-length")),
        "not_before": page.not_before,
    }
    return Outlinks(**common | _found(url, page, rules, agent))


def _length(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 16 else None


def _found(url: str, page: Page, rules: Rules, agent: str) -> dict[str, Any]:
    if page.target.kind == "robots":
        return _host_state(page, agent)
    if page.outcome == "redirect":
        return _redirected(url, page, rules)
    return _read(url, page, rules, agent) if page.outcome == "ok" else {}


def _host_state(page: Page, agent: str) -> dict[str, Any]:
    if page.outcome in ("not_modified", "deferred"):  # nobody asked: what was known still holds
        known = page.target
        return {"rules": known.rules, "delay": known.delay, "fetched": known.fetched}
    text = manners.rules_text(page)
    delay = None if text is None else manners.origin(text, agent).delay or None
    return {"rules": text, "delay": delay}


def _redirected(url: str, page: Page, rules: Rules) -> dict[str, Any]:
    """Its target as the one link; a seed's redirect may leave the scope: the user named it."""
    link = rules.without_params(page.location)
    reason = rules.cut(link, url)
    if reason and not (reason == "scope" and page.target.depth == 0):
        return {"cuts": {reason: 1}}
    return {"links": [(link, "")]}


def _read(url: str, page: Page, rules: Rules, agent: str) -> dict[str, Any]:
    document = markup.parse(page.html, url, page.encoding)
    header = _header_directives(page, agent)
    cuts: Counter[str] = Counter({"unusable": document.unusable} if document.unusable else {})
    kept: dict[str, str] = {}
    nofollow = document.nofollow or header.nofollow
    for link, text in _links(document, nofollow, cuts):
        link = rules.without_params(link)
        if link in kept or link == url:
            continue
        if reason := rules.cut(link, url):
            cuts[reason] += 1
        else:
            kept[link] = text
    return {
        "title": document.title[:200],
        "canonical": document.canonical or "",
        "noindex": document.noindex or header.noindex,
        "simhash": f"{simhash.fingerprint(document.source_text):016x}",
        "links": list(kept.items()),
        "cuts": dict(cuts),
    }


def _header_directives(page: Page, agent: str) -> directives.Directives:
    """What all X-Robots-Tag headers ask together; an agent's name holds for its own header only."""
    values = (value for name, value in page.headers if name.lower() == "x-robots-tag")
    asked = [markup.robots_header(value, agent) for value in values]
    return directives.Directives(
        any(header.noindex for header in asked), any(header.nofollow for header in asked)
    )


def _links(
    document: markup.Document, nofollow: bool, cuts: Counter[str]
) -> Iterator[tuple[str, str]]:
    """The links that the page lets a crawler follow; the others are counted."""
    for link in document.links:
        if nofollow or "nofollow" in link.rel:
            cuts["nofollow"] += 1
        else:
            yield link.url, link.text
    if document.refresh and nofollow:
        cuts["nofollow"] += 1
    elif document.refresh:
        yield document.refresh, ""
