"""Why a URL was fetched, or was not: its story, from the stores alone."""

from __future__ import annotations

from collections.abc import Iterator

from layercrawl import schedule, stores, urls
from layercrawl.answers import MAX_HOPS
from layercrawl.asking import lookup
from layercrawl.asking.passed_over import passed_over
from layercrawl.asking.unfollowed import cut_links, would_be_cut
from layercrawl.records import Outlinks, Page, Target, UrlState, XmlPage
from layercrawl.running.report import many
from layercrawl.stores import Stores


def why(crawl: Stores, text: str) -> Iterator[str]:
    """The lines of a URL's story; ValueError where `text` is no URL."""
    url = urls.normalise(text)
    if not crawl.layers("in"):
        raise stores.BadRoot(f"--root {crawl.root}: no crawl lies here")
    yield url
    state = lookup.state(crawl, url)
    if state is None:
        yield from _unknown(crawl, url)
        return
    yield from _found(crawl, url, state)
    yield from _listings(crawl, url)
    yield from _attempts(crawl, url)
    if state.kind != "robots":  # is asked for when a page of its host is, and never merged
        yield from passed_over(crawl, url, state)
    yield from _host(crawl, url)
    if state.kind != "robots":
        yield _now(crawl, state)
        yield from _results(crawl, url)


def _unknown(crawl: Stores, url: str) -> Iterator[str]:
    yield "not known: no seed, and no fetched page has a link to it that is followed"
    if reason := would_be_cut(crawl, url):
        yield f"a link to it would be cut: {reason}"
    yield from cut_links(crawl, url)


def _found(crawl: Stores, url: str, state: UrlState) -> Iterator[str]:
    """The chain of pages from a seed, or of sitemaps from a robots.txt, to the URL."""
    chain = {url: state}
    via = state.via
    while via and via not in chain and (before := lookup.state(crawl, via)):
        chain[via] = before
        via = before.via
    for step, (name, known) in enumerate(reversed(chain.items())):
        yield f"  {'  ' * step}{_how(known)}, depth {known.depth}: {name}"


def _listings(crawl: Stores, url: str) -> Iterator[str]:
    """The sitemaps that list the URL, and when they say that it changed."""
    for layer in crawl.layers("out"):
        for _, key, page in lookup.naming(crawl, crawl.layer("out", layer), url, Outlinks):
            listed = dict(page.links) if page.target.kind == "sitemap" else {}
            if url in listed:
                date = f" with lastmod {listed[url]}" if listed[url] else ""
                yield f"layer {layer}: listed in sitemap {key}{date}"


def _how(state: UrlState) -> str:
    """How a URL was found."""
    if state.kind == "robots":
        return "robots.txt"
    if not state.via:
        return "seed"
    return "redirect" if state.hops else "sitemap" if state.kind == "sitemap" else "link"


def _attempts(crawl: Stores, url: str) -> Iterator[str]:
    location = ""
    for layer in crawl.layers("in"):
        for where, target in lookup.of(crawl, crawl.layer("in", layer), url, Target):
            yield f"layer {layer}: chosen at depth {target.depth}, score {target.score}; {where}"
        for where, page in lookup.of(crawl, crawl.layer("doc", layer), url, Page):
            location = page.location if page.outcome == "redirect" else ""
            yield f"layer {layer}: {_answer(page)}; {where}"
        for where, links in lookup.of(crawl, crawl.layer("out", layer), url, Outlinks):
            cuts = ", ".join(f"{count} {reason}" for reason, count in sorted(links.cuts.items()))
            named = f", {many(len(links.sitemaps), 'sitemap')} named" if links.sitemaps else ""
            if links.links or named or cuts:
                told = f"{many(len(links.links), 'link')} to follow{named}; cut: {cuts or 'none'}"
                yield f"layer {layer}: {told}; {where}"
    yield from _leads(crawl, location)


def _leads(crawl: Stores, location: str) -> Iterator[str]:
    """Where a redirect ends, step by step."""
    for step in range(1, MAX_HOPS + 2):
        if not location:
            return
        page = lookup.newest(crawl, location)
        yield f"{'  ' * step}leads to {location}: {_answer(page) if page else 'not asked for'}"
        location = page.location if page and page.outcome == "redirect" else ""


def _answer(page: Page) -> str:
    status = f"status {page.status}" if page.status else ""
    told = [page.outcome, page.reason, status if status not in page.reason else ""]
    way = "to" if page.outcome == "redirect" else "from"
    told += [f"{way} {page.location}" if page.location else "", f"at {page.fetched}"]
    told += [many(page.attempts, "attempt") if page.attempts != 1 else ""]
    told += [f"not before {page.not_before}" if page.not_before else ""]
    return ", ".join(part for part in told if part)


def _host(crawl: Stores, url: str) -> Iterator[str]:
    """What is known of the URL's robots.txt."""
    known = lookup.state(crawl, urls.robots_url(url))
    if known and known.failing_since:
        until = f"; not asked before {known.not_before}" if known.not_before else ""
        allowed = "; so long that all is allowed" if known.rules is not None else ""
        yield f"robots.txt: unreachable since {known.failing_since}{until}{allowed}"
    elif known and known.fetched:
        asked = f"; Crawl-delay {known.delay:g} s" if known.delay else ""
        yield f"robots.txt: read at {known.fetched}{asked}"
    elif known and known.not_before:
        yield f"robots.txt: not read; its host is left alone until {known.not_before}"


def _now(crawl: Stores, state: UrlState) -> str:
    plans = crawl.layers("in")
    settings = stores.marker(crawl.layer("in", plans[-1])).settings if plans else {"depth": 0}
    depth = settings["depth"]
    if state.kind == "sitemap" and not settings.get("sitemaps"):
        return "waits: sitemaps are read with --sitemaps only"
    if not state.visits:
        beyond = state.depth > depth
        return f"beyond --depth {depth}" if beyond else "waits: not asked for yet"
    due = schedule.next_visit(state.visits)
    return f"waits until {schedule.timestamp(due)}" if due else "done: not asked for again"


def _results(crawl: Stores, url: str) -> Iterator[str]:
    """Where the page lies at last, or what stands for it, or why it lies nowhere."""
    found = False
    for where, key, page in lookup.naming(crawl, crawl.merged, url, Page):
        if key == url:
            found = True
            still = ", though it is gone by now" if page.gone else ""
            yield f"{where}: stands, with {many(len(page.duplicates), 'duplicate')}{still}"
            yield from (f"{where}: {kind} duplicate: {name}" for name, kind, _ in page.duplicates)
        for name, kind, distance in page.duplicates:
            if name == url:
                found = True
                yield f"{where}: {kind} duplicate of {key}, distance {distance}"
    for where, _ in lookup.of(crawl, crawl.xml, url, XmlPage):
        yield f"{where}: as XML"
    if not found:
        yield f"not in {crawl.name(crawl.merged)}: {_missing(crawl, url)}"


def _missing(crawl: Stores, url: str) -> str:
    page, noindex = lookup.newest(crawl, url), False
    for layer in crawl.layers("out"):
        for _, links in lookup.of(crawl, crawl.layer("out", layer), url, Outlinks):
            noindex = links.noindex
    if page is None or page.outcome != "ok":
        return page.outcome if page else "not fetched"
    if page.target.kind != "page":
        return "it is no page"
    return "noindex" if noindex else "it was not merged yet"
