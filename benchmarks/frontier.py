"""What a fetching task costs beside fetching: spool, frontier and answers, per URL.

    python benchmarks/frontier.py [--hosts 1] [--urls 1000000] [--held 0.01] [--threads 16]
                                  [--robots 0] [--delay 0]

The web is a stub that answers at once, so that all that is left is this program's own; `--held` is
the share of pages that redirect to one that the layer holds, `--robots` the bytes of each host's
robots.txt. Prints a line of JSON with CPU
seconds, microseconds per URL and the process' peak memory.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from layercrawl.config import Config
from layercrawl.download.plan import Plan
from layercrawl.download.spool import Spool
from layercrawl.download.turns import download
from layercrawl.peak import peak_mb
from layercrawl.records import Page, Target, encode
from layercrawl.rules import Rules


class Stub:
    """Answers at once: a robots.txt, and every so many pages a redirect to its host's first."""

    def __init__(self, held: float, robots: int) -> None:
        lines = (f"Disallow: /{n:x}\n" for n in range(robots // 16))
        self._rules = "User-agent: *\n" + "".join(lines) if robots else ""
        self._every = round(1 / held) if held else 0
        self._asked = 0

    def page(self, url: str, target: Target) -> Page:
        self._asked += 1
        if self._every and self._asked % self._every == 0:
            location = url[: url.rindex("-") + 1] + "0.html"
            return Page(target, "redirect", status=302, fetched="F", location=location)
        return Page(target, "ok", status=200, fetched="F", html="<p>text", digest="d")

    def robots(self, url: str, target: Target, hop: Any = None) -> Page:
        if not self._rules:
            return Page(target, "gone", status=404, fetched="F")
        return Page(target, "ok", status=200, fetched="F", html=self._rules)


def spooled(hosts: int, urls: int) -> Spool:
    """What CrawlerDriver's reducer writes down: as many URLs at each host."""
    spool = Spool()
    for number in range(hosts):
        start = f"http://www.host{number}.example/section/"
        target = Target(depth=2, via=start)
        pages = (encode(f"{start}page-{page}.html", target) for page in range(urls // hosts))
        spool.begin(f"www.host{number}.example", pages)
    return spool


def measure(
    hosts: int, urls: int, held: float, threads: int, robots: int, delay: float
) -> dict[str, Any]:
    """Answer all; the figures."""
    spool = spooled(hosts, urls)
    config = Config(delay=delay, threads=threads)
    plan = Plan(
        config, Rules("any"), Stub(held, robots), datetime.now(UTC), time.monotonic() + 3600
    )
    start = time.process_time()
    answered = sum(item.held for item, _ in download(spool, plan, lambda: None))
    cpu = time.process_time() - start
    return {
        "hosts": hosts, "urls": urls, "answered": answered, "cpu": round(cpu, 2),
        "us_per_url": round(1e6 * cpu / urls, 1), "peak_mb": round(peak_mb()),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--held", type=float, default=0.0)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--robots", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(json.dumps(measure(**vars(options))))


if __name__ == "__main__":
    main()
