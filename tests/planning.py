"""OptimizerDriver's steps without mrjob, and small random layers to put through them."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from layercrawl.config import Config
from layercrawl.job import ranking
from layercrawl.ordering import GraphOrder, Order
from layercrawl.planning import fold, weighing
from layercrawl.planning.selection import Selection
from layercrawl.records import Outlinks, Target, UrlState

Message = tuple[bytes, bytes]
Line = tuple[int, str, Outlinks | UrlState | None]
few = settings(max_examples=40, deadline=None)
NOW = datetime(2026, 1, 2, tzinfo=UTC)
URLS = [f"http://{host}.example/{path}" for host in "ab" for path in ("", "x", "y/z")]
ROBOTS = ["http://a.example/robots.txt", "http://b.example/robots.txt"]


def grouped(messages: Iterable[Message], reducers: int = 1) -> Iterator[list[tuple[bytes, Any]]]:
    """Each reducer's (key, sorted values), as Streaming with sorted values hands them over."""
    parts: list[dict[bytes, list[bytes]]] = [{} for _ in range(reducers)]
    for key, value in messages:
        parts[zlib.crc32(key) % reducers].setdefault(key, []).append(value)
    for part in parts:
        yield [(key, iter(sorted(values))) for key, values in sorted(part.items())]


def spread(
    mappers: Iterable[Iterable[Line]], order: Order, depth: int, most: int
) -> Iterator[Message]:
    for lines in mappers:
        foldings: dict[int, fold.Folding] = {}  # a mapper reads lines of one layer
        for layer, url, record in lines:
            folding = foldings.setdefault(
                layer, fold.Folding(order, layer, Config(depth=depth, sitemaps=True), most)
            )
            yield from folding.add(url, record)
        for folding in foldings.values():
            yield from folding.rest()


def states(
    mappers: Iterable[Iterable[Line]], order: Order, depth: int = 9, most: int = 50_000
) -> dict[str, UrlState]:
    """The fold of all mappers' lines."""
    messages = list(spread(mappers, order, depth, most))
    if isinstance(order, GraphOrder):
        (groups,) = grouped(messages)
        weighed = weighing.Weighing(order, most)
        messages = [m for url, values in groups for m in weighed.add(url, values)]
        messages += weighed.rest()
        (groups,) = grouped(messages)
        messages = [m for url, values in groups for m in ranking.step(order, url, values, 1)]
    (groups,) = grouped(messages)
    return {url.decode(): fold.folded(values, order) for url, values in groups}


def kept(mappers: Iterable[Iterable[Line]], order: Order, depth: int = 9) -> dict[str, UrlState]:
    """What a checkpoint of all mappers' lines holds."""
    (groups,) = grouped(spread(mappers, order, depth, 50_000))
    return {url.decode(): weighing.kept(values, order) for url, values in groups}


def planned(
    known: dict[str, UrlState], config: Config, limit: int = 0, reducers: int = 1, plans: str = ""
) -> tuple[list[tuple[str, Target]], Counter[str]]:
    """The next layer and the counts, by as many reducers in each step."""
    counts: Counter[str] = Counter()
    rows: list[Message] = []
    for urls in grouped(((url.encode(), b"") for url in known), reducers):
        choice = Selection(config, NOW, plans=plans)
        for url, _ in urls:
            rows += choice.candidate(url.decode(), known[url.decode()])
        counts.update(choice.counts)
    shared: list[bytes] = []
    for hosts in grouped(rows, reducers):
        choice = Selection(config, NOW, plans=plans)
        for _, values in hosts:
            shared += choice.of_host(values)
        counts.update(choice.counts)
    choice = Selection(config, NOW, plans=plans)
    layer = list(choice.taken(iter(sorted(shared)), limit))
    counts.update(choice.counts)  # what is gone may be less than nothing in one task
    return layer, counts


def times() -> st.SearchStrategy[str]:
    return st.integers(0, 9).map(lambda second: f"2026-01-01T00:00:0{second}Z")


def pages(urls: list[str] = URLS) -> st.SearchStrategy[Outlinks]:
    """What a visit of a page brought."""
    links = st.lists(st.sampled_from(urls), max_size=4, unique=True)
    return st.builds(
        Outlinks,
        target=st.builds(
            Target,
            depth=st.integers(0, 3),
            via=st.sampled_from(["", *urls]),
            hops=st.integers(0, 2),
        ),
        outcome=st.sampled_from(["ok", "redirect", "failed", "deferred", "gone"]),
        fetched=times(),
        digest=st.sampled_from(["d1", "d2"]),
        links=links.map(lambda found: [(url, "text") for url in found]),
        not_before=st.just("") | times(),
        relevance=st.integers(0, 3),
        relevances=st.lists(st.integers(0, 3), max_size=4),
    )


def robots() -> st.SearchStrategy[Outlinks]:
    """What asking for a robots.txt brought."""
    return st.builds(
        Outlinks,
        target=st.builds(Target, kind=st.just("robots"), failing_since=st.just("") | times()),
        outcome=st.sampled_from(["ok", "failed", "not_modified", "deferred"]),
        fetched=st.just("") | times(),
        rules=st.sampled_from([None, "", "User-agent: *"]),
        delay=st.sampled_from([None, 0.5, 3.0]),
        not_before=st.just("") | times(),
    )


def sitemaps() -> st.SearchStrategy[Outlinks]:
    """What asking for a sitemap, or for the robots.txt that names it, brought."""
    links = st.lists(st.sampled_from(URLS), max_size=2, unique=True)
    return st.builds(
        Outlinks,
        target=st.builds(
            Target, kind=st.sampled_from(["sitemap", "robots"]), depth=st.integers(0, 3)
        ),
        outcome=st.sampled_from(["ok", "redirect", "failed"]),
        fetched=times(),
        links=st.lists(st.tuples(st.sampled_from(URLS), st.just("") | times()), max_size=2),
        sitemaps=links,
    )


def lines(layers: int = 3) -> st.SearchStrategy[list[Line]]:
    """Lines of seeds and of several layers' `out/`."""
    layer = st.integers(0, layers - 1)
    return st.lists(
        st.tuples(layer, st.sampled_from(URLS), pages())
        | st.tuples(layer, st.sampled_from(ROBOTS), robots())
        | st.tuples(layer, st.sampled_from([*URLS[:2], *ROBOTS]), sitemaps())
        | st.tuples(st.just(0), st.sampled_from(URLS), st.none()),
        max_size=20,
    )
