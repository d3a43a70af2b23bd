"""The URLs that redirect to a page, over several hops too, as members of its row.

Each hop knows where the next one is, no more. So a redirect is told to the URL that it leads to;
where that redirects in its turn, it is told the next URL in the next step, and so on, while pages'
rows go their way through steps of their own. Where two redirect to each other, none comes to a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from layercrawl import records
from layercrawl.answers import MAX_HOPS
from layercrawl.dedup import rows
from layercrawl.dedup.rows import SETTLED, Message, Row

STEPS = MAX_HOPS - 2
"""How many steps `onward` it takes, after `led_to`, until the first of so many has come through."""
_ONWARD = b": "
"""Before where a key's URL redirects to: sorts behind a row."""
_LED = b"> "
"""Before a URL that redirects to a key's URL."""


def told(row: Row) -> Iterator[Message]:
    """A redirect's row, told to where it leads, and to those that lead to it."""
    yield row.leads_to.encode(), _LED + row.url.encode()
    yield row.url.encode(), _ONWARD + row.leads_to.encode()


def led_to(url: bytes, values: Iterable[bytes]) -> Iterator[Message]:
    """(digest, row) of a page with the URLs that redirect to it; what else is told of its URL."""
    row, to, members = None, b"", []
    for value in values:
        if value.startswith(_ONWARD):
            to = value.removeprefix(_ONWARD)
        elif not value.startswith(_LED):
            row = rows.decode(rows.unranked(value))
        elif row:
            members.append(_member(value))
        elif to:
            members = members or [_member(value)]
            yield SETTLED + to, value
    if row:
        row = records.replace(row, members=members) if members else row
        yield row.digest.encode(), rows.ranked(row)
    elif members:
        yield SETTLED + url, _ONWARD + to


def onward(key: bytes, values: Iterable[bytes]) -> Iterator[Message]:
    """What waits under a key; redirects that lead to a redirect go a hop further."""
    to = b""
    for value in values:
        if value.startswith(_ONWARD):
            to = value.removeprefix(_ONWARD)
        yield (SETTLED + to if to and value.startswith(_LED) else key), value


def members(values: Iterable[bytes]) -> list[rows.Member]:
    """The URLs that redirect to a page, from what is told of it beside its row."""
    return [_member(value) for value in values if value.startswith(_LED)]


def _member(value: bytes) -> rows.Member:
    return value.removeprefix(_LED).decode(), rows.REDIRECT, 0
