"""The fold: from seeds, links and answers to one UrlState per URL. Pure.

`found` turns a record into states, `merge` joins two states of one URL. `merge` is associative and
commutative, and idempotent but for sums of weights and cash; so any split of the records, in any
order, with a combiner or without, gives the same state, and a fold can start from a checkpoint.

A graph order's sums are never taken from a checkpoint: they are summed anew each time, from the
newest links of every page, which it keeps for such an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import msgspec

from layercrawl.config import Config
from layercrawl.ordering import GraphOrder, Order
from layercrawl.records import Outlinks, UrlState, Visit, replace, value

Message = tuple[bytes, bytes]

_decode = msgspec.json.Decoder(UrlState).decode

KEPT_VISITS = 16
LINKS = b"~"
"""What a message begins with that is a page's links, not a state; see `weighing`."""
FAR = 1 << 40
"""The depth of a URL that nothing within reach links to: all that is known of it is a weight."""


def seed(order: Order) -> UrlState:
    """The state of a URL that the user named."""
    return UrlState(message=order.seed)


def found(
    url: str, page: Outlinks, layer: int, order: Order, depth: int
) -> Iterator[tuple[str, UrlState]]:
    """The states that an answer gives: the URL's own, then one per link within `depth`.

    A redirect's target has the redirect's own depth and one hop more, and so has a refresh's.
    What a sitemap lists has depth 1, and the time of its change.
    """
    yield url, _answered(page, layer, order)
    yield from _links(url, page, layer, order, depth)
    yield from _named(url, page, layer, depth)


def _links(
    url: str, page: Outlinks, layer: int, order: Order, depth: int
) -> Iterator[tuple[str, UrlState]]:
    """The states that an answer gives to its links: all the same, but for a refresh at once."""
    if not page.links or page.target.kind != "page":
        yield from _listed(url, page, layer, depth)
        return
    redirect, links = page.outcome == "redirect", page.links
    if page.refresh and not redirect and page.target.depth <= depth:
        yield page.refresh, _reached(url, page, layer, order, 1)
    if page.target.depth + (not redirect) <= depth:
        state = _reached(url, page, layer, order, int(redirect))
        at_once = "" if redirect else page.refresh
        for (link, _), message in zip(links, order.messages(page), strict=False):
            if message != state.message:
                state = replace(state, message=message)
            if link != at_once:
                yield link, state


def _listed(url: str, page: Outlinks, layer: int, depth: int) -> Iterator[tuple[str, UrlState]]:
    """The states of what a sitemap lists."""
    if page.target.kind == "sitemap" and depth >= 1:
        state = UrlState(depth=1, via=url, first=layer)
        for link, lastmod in page.links:
            if lastmod != state.lastmod:
                state = replace(state, lastmod=lastmod)
            yield link, state


def _named(url: str, page: Outlinks, layer: int, depth: int) -> Iterator[tuple[str, UrlState]]:
    """The states of the sitemaps that a robots.txt or an index names, or that one moved to."""
    if page.sitemaps and depth >= 1:
        target, moved = page.target, page.outcome == "redirect"
        hops = target.hops + 1 if moved else 0
        state = UrlState("sitemap", target.depth + (not moved), hops, url, layer)
        for link in page.sitemaps:
            yield link, state


def _reached(url: str, page: Outlinks, layer: int, order: Order, hops: int) -> UrlState:
    """The state of what an answer leads to by a link, or by so many hops of a redirect."""
    return UrlState(
        depth=page.target.depth + (not hops),
        hops=page.target.hops + 1 if hops else 0,
        via=url,
        first=layer,
        message=order.passed(page),
    )


def _answered(page: Outlinks, layer: int, order: Order) -> UrlState:
    target = page.target
    state: dict[str, Any] = {"kind": target.kind, "depth": target.depth, "first": layer}
    if target.kind == "robots":
        return UrlState(**state, **_host_state(page))
    visits = [visit(page, layer)]
    return UrlState(
        **state, hops=target.hops, via=target.via, visits=visits, spent=order.spent(page)
    )


def visit(page: Outlinks, layer: int) -> Visit:
    """An answer's place in its URL's history."""
    return Visit(
        page.fetched, layer, page.outcome, page.digest, page.simhash, page.etag,
        page.last_modified, -1 if page.length is None else page.length, page.not_before,
    )  # fmt: skip


def _host_state(page: Outlinks) -> dict[str, Any]:
    failing = page.target.failing_since or page.fetched if page.outcome == "failed" else ""
    return {
        "rules": page.rules,
        "fetched": page.fetched,
        "failing_since": failing,
        "delay": page.delay,
        "not_before": page.not_before,
    }


def merge(one: UrlState, other: UrlState, order: Order) -> UrlState:
    """Two states of one URL as one."""
    kind = max(one.kind, other.kind)  # by name: a robots.txt or sitemap that is linked stays one
    depth, hops, via = min((one.depth, one.hops, one.via), (other.depth, other.hops, other.via))
    host = max(one, other, key=_newness)
    return UrlState(
        kind=kind,
        depth=depth,
        hops=hops,
        via=via,
        first=min(one.first, other.first),
        lastmod=max(one.lastmod, other.lastmod),
        visits=_newest(one.visits, other.visits),
        message=order.merged(one.message, other.message),
        spent=one.spent + other.spent,
        rules=host.rules,
        fetched=host.fetched,
        failing_since=host.failing_since,
        delay=host.delay,
        not_before=max(one.not_before, other.not_before),
        links=max(one.links, other.links),
    )


def _newness(state: UrlState) -> tuple[Any, ...]:
    # All fields, so that a tie in time is broken the same way in any order of merging.
    return (state.fetched, state.failing_since, state.rules or "",
            state.rules is not None, state.delay or 0.0, state.delay is not None)  # fmt: skip


def _newest(one: list[Visit], other: list[Visit]) -> list[Visit]:
    if not one or not other:
        return one or other
    return sorted({*one, *other})[-KEPT_VISITS:]


def weight(amount: int) -> UrlState:
    """A graph order's weight as a state that changes nothing else in a merge."""
    return UrlState(depth=FAR, first=FAR, message=amount)


def _links_of(record: Outlinks | UrlState | None) -> str:
    """A page's links as orders that weigh graphs need them: `fetched cash URL URL …`."""
    if isinstance(record, Outlinks) and record.target.kind == "page" and record.links:
        links = " ".join(link for link, _ in record.links)
        return f"{record.fetched} {record.target.cash} {links}"
    return record.links if isinstance(record, UrlState) else ""


class Folding:
    """A mapper's part of the fold: states merged as they come, in bounded memory.

    Messages are (URL, state) as bytes, and for a graph order each page's links beside them. Of the
    settings, `depth` and `sitemaps` count.
    """

    def __init__(self, order: Order, layer: int, settings: Config, most: int = 50_000) -> None:
        self._order, self._layer, self._most = order, layer, most
        self._depth, self._sitemaps = settings.depth, settings.sitemaps
        self._states: dict[str, UrlState] = {}

    def add(self, url: str, record: Outlinks | UrlState | None) -> Iterator[Message]:
        """Take in a line of a store, or a seed (no record); messages once they are many."""
        if isinstance(self._order, GraphOrder) and (links := _links_of(record)):
            yield url.encode(), LINKS + links.encode()
        if isinstance(record, Outlinks):
            self._merge(url, _answered(record, self._layer, self._order))
            self._link(url, record)
        elif url:
            self._merge(url, self._given(record))
        if len(self._states) > self._most:
            yield from self.rest()

    def rest(self) -> Iterator[Message]:
        """All that was taken in since, merged."""
        for url, state in self._states.items():
            yield url.encode(), value(state)
        self._states = {}

    def _given(self, record: UrlState | None) -> UrlState:
        if record is None:
            return seed(self._order)
        graph = isinstance(self._order, GraphOrder)
        return replace(record, message=0, links="") if graph else record

    def _link(self, url: str, page: Outlinks) -> None:
        states = self._states
        links = _links(url, page, self._layer, self._order, self._depth)
        named = _named(url, page, self._layer, self._depth) if self._sitemaps else ()
        for link, state in chain(links, named):
            known = states.get(link)
            if known is None:
                states[link] = state
            elif not self._covers(known, state):
                states[link] = merge(known, state, self._order)

    def _covers(self, known: UrlState, state: UrlState) -> bool:
        """Whether merging a plain link's state would change nothing: so it is with most links."""
        return (
            (known.depth, known.hops, known.via) <= (state.depth, state.hops, state.via)
            and known.kind >= state.kind
            and known.first <= state.first
            and known.lastmod >= state.lastmod
            and self._order.merged(known.message, state.message) == known.message
        )

    def _merge(self, url: str, state: UrlState) -> None:
        known = self._states.get(url)
        self._states[url] = state if known is None else merge(known, state, self._order)


def folded(messages: Iterable[bytes], order: Order) -> UrlState:
    """One URL's messages as one state."""
    state = None
    for message in messages:
        other = _decode(message)
        state = other if state is None else merge(state, other, order)
    assert state is not None  # nothing has no URL
    return state
