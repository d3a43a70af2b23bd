"""ParserDriver: Pages in, their Outlinks out; map only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from layercrawl.job import Job
from layercrawl.outlinks import outlinks
from layercrawl.records import Outlinks, Page
from layercrawl.relevance import Topic


class ParserDriver(Job):
    """Reads links, directives and fingerprints."""

    STAGE = "parser"
    READS = (Page,)
    WRITES = Outlinks

    def mapper_init(self) -> None:
        self.topic = Topic(self.config.topic) if self.config.topic else None
        self.links, self.sitemaps, self.cuts = 0, 0, Counter[str]()

    def mapper(self, url: str, page: Page) -> Iterator[tuple[str, Outlinks]]:
        c = self.config
        found = outlinks(url, page, self.rules, c.user_agent, c.nofollow_rels, self.topic)
        self.links += len(found.links)
        self.sitemaps += len(found.sitemaps)
        self.cuts.update(found.cuts)
        yield url, found

    def mapper_final(self) -> None:
        self.count("links", {"followed": self.links, "sitemaps": self.sitemaps})
        self.count("cuts", self.cuts)


if __name__ == "__main__":
    ParserDriver.run()
