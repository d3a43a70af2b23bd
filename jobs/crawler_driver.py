"""CrawlerDriver: each layer's Targets in, one Page per Target out.

The mapper sends each Target to its host; the reducer writes down what it is given, host after host,
and fetches it all at its end, so that slow hosts do not hold up quick ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from layercrawl import urls
from layercrawl.download import Plan, Progress, download
from layercrawl.fetch import Fetcher
from layercrawl.job import Job
from layercrawl.records import Page, Target, encode
from layercrawl.selection import rank
from layercrawl.spool import Spool
from layercrawl.tally import Tally

Message = tuple[bytes, bytes]


class CrawlerDriver(Job):
    """Downloads a layer, politely."""

    STAGE = "crawler"
    READS = (Target,)
    WRITES = Page
    SORT_VALUES = True  # within a host: robots.txt first, then by score, then by URL

    def mapper_init(self) -> None:
        self.asked = Tally()

    def mapper(self, url: str, target: Target) -> Iterator[Message]:
        self.asked.add(url, target.kind)
        place = b"%d%s " % (target.kind != "robots", rank(target.score))
        yield urls.host(url).encode(), place + encode(url, target)

    def mapper_final(self) -> None:
        self.count("asked", self.asked.totals())

    def reducer_init(self) -> None:
        self.spool, self.queued = Spool(), 0

    def reducer(self, host: bytes, values: Iterator[bytes]) -> None:
        self.queued += self.spool.begin(host.decode(), (v.partition(b" ")[2] for v in values))

    def reducer_final(self) -> Iterator[tuple[str, Page]]:
        progress, answered = Progress(self.queued), Tally()
        for item, page in download(self.spool, self.plan(), self.beat(progress.line)):
            progress.add(page)
            if item.held:
                answered.add(item.url, item.target.kind)
            yield item.url, page
        self.count("answered", answered.totals())
        self.count("outcomes", progress.outcomes)
        self.count("failures", progress.failures)
        self.count("fetched", {"characters": progress.characters})

    def plan(self) -> Plan:
        deadline = time.monotonic() + 60 * self.config.layer_minutes
        fetcher = Fetcher(self.config, self.seed_hosts)
        return Plan(self.config, self.rules, fetcher, self.now, deadline)


if __name__ == "__main__":
    CrawlerDriver.run()
