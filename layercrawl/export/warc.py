"""Export of what servers said, as WARC 1.1 (ISO 28500)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from layercrawl.config import VERSION
from layercrawl.export import reading
from layercrawl.records import Page
from layercrawl.stores import Stores

_SERVER_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_CODED = frozenset({"content-encoding", "transfer-encoding", "content-length"})


def warc(crawl: Stores, path: Path, ending: str) -> int:
    """One file of ``warcinfo``, then a record a Page; gzip where the ending is ``.gz``.

    What was answered is a ``response`` with the body as it was kept, content codings undone (the
    headers that told of them are named ``X-Archive-Orig-…``); an answer that nothing changed is a
    ``revisit``; what was not answered is ``metadata`` with outcome and reason.
    """
    written = 0
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=ending == ".gz", warc_version="WARC/1.1")
        writer.write_record(_info(writer, path))
        for url, page in reading.layers(crawl, "doc", Page):
            writer.write_record(_record(writer, url, page))
            written += 1
    return written


def _info(writer: Any, path: Path) -> Any:
    told = {"software": f"layercrawl/{VERSION}", "format": "WARC File Format 1.1"}
    return writer.create_warcinfo_record(path.name.removesuffix(".partial"), told)


def _record(writer: Any, url: str, page: Page) -> Any:
    told = {"WARC-Date": page.fetched} if page.fetched else {}
    if not page.status:
        said = "".join(f"{name}: {getattr(page, name)}\r\n" for name in ("outcome", "reason"))
        kind = "application/warc-fields"
        return writer.create_warc_record(
            url, "metadata", payload=io.BytesIO(said.encode()), warc_content_type=kind,
            warc_headers_dict=told,
        )  # fmt: skip
    body = page.body()
    head = StatusAndHeaders(
        f"{page.status} ", _headers(page, len(body)), protocol=f"HTTP/{page.http_version or '1.1'}"
    )
    if page.truncated:
        told["WARC-Truncated"] = "length"
    if page.outcome == "not_modified":
        told["WARC-Profile"] = _SERVER_NOT_MODIFIED
        return writer.create_warc_record(url, "revisit", http_headers=head, warc_headers_dict=told)
    return writer.create_warc_record(
        url, "response", payload=io.BytesIO(body), http_headers=head, warc_headers_dict=told
    )


def _headers(page: Page, length: int) -> list[tuple[str, str]]:
    kept = [
        (f"X-Archive-Orig-{name}" if name.lower() in _CODED else name, value)
        for name, value in page.headers
    ]
    return [*kept, ("Content-Length", str(length))]
