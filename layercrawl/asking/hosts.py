"""The hosts of a crawl: what each gave, what waits there, and how it wants to be treated.

All links are folded anew by URL, with `sort` outside of Python, so that memory is the hosts' alone.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from layercrawl import schedule, stores, urls
from layercrawl.asking import lookup
from layercrawl.config import Config
from layercrawl.ordering import ORDERS
from layercrawl.planning import fold
from layercrawl.records import Outlinks, UrlState
from layercrawl.stores import Stores

_ORDER = ORDERS["breadth-first"]  # its messages are not looked at


@dataclass
class Host:
    """What is known of a host; `robots` says what its robots.txt is like."""

    name: str
    fetched: int = 0
    waiting: int = 0
    failing: int = 0
    delay: float = 0.0
    robots: str = ""

    def add(self, url: str, state: UrlState) -> None:
        """Take in one of its URLs."""
        if state.kind == "robots":
            self.delay = max(self.delay, state.delay or 0.0)
            self.robots = max(self.robots, _robots(state))  # "unreachable" beats "read"
        elif state.kind == "page" and url != urls.robots_url(url):
            newest = max(state.visits, default=None)
            self.fetched += any(visit.outcome == "ok" for visit in state.visits)
            self.failing += newest is not None and newest.outcome == "failed"
            self.waiting += newest is None or schedule.next_visit(state.visits) is not None

    def line(self) -> str:
        """Its row of the table."""
        delay = f"{self.delay:g}" if self.delay else ""
        figures = f"{self.fetched:>9}{self.waiting:>9}{self.failing:>9}{delay:>13}"
        return f"{figures}  {self.name}  {self.robots}".rstrip()


def hosts(crawl: Stores) -> Iterator[str]:
    """The lines of a table, most waiting URLs first; stores.BadRoot where no crawl lies."""
    plans = crawl.layers("in")
    if not plans:
        raise stores.BadRoot(f"--root {crawl.root}: no crawl lies here")
    found: dict[str, Host] = {}
    for url, state in _states(crawl, lookup.settings(crawl.layer("in", plans[-1]))):
        name = urls.host(url)
        found.setdefault(name, Host(name)).add(url, state)
    yield f"{'fetched':>9}{'waiting':>9}{'failing':>9}{'Crawl-delay':>13}  host  robots.txt"
    for host in sorted(found.values(), key=lambda h: (-h.waiting, -h.fetched, h.name)):
        yield host.line()


def _robots(state: UrlState) -> str:
    told = f"read {state.fetched}" if state.fetched else ""
    if state.failing_since:
        told = f"unreachable since {state.failing_since}"
    alone = f"left alone until {state.not_before}" if state.not_before else ""
    return ", ".join(filter(None, (told, alone)))


def _states(crawl: Stores, settings: Config) -> Iterator[tuple[str, UrlState]]:
    """Each known URL within the depth, by URL."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "messages"
        with path.open("wb") as out:
            out.writelines(b"%s\t%s\n" % message for message in _messages(crawl, settings))
        words = ["sort", "-S", "64M", "-T", folder, "-o", str(path), str(path)]
        subprocess.run(words, env={**os.environ, "LC_ALL": "C"}, check=True)
        with path.open("rb") as lines:
            for url, group in groupby(map(_halves, lines), lambda halves: halves[0]):
                yield url.decode(), fold.folded((message for _, message in group), _ORDER)


def _halves(line: bytes) -> tuple[bytes, bytes]:
    url, _, message = line.partition(b"\t")
    return url, message


def _messages(crawl: Stores, settings: Config) -> Iterator[fold.Message]:
    seeds = fold.Folding(_ORDER, 0, settings)
    for url in lookup.seed_urls(crawl):
        yield from seeds.add(url, None)
    yield from seeds.rest()
    for layer in crawl.layers("out"):
        folding = fold.Folding(_ORDER, layer, settings)
        for url, page in stores.read(crawl.layer("out", layer), Outlinks):
            yield from folding.add(url, page)
        yield from folding.rest()
