"""CrawlerDriver: each layer's Targets in, one Page per Target out.

The mapper sends each Target to its host, or to its site where that has a limit; the reducer writes
down what it is given, host after host, and fetches all at its end, so that slow hosts do not hold
up quick ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from layercrawl import urls
from layercrawl.download.handover import Room
from layercrawl.download.plan import Plan
from layercrawl.download.progress import Progress
from layercrawl.download.spool import Spool
from layercrawl.download.stays import Longest
from layercrawl.download.tally import Tally
from layercrawl.download.turns import download
from layercrawl.fetch import Fetcher
from layercrawl.job import Job
from layercrawl.planning.selection import rank
from layercrawl.records import Page, Target, encode

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
        host, place = urls.host(url), b"%d%s" % (target.kind != "robots", rank(target.score))
        together = urls.site(url) if self.config.max_per_site else host
        yield together.encode(), b"%s %s %s" % (host.encode(), place, encode(url, target))

    def mapper_final(self) -> None:
        self.count("asked", self.asked.totals())

    def reducer_init(self) -> None:
        self.spool, self.queued = Spool(), 0

    def reducer(self, _: bytes, values: Iterator[bytes]) -> None:
        for host, rows in groupby((value.split(b" ", 2) for value in values), itemgetter(0)):
            self.queued += self.spool.begin(host.decode(), (line for _, _, line in rows))

    def reducer_final(self) -> Iterator[tuple[str, Page]]:
        progress, answered, longest = Progress(self.queued), Tally(), Longest()
        for item, page in download(self.spool, self.plan(), self.beat(progress.line), longest):
            progress.add(page)
            if item.held:
                answered.add(item.url, item.target.kind)
            yield item.url, page
        self.count("answered", answered.totals())
        for group, counts in progress.groups():
            self.count(group, counts)
        self.count_own("longest", longest.counts())

    def plan(self) -> Plan:
        deadline = time.monotonic() + 60 * self.config.layer_minutes
        room = Room()
        fetcher = Fetcher(self.config, self.seed_hosts, room)
        return Plan(self.config, self.rules, fetcher, self.now, deadline, room)


if __name__ == "__main__":
    CrawlerDriver.run()
