"""Export of what the pages say: their main text, one JSON object a line."""

from __future__ import annotations

from pathlib import Path

import msgspec

from layercrawl import markup
from layercrawl.export import reading
from layercrawl.export.target import new
from layercrawl.records import Page
from layercrawl.stores import Stores


def text(crawl: Stores, target: Path) -> int:
    """A line a merged page: ``url``, ``title``, ``lang``, ``text``; what is empty is left out."""
    written = 0
    with new(target) as path, path.open("wb") as out:
        for url, page in reading.folder(crawl, crawl.merged, Page):
            found = markup.parse(page.html, url, page.encoding)
            told = {"url": url, "title": found.title, "lang": found.lang, "text": found.text}
            out.write(msgspec.json.encode({name: said for name, said in told.items() if said}))
            out.write(b"\n")
            written += 1
    return written
