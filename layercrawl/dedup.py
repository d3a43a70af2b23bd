"""Which page stands for a group of equal pages, and which visit for a URL. Pure.

Decisions travel as Pages without their HTML: first each URL's newest good visit, then each digest's
best URL, which lists the others as its `duplicates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from layercrawl import records
from layercrawl.records import Outlinks, Page

Message = tuple[bytes, bytes]


def visited(url: str, page: Outlinks) -> Iterator[Message]:
    """(URL, decision) for a visit that brought a page which its author lets be indexed."""
    if page.outcome == "ok" and page.target.kind == "page" and not page.noindex:
        light = Page(page.target, "ok", fetched=page.fetched, digest=page.digest)
        yield url.encode(), b"%s %s" % (page.fetched.encode(), records.encode(url, light))


def newest(decisions: Iterable[bytes]) -> Iterator[Message]:
    """(digest, decision) of a URL's newest visit; decisions come sorted.

    Rows sort by who stands: the lowest depth, then the shortest URL, then URL order.
    """
    *_, last = decisions
    line = last.partition(b" ")[2]
    url, page = records.decode(line, Page)
    yield page.digest.encode(), b"%06d %04d %s" % (page.target.depth, len(url), line)


def stands(rows: Iterable[bytes]) -> Iterator[tuple[str, Page]]:
    """The page that stands for a digest's sorted rows, with the others as its duplicates."""
    pages = (records.decode(row.split(b" ", 2)[2], Page) for row in rows)
    url, page = next(pages)
    others = [(other, "exact", 0) for other, _ in pages]
    yield url, records.replace(page, duplicates=others)


def joined(messages: Iterable[bytes]) -> Iterator[Page]:
    """The whole page that a decision names, from a URL's decision (`0 …`) and Pages (`1 …`)."""
    decision: Page | None = None
    for message in messages:
        _, page = records.decode(b"\t" + message[2:], Page)
        if message.startswith(b"0"):
            decision = page
        elif decision and (page.fetched, page.digest) == (decision.fetched, decision.digest):
            yield records.replace(page, duplicates=decision.duplicates)
            return
