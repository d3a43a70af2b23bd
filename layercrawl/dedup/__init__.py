"""Which page stands for a group of pages that say the same, and which visit for a URL. Pure.

The steps in their order; each takes the sorted rows of a key and gives rows of other keys:

* by URL, `newest`: the newest good visit; then `redirects.led_to`, with those that redirect there;
* by digest, `equal`: of the same bytes one page stands;
* by the digest of the words, `equal_text`: of the same text in other mark-up one page stands;
* by Simhash, `propose`; by blocks of its bits, `near.pairs`: pages whose Simhashes differ in few
  bits are proposed, and confirmed where their sketches agree; so are http and https, with www and
  without, and what a page calls canonical, where half of the sketches agrees;
* all pairs together, `verdicts`: going from the best page to the worst, each falls to the best page
  that it is near to and that stands itself, or stands;
* by URL again, `fallen`: what is decided of it;
* by the URL that stands, `joined`: the whole page, with all others as its `duplicates`.

Who is best: what is not gone; then a page that calls itself canonical, or that another URL
redirects to; then what calls no other page canonical; then the lowest depth, the shortest URL, URL
order. Pages that name each other as versions in other languages (hreflang) are joined only where
their bytes are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from layercrawl import records
from layercrawl.dedup import near, redirects, rows
from layercrawl.dedup.rows import SETTLED, Message, Row
from layercrawl.planning import revisits
from layercrawl.records import ANSWERED, Outlinks, Page, Target

Step = Callable[[bytes, Iterable[bytes]], Iterator[Message]]
"""From a key and its sorted values to those of the next step."""


def visited(url: str, page: Outlinks) -> Iterator[Message]:
    """(URL, row) for a visit that was answered: a page, a redirect, or why there is neither."""
    if page.target.kind == "page" and page.outcome in ANSWERED:
        row = rows.of(url, page)
        yield url.encode(), b"%s %s" % (page.fetched.encode(), rows.encode(row))


def read(visits: Iterable[bytes]) -> list[Row]:
    """The rows of a URL's visits."""
    return [rows.decode(visit.partition(b" ")[2]) for visit in visits]


def newest(visits: Iterable[Row]) -> Iterator[Message]:
    """A URL's newest good visit; visits come sorted.

    Nothing when its author does not let it be indexed any more, whatever older visits say. Where a
    redirect leads to hears of it.
    """
    page, redirect, answers = None, None, deque[str](maxlen=2)
    for row in visits:
        answers.append(row.answer)
        page = row if row.answer == "ok" else page
        redirect = row if row.answer == "redirect" else redirect
    if redirect and not page:
        yield from redirects.told(redirect)
    if page and not page.noindex:
        gone = revisits.gone_for_good(answers)
        yield page.url.encode(), rows.ranked(records.replace(page, gone=gone))


def noindex(visits: Iterable[Row]) -> bool:
    """Whether the newest page of a URL's sorted visits is one that is not to be indexed."""
    return [row.noindex for row in visits if row.answer == "ok"][-1:] == [True]


def steps(most: int | None) -> list[Step]:
    """What follows `newest`, up to `fallen`: pages are near where at most `most` bits differ.

    None joins what is the same byte for byte only.
    """
    if most is None:
        settle = _others(lambda _, values: by(_settled, equal(values)))
        return [redirects.led_to, settle, *[redirects.onward] * (redirects.STEPS - 1)]
    return [
        redirects.led_to,
        _others(lambda _, values: by(_text, equal(values))),
        _others(lambda _, values: by(_simhash, equal_text(values))),
        _others(lambda _, values: propose(values, most)),
        _others(lambda key, values: near.pairs(key, values, most)),
        _others(lambda _, values: verdicts(values)),
    ]


def equal(values: Iterable[bytes]) -> Iterator[Row]:
    """The row that stands for a digest's sorted rows."""
    yield from rows.clustered(values, "exact", lambda one, other: True)


def equal_text(values: Iterable[bytes]) -> Iterator[Row]:
    """The rows that stand for those of the same words; versions in other languages do each."""
    yield from rows.clustered(values, "text", rows.may_join)


def propose(values: Iterable[bytes], most: int) -> Iterator[Message]:
    """The rows that stand for those of the same Simhash, and what may pair each with others."""
    for row in near.alike(values):
        yield from by(_settled, [row])
        yield from near.proposed(row, most)


def verdicts(values: Iterable[bytes]) -> Iterator[Message]:
    """What `fallen` is to know of the pages that fall, from all pairs."""
    for url, verdict in near.chosen(values):
        yield SETTLED + url.encode(), verdict


def by(key: Callable[[Row], bytes], found: Iterable[Row]) -> Iterator[Message]:
    """Each row by its key."""
    return ((key(row), rows.ranked(row)) for row in found)


def _settled(row: Row) -> bytes:
    return SETTLED + row.url.encode()


def _text(row: Row) -> bytes:
    return row.text.encode() or _settled(row)  # a page without text is like no other


def _simhash(row: Row) -> bytes:
    return row.simhash.encode() if row.sketch else _settled(row)


def _others(step: Step) -> Step:
    """The step for rows that are not settled; those pass."""

    def passing(key: bytes, values: Iterable[bytes]) -> Iterator[Message]:
        if key.startswith(SETTLED):
            return redirects.onward(key, values)
        return step(key, values)

    return passing


def fallen(values: Iterable[bytes]) -> Iterator[tuple[str, Page]]:
    """(URL that stands, decision), from a URL's row and perhaps a verdict that it falls to another.

    A decision is the page itself without its body, or nothing but `duplicates`, for another page.
    Nothing of redirects that lead to no page.
    """
    first, *others = values
    if not first[:1].isdigit():
        return
    row = rows.decode(rows.unranked(first))
    row = records.replace(row, members=[*row.members, *redirects.members(others)])
    if others and others[-1].startswith(rows.VERDICT):
        to, kind, distance = others[-1].removeprefix(rows.VERDICT).decode().split(" ")
        yield to, Page(Target(), "ok", duplicates=rows.taken(row, kind, int(distance)))
    else:
        page = Page(row.target, "ok", fetched=row.fetched, digest=row.digest)
        yield row.url, records.replace(page, duplicates=row.members, gone=row.gone)


def joined(messages: Iterable[bytes]) -> Iterator[Page]:
    """The whole page that stands, from all decisions (`0 …`) of a URL and its Pages (`1 …`)."""
    said: list[Page] = []
    decision: Page | None = None
    for message in messages:
        _, page = records.decode(b"\t" + message[2:], Page)
        if message.startswith(b"0"):
            said.append(page)
            continue
        decision = decision or decided(said)
        if decision and _visit(page) == _visit(decision):
            yield records.replace(page, duplicates=decision.duplicates, gone=decision.gone)
            return


def decided(decisions: Iterable[Page]) -> Page | None:
    """A URL's decisions as one: the page that stands, with all that fell to it; None: none does."""
    said = list(decisions)
    duplicates = sorted(member for one in said for member in one.duplicates)
    own = (one for one in said if one.fetched)
    return next((records.replace(one, duplicates=duplicates) for one in own), None)


def _visit(page: Page) -> tuple[str, str, Target]:
    # Two layers can have fetched a URL in the same second, even the same bytes.
    return page.fetched, page.digest, page.target
