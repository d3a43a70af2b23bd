"""MergeDriver: one Page per distinct page, with its duplicates.

Two passes, so that HTML is shuffled once: `decide` reads the light Outlinks and writes decisions,
`join` reads them and all Pages, and writes the Pages that stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mrjob.step import MRStep

from layercrawl import dedup
from layercrawl.config.options import bits
from layercrawl.job import Job
from layercrawl.records import Outlinks, Page, encode

Message = tuple[bytes, bytes]


class MergeDriver(Job):
    """Merges the layers: each URL's newest good page, each page once."""

    STAGE = "merge"
    READS = (Outlinks, Page)
    WRITES = Page
    SORT_VALUES = True

    def configure_args(self) -> None:
        super().configure_args()
        self.add_passthru_arg("--pass", dest="passing", choices=["decide", "join"], default="join")

    def steps(self) -> list[MRStep]:
        if self.options.passing == "join":
            return [MRStep(mapper=self.page, reducer=self.join, reducer_final=self.tell)]
        between = dedup.steps(bits(self.config.near_duplicates))
        return [
            MRStep(mapper=self.visit, reducer=self.newest, reducer_final=self.tell_decided),
            *(MRStep(reducer=step) for step in between),
            MRStep(reducer=self.fallen),
        ]

    def visit(self, url: str, record: Any) -> Iterator[Message]:
        yield from dedup.visited(url, record)

    def newest(self, _: bytes, visits: Iterator[bytes]) -> Iterator[Message]:
        seen = dedup.read(visits)
        self.noindex += dedup.noindex(seen)
        yield from dedup.newest(seen)

    def fallen(self, _: bytes, rows: Iterator[bytes]) -> Iterator[tuple[str, Page]]:
        yield from dedup.fallen(rows)

    def page(self, url: str, page: Page) -> Iterator[Message]:
        if page.outcome == "ok" and page.target.kind == "page":
            decided = b"1 " if page.status else b"0 "
            yield url.encode(), decided + encode(url, page).partition(b"\t")[2]

    def join(self, url: bytes, messages: Iterator[bytes]) -> Iterator[tuple[str, Page]]:
        for page in dedup.joined(messages):
            self.pages += 1
            self.duplicates += len(page.duplicates)
            yield url.decode(), page

    def tell(self) -> None:
        self.count("merged", {"pages": self.pages, "duplicates": self.duplicates})

    def tell_decided(self) -> None:
        self.count("merged", {"noindex": self.noindex})

    pages = duplicates = noindex = 0


if __name__ == "__main__":
    MergeDriver.run()
