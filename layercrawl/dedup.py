"""Which page stands for a group of equal pages, and which visit for a URL. Pure.

Decisions travel as Pages without their HTML: first each URL's newest good visit, then each digest's
best URL, which lists the others as its `duplicates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from layercrawl import records
from layercrawl.records import Outlinks, Page, Target

Message = tuple[bytes, bytes]
NOINDEX = "noindex"


def visited(url: str, page: Outlinks) -> Iterator[Message]:
    """(URL, decision) for a visit that brought a page."""
    if page.outcome == "ok" and page.target.kind == "page":
        reason = NOINDEX if page.noindex else ""
        light = Page(page.target, "ok", reason, fetched=page.fetched, digest=page.digest)
        yield url.encode(), b"%s %s" % (page.fetched.encode(), records.encode(url, light))


def newest(decisions: Iterable[bytes]) -> Iterator[Message]:
    """(digest, decision) of a URL's newest visit; decisions come sorted.

    Nothing when its author does not let it be indexed any more, whatever older visits say.
    Rows sort by who stands: the lowest depth, then the shortest URL, then URL order.
    """
    *_, last = decisions
    line = last.partition(b" ")[2]
    url, page = records.decode(line, Page)
    if page.reason != NOINDEX:
        yield page.digest.encode(), b"%08d %08d %s" % (page.target.depth, len(url), line)


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
        elif decision and _visit(page) == _visit(decision):
            yield records.replace(page, duplicates=decision.duplicates)
            return


def _visit(page: Page) -> tuple[str, str, Target]:
    # Two layers can have fetched a URL in the same second, even the same bytes.
    return page.fetched, page.digest, page.target
