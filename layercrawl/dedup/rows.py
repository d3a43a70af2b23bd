"""What the merge's steps know of a page, as compact lines that sort by who stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from layercrawl import records
from layercrawl.planning.visited import Visited
from layercrawl.records import Outcome, Outlinks, Target

Message = tuple[bytes, bytes]
Member = tuple[str, str, int]
"""A duplicate: its URL, of which kind it is, in how many bits the Simhashes differ."""
SETTLED = b"="
"""Before a URL in a key: what is told of it waits for the step `fallen`."""
VERDICT = b"~ "
"""Before where a page falls to: sorts behind all else that is told of its URL."""
MOST_STANDING = 256
"""Rows of one key that stand beside each other and are compared; all others of the key stand."""
REDIRECT = "redirect"


class Row(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A page without its HTML; of a redirect only where it leads to, of other answers only which.

    `members` are the URLs that fell to it so far; `versions` as Outlinks has them; `gone` says that
    the newest answers of its URL are that there is nothing any more.
    """

    url: str
    target: Target = Target()
    fetched: str = ""
    digest: str = ""
    noindex: bool = False
    leads_to: str = ""
    canonical: str = ""
    simhash: str = ""
    text: str = ""
    sketch: str = ""
    versions: str = ""
    members: list[Member] = []
    answer: Outcome = "ok"
    gone: bool = False


_rows = msgspec.json.Decoder(Row)
encode = msgspec.json.encode
decode = _rows.decode


def of(url: str, page: Outlinks) -> Row:
    """The row of a visit."""
    if page.outcome == "redirect":
        leads_to = page.links[0][0] if page.links else url
        return Row(url, leads_to=leads_to, answer=page.outcome)
    if page.outcome != "ok":
        return Row(url, answer=page.outcome)
    return Row(
        url, page.target, page.fetched, page.digest, page.noindex, "", page.canonical,
        page.simhash, page.text, page.sketch, page.versions,
    )  # fmt: skip


def ranked(row: Row) -> bytes:
    """The row after its rank: lines sort by who is to stand."""
    return b"%s %s" % (rank(row), encode(row))


def ranked_light(row: Row) -> bytes:
    """The same with what pairs are found and judged by alone."""
    light = Row(
        row.url,
        canonical=row.canonical,
        simhash=row.simhash,
        sketch=row.sketch,
        versions=row.versions,
    )
    return b"%s %s" % (rank(row), encode(light))


def rank(row: Row) -> bytes:
    """What sorts by who is to stand; without blanks but for one before the URL at its end."""
    wanted = row.canonical == row.url or any(kind == REDIRECT for _, kind, _ in row.members)
    order = 3 if row.gone else 0 if wanted else 2 if row.canonical else 1
    return b"%d%08d%08d %s" % (order, row.target.depth, len(row.url), row.url.encode())


def unranked(line: bytes) -> bytes:
    """The row's own part of a line that `ranked` made."""
    return line.split(b" ", 2)[2]


def clustered(
    lines: Iterable[bytes], kind: str, alike: Callable[[Row, Row], bool]
) -> Iterator[Row]:
    """Of rows that come from the best on, those that stand, with the others as their members."""
    standing: list[tuple[Row, list[Member]]] = []
    for line in lines:
        row = decode(unranked(line))
        found = next((taker for taker, _ in standing if alike(taker, row)), None)
        place = next((place for place in standing if place[0] is found), None)
        if place:
            place[1].extend(taken(row, kind, 0))
        elif len(standing) < MOST_STANDING:
            standing.append((row, []))
        else:
            yield row
    for row, fell in standing:
        yield records.replace(row, members=[*row.members, *fell]) if fell else row


def taken(row: Row, kind: str, distance: int) -> list[Member]:
    """What a row that falls leaves: its URL and members; redirects stay what they are."""
    rest = [m if m[1] == REDIRECT else (m[0], kind, distance) for m in row.members]
    return [(row.url, kind, distance), *rest]


def may_join(one: Row, other: Row) -> bool:
    """Whether neither page calls the other its version in another language."""
    return not (
        one.versions
        and other.url in Visited(one.versions)
        or other.versions
        and one.url in Visited(other.versions)
    )
