#!/usr/bin/env python3
"""Crawl from the seeds to a link depth: five jobs, layer after layer, then merge and XML.

    python driver.py --depth 2 https://example.org/

Run it again to go on: a stage is finished when its folder has its marker, and finished stages are
skipped. `hdfs_layout.md` tells the folders, `python driver.py --help` the options.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from jobs.crawler_driver import CrawlerDriver
from jobs.html_to_xml_driver import HtmlToXmlDriver
from jobs.merge_driver import MergeDriver
from jobs.optimizer_driver import OptimizerDriver
from jobs.parser_driver import ParserDriver
from layercrawl import config, stores, urls
from layercrawl.config import BadConfig, Config
from layercrawl.job import JobFailed
from layercrawl.running import cluster, report, start
from layercrawl.running.checkpoints import Checkpoints
from layercrawl.running.limits import Limits
from layercrawl.running.report import Report
from layercrawl.running.stage import Stages
from layercrawl.stores import BadRoot, Stores

FINISHED, FAILED, BAD_USE, NOTHING, INTERRUPTED = 0, 1, 2, 3, 130


class Crawl:
    """One run over one root."""

    def __init__(self, settings: Config, where: Stores, told: Report, seed_urls: list[str]) -> None:
        self.stores, self.told = where, told
        self.limits = Limits(settings, where)
        hosts = sorted({urls.host(url) for url in seed_urls})
        self.stages = Stages(settings, where, told, hosts)
        self.checkpoints = Checkpoints(where, self.stages, OptimizerDriver)

    def run(self) -> int:
        """All layers, until nothing that is due waits or a limit is met; then merge and XML."""
        while not self.limits.reached():
            layer = self.stores.finished()
            if not self.plan(layer):
                break
            answered = self.fetch(layer)
            self.parse(layer)
            if not answered:
                self.plan(layer + 1)  # so that what waits, and until when, is known
                break
        self.merge()
        self.to_xml()
        self.told.say(report.summary(self.stores, self.limits.started))
        return FINISHED if report.pages(self.stores) else NOTHING

    def plan(self, layer: int) -> int:
        """OptimizerDriver: who is fetched in this layer; how many they are."""
        folder = self.stores.layer("in", layer)
        if not stores.complete(folder) or not report.taken(stores.marker(folder)):
            known = [self.stores.layer("out", number) for number in range(layer)]
            told = map(stores.parts, self.checkpoints.standing_for(known))
            reads, words = [f"{self.stores.seeds}/*", *told], self.limits.for_plan(layer)
            self.stages.run(OptimizerDriver, folder, known, reads=reads, arguments=words)
        return report.taken(stores.marker(folder))

    def fetch(self, layer: int) -> bool:
        """CrawlerDriver: the layer's pages; whether any request was answered."""
        folder, targets = self.stores.layer("doc", layer), self.stores.layer("in", layer)
        if not stores.complete(folder):
            total = report.taken(stores.marker(targets))
            stages = self.stages.with_settings(self.limits.for_layer())
            stages.run(CrawlerDriver, folder, [targets], total=total)
        return report.answered(stores.marker(folder))

    def parse(self, layer: int) -> None:
        """ParserDriver: the layer's links."""
        self.stages.run(
            ParserDriver, self.stores.layer("out", layer), [self.stores.layer("doc", layer)]
        )

    def merge(self) -> None:
        """MergeDriver: each page once, made anew when its layers are not those it was made of."""
        numbers = range(self.stores.finished())
        links = [self.stores.layer("out", number) for number in numbers]
        pages = [self.stores.layer("doc", number) for number in numbers]
        if links and self.stages.stale(self.stores.merged, MergeDriver, [*links, *pages]):
            decided, counted = self.stages.decide(MergeDriver, links, ["--pass=decide"])
            merged, reads = self.stores.merged, list(map(stores.parts, [decided, *pages]))
            self.stages.run(MergeDriver, merged, [*links, *pages], reads=reads, counted=counted)

    def to_xml(self) -> None:
        """HtmlToXmlDriver: each merged page as XML."""
        merged = [self.stores.merged]
        if stores.complete(*merged) and self.stages.stale(self.stores.xml, HtmlToXmlDriver, merged):
            self.stages.run(HtmlToXmlDriver, self.stores.xml, merged)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a crawl by its command line; the exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return prepare(config.load(sys.argv[1:] if argv is None else argv))
    except (BadConfig, BadRoot) as error:
        return say(BAD_USE, str(error))
    except JobFailed as error:
        return say(FAILED, f"{error.job} failed: {error}; its log: {error.log}")
    except OSError as error:
        return say(FAILED, f"{error}; mend it and run the same command again")
    except KeyboardInterrupt:
        return say(INTERRUPTED, "interrupted; run the same command again to go on from here")


def prepare(settings: Config) -> int:
    """Check all that can be checked before anything is touched, then crawl."""
    start.check(settings)
    settings = start.with_topic(settings)
    where, told = Stores(settings.root), Report(settings, sys.stderr)
    with where.readable():
        seeds = start.read_seeds(settings, where)
        start.check_root(settings, where)
    for complaint in seeds.complaints:
        told.warn(complaint)
    if advice := start.advice(settings):
        told.say(advice)
    if settings.dry_run:
        told.say(report.forecast(where, seeds.urls))
        return FINISHED
    where.check()
    with where.locked():
        cluster.end_orphans(where)
        where.sweep()
        where.add_seeds(seeds.lines)
        try:
            return Crawl(settings, where, told, seeds.urls).run()
        finally:
            where.sweep()


def say(code: int, text: str) -> int:
    """Tell why a run ends with this exit code."""
    print(report.printable(f"driver.py: {text}"), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
