"""Export of what servers said, as WARC 1.1 (ISO 28500), with an index for replay."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from layercrawl.config import VERSION
from layercrawl.export import cdxj, reading
from layercrawl.export.target import new
from layercrawl.records import Page
from layercrawl.stores import Stores

_SERVER_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_CODED = frozenset({"content-encoding", "transfer-encoding", "content-length"})


def warc(crawl: Stores, target: Path) -> int:
    """One file of ``warcinfo``, then a record a Page; gzip where the ending is ``.gz``.

    What was answered is a ``response`` with the body as it was kept, content codings undone (the
    headers that told of them are named ``X-Archive-Orig-…``) and ``WARC-Truncated`` where that is
    not all; an answer that nothing changed is a ``revisit``, which names the response that it
    refers to; what was not answered is ``metadata`` with outcome and reason, and so is a robots.txt
    that redirects, whose last answer alone is kept. Beside it, with
    ``.cdxj`` after its name, lies its index (see `cdxj`).
    """
    beside = target.with_name(f"{target.name}.cdxj")
    with new(target) as path, new(beside) as index, path.open("wb") as out:
        return cdxj.write(index, _written(crawl, target, out))


def _written(crawl: Stores, target: Path, out: BinaryIO) -> Iterator[cdxj.Place]:
    writer = WARCWriter(out, gzip=target.suffix == ".gz", warc_version="WARC/1.1")
    told = {"software": f"layercrawl/{VERSION}", "format": "WARC File Format 1.1"}
    writer.write_record(writer.create_warcinfo_record(target.name, told))
    originals = _Originals()
    for url, page in _hops(reading.layers(crawl, "doc", Page)):
        record, offset = _record(writer, url, page, originals), out.tell()
        writer.write_record(record)
        originals.keep(url, page, record)
        yield cdxj.Place(record, offset, out.tell() - offset, target.name)


def _hops(pages: Iterator[tuple[str, Page]]) -> Iterator[tuple[str, Page]]:
    """Each page by the URL that answered: a robots.txt's may be another one than was asked for."""
    for url, page in pages:
        if page.location and page.outcome != "redirect":
            why = f"to {page.location} in the end"
            yield url, Page(page.target, "redirect", why, fetched=page.fetched)
            url = page.location
        yield url, page


class _Originals:
    """The newest response of each URL that may be asked for again, as a revisit refers to it."""

    def __init__(self) -> None:
        self._kept = sqlite3.connect("")  # a temporary file, once it is large
        self._kept.execute("CREATE TABLE kept (url TEXT PRIMARY KEY, date, digest) WITHOUT ROWID")

    def keep(self, url: str, page: Page, record: Any) -> None:
        if page.outcome == "ok" and (page.header("etag") or page.header("last-modified")):
            row = (url, page.fetched, record.rec_headers.get_header("WARC-Payload-Digest"))
            self._kept.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", row)

    def headers(self, url: str) -> dict[str, str]:
        row = self._kept.execute("SELECT date, digest FROM kept WHERE url = ?", (url,)).fetchone()
        if not row:
            return {}
        names = ("WARC-Refers-To-Target-URI", "WARC-Refers-To-Date", "WARC-Payload-Digest")
        return dict(zip(names, (url, *row), strict=True))


def _record(writer: Any, url: str, page: Page, originals: _Originals) -> Any:
    told = {"WARC-Date": page.fetched} if page.fetched else {}
    if not page.status:
        return _unanswered(writer, url, page, told)
    if page.outcome == "not_modified":
        told |= {"WARC-Profile": _SERVER_NOT_MODIFIED} | originals.headers(url)
        head = _head(page, page.headers)
        return writer.create_warc_record(url, "revisit", http_headers=head, warc_headers_dict=told)
    body = page.body()
    head = _head(page, _uncoded(page.headers, len(body)))
    if why := _truncated(page):
        told["WARC-Truncated"] = why
    return writer.create_warc_record(
        url, "response", payload=io.BytesIO(body), http_headers=head, warc_headers_dict=told
    )


def _unanswered(writer: Any, url: str, page: Page, told: dict[str, str]) -> Any:
    said = "".join(f"{name}: {getattr(page, name)}\r\n" for name in ("outcome", "reason"))
    kind = "application/warc-fields"
    return writer.create_warc_record(
        url, "metadata", payload=io.BytesIO(said.encode()), warc_content_type=kind,
        warc_headers_dict=told,
    )  # fmt: skip


def _truncated(page: Page) -> str:
    """Why a body is not whole: bodies of pages alone are kept, up to a length."""
    if page.truncated:
        return "length"
    return "unspecified" if page.outcome != "ok" and page.header("content-length") != "0" else ""


def _head(page: Page, headers: list[tuple[str, str]]) -> StatusAndHeaders:
    protocol = f"HTTP/{page.http_version or '1.1'}"
    return StatusAndHeaders(f"{page.status} ", headers, protocol=protocol)


def _uncoded(headers: list[tuple[str, str]], length: int) -> list[tuple[str, str]]:
    kept = [
        (f"X-Archive-Orig-{name}" if name.lower() in _CODED else name, value)
        for name, value in headers
    ]
    return [*kept, ("Content-Length", str(length))]
