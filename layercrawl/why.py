"""Why a URL was fetched, or was not: its story, from the stores alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from pathlib import Path

from layercrawl import config, fold, records, schedule, seeds, stores, urls
from layercrawl.ordering import ORDERS
from layercrawl.records import Outlinks, Page, Target, UrlState, XmlPage
from layercrawl.rules import Rules
from layercrawl.stores import Stores

_DEEPEST = 1 << 30


def why(crawl: Stores, text: str) -> Iterator[str]:
    """The lines of a URL's story; ValueError where `text` is no URL."""
    url = urls.normalise(text)
    yield url
    state = _state(crawl, url)
    if state is None:
        yield from _unknown(crawl, url)
        return
    yield from _found(crawl, url, state)
    yield from _attempts(crawl, url)
    yield from _host(crawl, url)
    yield _now(crawl, state)
    yield from _results(crawl, url)


def _state(crawl: Stores, url: str) -> UrlState | None:
    """What all layers say of the URL: each line of out/ that names it, folded."""
    order = ORDERS["breadth-first"]  # the order's message is not looked at
    states = [fold.seed(order)] if url in _seeds(crawl) else []
    for layer in crawl.layers("out"):
        for page_url, page in _naming(crawl.layer("out", layer), url, Outlinks):
            found = fold.found(page_url, page, layer, order, _DEEPEST)
            states += [state for found_url, state in found if found_url == url]
    return reduce(lambda a, b: fold.merge(a, b, order), states) if states else None


def _seeds(crawl: Stores) -> set[str]:
    texts = (path.read_text("utf-8", errors="replace") for path in crawl.seeds.glob("*"))
    return {url for text in texts for url in seeds.read(text.splitlines())[0]}


def _naming(folder: Path, url: str, kind: type[records.R]) -> Iterator[tuple[str, records.R]]:
    """The records whose line holds the URL, as their key or in the JSON."""
    key, inside = url.encode() + b"\t", b'"%s"' % url.encode()
    for path in sorted(folder.glob("part-*")):
        with path.open("rb") as lines:
            for line in lines:
                if line.startswith(key) or inside in line:
                    yield records.decode(line, kind)


def _of(folder: Path, url: str, kind: type[records.R]) -> Iterator[records.R]:
    """The URL's own records in a folder."""
    return (record for key, record in _naming(folder, url, kind) if key == url)


def _unknown(crawl: Stores, url: str) -> Iterator[str]:
    yield "not known: no seed, and no fetched page has a link to it that is followed"
    parsed = crawl.layers("out")
    if parsed:
        settings = stores.marker(crawl.layer("out", parsed[-1])).settings
        if reason := _cut(crawl, url, config.make(settings)):
            yield f"a link to it would be cut: {reason}"


def _cut(crawl: Stores, url: str, settings: config.Config) -> str | None:
    """Why the rules of the last layer drop links to the URL, wherever they are."""
    places = sorted(_seeds(crawl))
    place = urls.host if settings.scope == "host" else urls.site
    rules = Rules(
        settings.scope, frozenset(map(place, places)), settings.include, settings.exclude,
        settings.drop_params,
    )  # fmt: skip
    if rules.without_params(url) != url:
        return f"it is known as {rules.without_params(url)}"
    return rules.cut(url, places[0])


def _found(crawl: Stores, url: str, state: UrlState) -> Iterator[str]:
    """The chain of pages from a seed to the URL."""
    chain = [(url, state)]
    while chain[-1][1].via and len(chain) <= state.depth + state.hops + 1:
        via = chain[-1][1].via
        before = _state(crawl, via)
        if before is None:
            break
        chain.append((via, before))
    for step, (name, known) in enumerate(reversed(chain)):
        how = "seed" if not known.via else "redirect" if known.hops else "link"
        yield f"  {'  ' * step}{how}, depth {known.depth}: {name}"


def _attempts(crawl: Stores, url: str) -> Iterator[str]:
    for layer in crawl.layers("in"):
        for target in _of(crawl.layer("in", layer), url, Target):
            yield f"layer {layer}: chosen at depth {target.depth}, score {target.score}"
        for page in _of(crawl.layer("doc", layer), url, Page):
            yield f"layer {layer}: {_answer(page)}"
        for links in _of(crawl.layer("out", layer), url, Outlinks):
            cuts = ", ".join(f"{count} {reason}" for reason, count in sorted(links.cuts.items()))
            if links.links or cuts:
                yield f"layer {layer}: {len(links.links)} links followed; cut: {cuts or 'none'}"


def _answer(page: Page) -> str:
    told = [page.outcome, page.reason, f"status {page.status}" if page.status else ""]
    told += [f"to {page.location}" if page.location else "", f"at {page.fetched}"]
    told += [f"{page.attempts} attempts" if page.attempts != 1 else ""]
    told += [f"not before {page.not_before}" if page.not_before else ""]
    return ", ".join(part for part in told if part)


def _host(crawl: Stores, url: str) -> Iterator[str]:
    """What is known of the URL's robots.txt."""
    known = _state(crawl, urls.robots_url(url))
    if known and known.failing_since:
        until = f"; not asked before {known.not_before}" if known.not_before else ""
        yield f"robots.txt: unreachable since {known.failing_since}{until}"
    elif known and known.fetched:
        yield f"robots.txt: read at {known.fetched}"


def _now(crawl: Stores, state: UrlState) -> str:
    plans = crawl.layers("in")
    depth = stores.marker(crawl.layer("in", plans[-1])).settings["depth"] if plans else 0
    if not state.visits:
        beyond = state.depth > depth
        return f"beyond --depth {depth}" if beyond else "waits: not asked for yet"
    due = schedule.next_visit(state.visits)
    return f"waits until {schedule.timestamp(due)}" if due else "done: not asked for again"


def _results(crawl: Stores, url: str) -> Iterator[str]:
    for key, page in _naming(crawl.merged, url, Page):
        if key == url:
            yield f"{crawl.name(crawl.merged)}: stands, with {len(page.duplicates)} duplicates"
        for name, kind, distance in page.duplicates:
            if name == url:
                yield f"{crawl.name(crawl.merged)}: {kind} duplicate of {key}, distance {distance}"
    for _ in _of(crawl.xml, url, XmlPage):
        yield f"{crawl.name(crawl.xml)}: as XML"
