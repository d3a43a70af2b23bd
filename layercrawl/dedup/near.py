"""Pages of nearly the same text: proposed by their Simhashes, confirmed by their sketches.

Two bands of the sketch propose as well, each the four least hashes of one parity: few pairs of 0.95
whose Simhashes are too far from each other have neither band in common.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from layercrawl import simhash, sketch, urls
from layercrawl.dedup import blocks, rows
from layercrawl.dedup.rows import Message, Row
from layercrawl.dedup.urlset import UrlSet

AGREE = 0.9
"""What two sketches have in common where texts are nearly the same."""
AGREE_AS_NAMED = 0.5
"""What they have in common where one page calls the other canonical, or both are twins."""
CHOICE = b"~"
"""The key of all pairs, by which they are sorted from the best page to the worst."""
MOST_PAIRS, MOST_TRIES = 16, 64
"""Of a page under one key: pairs with better ones that count, and that are looked at."""
MOST_ROWS = 50_000
"""Rows of one key that are compared, the best ones: 2 kB each. Others may meet under other keys."""
_BAND = 4
_KINDS = ("near", "canonical")
_TWIN, _BANDS = b"t", b"s"


class _Candidate(NamedTuple):
    """A page as one of a pair."""

    rank: bytes
    row: Row
    bits: int

    def agrees(self, other: _Candidate, least: float) -> bool:
        return _agree(self.row, other.row, least)


def alike(values: Iterable[bytes]) -> Iterator[Row]:
    """The rows that stand for those of the same Simhash and nearly the same sketch."""
    yield from rows.clustered(
        values,
        "near",
        lambda one, other: _agree(one, other, AGREE) and rows.may_join(one, other),
    )


def proposed(row: Row, most: int) -> Iterator[Message]:
    """A row by the blocks of its Simhash, by its twins' key and by that of its canonical page."""
    light = rows.ranked_light(row)
    for key in blocks.keys(int(row.simhash, 16), most):
        yield key, light
    named = {twin(row.url)}
    if row.canonical and urls.site(row.canonical) == urls.site(row.url):
        named.add(twin(row.canonical))
    for name in sorted(named):
        yield _TWIN + name.encode(), light
    hashes = sorted(_hashes(row.sketch))
    for parity in (0, 1):
        band = [number for number in hashes if number % 2 == parity][:_BAND]
        yield _BANDS + "-".join(map(str, band)).encode(), light


def twin(url: str) -> str:
    """The URL without what tells twins: http or https, www or not.

    >>> twin("https://www.a.example/www"), twin("http://a.example/www")
    ('a.example/www', 'a.example/www')
    """
    return url.partition("://")[2].removeprefix("www.")


def pairs(key: bytes, values: Iterable[bytes], most: int) -> Iterator[Message]:
    """Each pair of near pages among a key's rows, which come from the best on, for `chosen`."""
    found = list(map(_candidate, islice(values, MOST_ROWS)))
    if key.startswith(_TWIN):
        yield from _named(key.removeprefix(_TWIN).decode(), found)
    elif key.startswith(_BANDS):
        for place, worse in enumerate(found):
            yield from _confirmed(worse, found[: min(place, MOST_TRIES)])
    else:
        better: dict[int, array[int]] = {}
        bits = [candidate.bits for candidate in found]
        for one, other in blocks.pairs(bits, most, key, MOST_TRIES):
            better.setdefault(other, array("I")).append(one)
        for place, places in better.items():
            yield from _confirmed(found[place], [found[one] for one in sorted(places)])


def chosen(values: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """For each page that falls (its URL): to which one that stands, the best of those near to it.

    The pairs come sorted by the worse page. The URLs that fell so far are kept, 8 bytes each.
    """
    fell, last = UrlSet(), b""
    for value in values:
        _, worse, _, better, kind, distance = value.split(b" ")
        if worse != last and better not in fell:
            fell.add(worse)
            last = worse
            name = _KINDS[int(kind)].encode()
            yield worse.decode(), b"%s%s %s %s" % (rows.VERDICT, better, name, distance)


def _candidate(value: bytes) -> _Candidate:
    order, url, row = value.split(b" ", 2)
    found = rows.decode(row)
    return _Candidate(b"%s %s" % (order, url), found, int(found.simhash, 16))


def _confirmed(worse: _Candidate, better: list[_Candidate]) -> Iterator[Message]:
    agreeing = (
        one
        for one in better[:MOST_TRIES]
        if one.agrees(worse, AGREE) and rows.may_join(one.row, worse.row)
    )
    for one in islice(agreeing, MOST_PAIRS):
        yield _pair(one, worse, "near")


def _named(name: str, found: list[_Candidate]) -> Iterator[Message]:
    """Pairs of a URL's page, or its twin's, with what is worse and is a twin or names it."""
    twins: list[_Candidate] = []  # at most four, however many name them
    for worse in found:
        for one in twins:
            if one.agrees(worse, AGREE_AS_NAMED) and rows.may_join(one.row, worse.row):
                yield _pair(one, worse, "canonical")
                break
        if twin(worse.row.url) == name:
            twins.append(worse)


def _pair(one: _Candidate, worse: _Candidate, kind: str) -> Message:
    distance = simhash.distance(one.bits, worse.bits)
    return CHOICE, b"%s %s %d %d" % (worse.rank, one.rank, _KINDS.index(kind), distance)


def _agree(one: Row, other: Row, least: float) -> bool:
    return sketch.agree(_hashes(one.sketch), _hashes(other.sketch), least)


_hashes = lru_cache(maxsize=2048)(sketch.read)
