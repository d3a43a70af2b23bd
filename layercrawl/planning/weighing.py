"""Each page's newest links, for the orders that weigh graphs: as messages, weights, rows. Pure.

A page's links travel to its URL as a message of their own, `~fetched cash URL URL …`, of which the
greatest is the newest; so a page that is visited again counts once. A checkpoint keeps that one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from layercrawl.ordering import Order, RankOrder, WeightOrder
from layercrawl.ordering.graph import packed
from layercrawl.planning import fold
from layercrawl.planning.fold import LINKS, Message
from layercrawl.records import ANSWERED, Outlinks, Target, UrlState, replace, value

GRAPH = b"graph"
"""The key of the rows of the graph, which come together in one task; no URL is like it."""


def kept(messages: Iterable[bytes], order: Order) -> UrlState:
    """One URL's sorted messages as what a checkpoint keeps of it."""
    told, newest = _parted(messages)
    return replace(fold.folded(told, order), links=newest.decode())


class Weighing:
    """A task's part of the weighing: weights add up as they come, in bounded memory."""

    def __init__(self, order: Order, most: int = 100_000) -> None:
        self._order, self._most = order, most
        self._weights: Counter[str] = Counter()

    def add(self, url: bytes, messages: Iterable[bytes]) -> Iterator[Message]:
        """What is said of one page, and its newest links as graph; messages come sorted.

        Links' weights come once they are many.
        """
        told, newest = _parted(messages)
        if isinstance(self._order, RankOrder):
            state = fold.folded(told, self._order)
            yield url, told[0] if len(told) == 1 else value(state)
            yield from _mapped(url, state, newest)
            return
        yield from ((url, message) for message in told)
        if newest and isinstance(self._order, WeightOrder):
            for link, amount in self._order.weights([(url.decode(), _page(newest))]):
                self._weights[link] += amount
        if len(self._weights) > self._most:
            yield from self.rest()

    def rest(self) -> Iterator[Message]:
        """All weights that were taken in since."""
        for link, amount in self._weights.items():
            yield link.encode(), _weight_message(amount)
        self._weights.clear()


def ranked(ranks: Iterable[tuple[bytes, int]]) -> Iterator[Message]:
    """URLs' ranks as weights."""
    for url, rank in ranks:
        yield url, _weight_message(rank)


def _parted(messages: Iterable[bytes]) -> tuple[list[bytes], bytes]:
    """What is said of a URL, and its newest links: none where there are none."""
    newest, told = b"", list[bytes]()
    for message in messages:
        if message.startswith(LINKS):
            newest = message.removeprefix(LINKS)
        else:
            told.append(message)
    return told, newest


def _page(links: bytes) -> Outlinks:
    """What orders need to know of a page, from its links' message."""
    fetched, cash, *found = links.decode().split(" ")
    target = Target(cash=int(cash))
    return Outlinks(target, "ok", fetched=fetched, links=[(link, "") for link in found])


@lru_cache(maxsize=1024)
def _weight_message(amount: int) -> bytes:
    return value(fold.weight(amount))


def _mapped(url: bytes, state: UrlState, newest: bytes) -> Iterator[Message]:
    """One URL's rows of the graph.

    They are `0 URL`, with ` fetched` after it where it was, and `1 URL hashes of links`.
    """
    if state.kind != "page" or state.depth == fold.FAR:
        return
    fetched = any(visit.outcome in ANSWERED for visit in state.visits)
    yield GRAPH, b"0 %s%s" % (url, b" fetched" if fetched else b"")
    if newest:
        links = set(newest.decode().split(" ")[2:]) - {url.decode()}
        yield GRAPH, b"1 %s %s" % (url, packed(links))
