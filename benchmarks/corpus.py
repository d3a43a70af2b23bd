#!/usr/bin/env python3
"""Crawl a corpus of real pages: what it costs, by stage, against Scrapy and against a file walk.

CORPUS_DIR holds pages that nginx serves on loopback: seeds.txt, nginx.conf and the access.log that
it writes. Give --scrapy (an interpreter that has it) and --spider (a file called with SEEDS OUT
DEPTH bfo) to crawl the same pages with Scrapy, in turn with ours. Prints figures, asserts nothing.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from measure import Cost, Served, run, served

PROJECT = Path(__file__).resolve().parent.parent


class Crawl(NamedTuple):
    """One crawl of the corpus: what it cost and what the server saw of it."""

    peer: str
    cost: Cost
    served: Served

    @property
    def pages(self) -> int:
        return self.served.pages.total()

    @property
    def rate(self) -> float:
        """Pages per CPU second."""
        return self.pages / self.cost.cpu


class Bench(NamedTuple):
    """Where the corpus lies, where results go, and how deep to crawl."""

    corpus: Path
    out: Path
    depth: int

    @property
    def seeds(self) -> Path:
        return self.corpus / "seeds.txt"

    def crawl(self, peer: str, number: int, agent: str, command: list[str]) -> Crawl:
        """Run a crawler and print its line; `agent` is in its User-Agent and in no one else's."""
        log = self.corpus / "access.log"
        start, load = log.stat().st_size, os.getloadavg()[0]
        cost = run(command, self.out / f"{peer}-{number}.log", PROJECT)
        seeds = map(urlsplit, self.seeds.read_text().split())
        ports = {seed.hostname or "": seed.port or 80 for seed in seeds}
        done = Crawl(peer, cost, served(log, start, agent, ports))
        print(json.dumps(figures(done) | {"load1": round(load, 2)}), flush=True)
        return done

    def layercrawl(self, number: int) -> Crawl:
        agent = f"layercrawl-corpus-{os.getpid()}-{number}"
        command = [sys.executable, "driver.py", "--delay", "0", "--allow-private"]
        command += ["--scope", "host", "--depth", str(self.depth), "--seeds", str(self.seeds)]
        command += ["--root", str(self.root(number)), "--user-agent", agent]
        return self.crawl("layercrawl", number, agent, command)

    def scrapy(self, number: int, python: Path, spider: Path) -> Crawl:
        pages = self.out / f"scrapy-{number}.jsonl"
        command = [str(python), str(spider), str(self.seeds), str(pages), str(self.depth), "bfo"]
        return self.crawl("scrapy", number, "scrapy", command)

    def root(self, number: int) -> Path:
        """The stores of our crawl of that number."""
        return self.out / f"crawl-{number}"


def figures(crawl: Crawl) -> dict[str, object]:
    """The figures of a crawl, ready for JSON: seconds, MB, and counts by the server's log."""
    cost = crawl.cost
    return {
        "peer": crawl.peer,
        "wall": round(cost.wall, 2),
        "cpu": round(cost.cpu, 2),
        "rss_mb": cost.rss_mb,
        "exit": cost.exit,
        "pages": crawl.pages,
        "fetched_twice": crawl.pages - len(crawl.served.pages),
        "status": dict(sorted(crawl.served.statuses.items())),
        "pages_per_cpu_s": round(crawl.rate, 1),
    }


def print_medians(crawls: list[Crawl]) -> None:
    print(f"\n{'medians':<12}{'wall s':>9}{'CPU s':>9}{'MB':>7}{'pages':>8}{'pages/CPU s':>13}")
    for peer in dict.fromkeys(crawl.peer for crawl in crawls):
        runs = [crawl for crawl in crawls if crawl.peer == peer]
        rows = [(c.cost.wall, c.cost.cpu, c.cost.rss_mb, c.pages, c.rate) for c in runs]
        wall, cpu, rss, pages, rate = map(statistics.median, zip(*rows, strict=True))
        print(f"{peer:<12}{wall:>9.1f}{cpu:>9.1f}{rss:>7.0f}{pages:>8.0f}{rate:>13.1f}")


def print_ratios(ours: list[Crawl], theirs: list[Crawl]) -> None:
    """Print how many times Scrapy's pages per CPU second we make, run by run."""
    ratios = [a.rate / b.rate for a, b in zip(ours, theirs, strict=True) if b.pages]
    if ratios:
        each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        print(f"pages per CPU s: {statistics.median(ratios):.2f} times Scrapy's (runs: {each})")


def stage_costs(root: Path) -> dict[str, list[float]]:
    """Return stage → the CPU seconds of each of its runs, as the stores' markers tell."""
    costs = defaultdict(list)
    for path in sorted(root.glob("**/_MARKER.json")):
        marker = json.loads(path.read_bytes())
        costs[marker["stage"]].append(marker.get("cost", {}).get("cpu", 0.0))
    return costs


def print_stages(crawl: Crawl, root: Path) -> None:
    """Print ms of CPU per page by stage, and what is left for the driver and its start."""
    rows = {name: (len(runs), sum(runs)) for name, runs in stage_costs(root).items()}
    rows["driver, rest"] = (1, crawl.cost.cpu - sum(cpu for _, cpu in rows.values()))
    rows["all"] = (1, crawl.cost.cpu)
    print(f"\n{'stage':<16}{'runs':>6}{'CPU s':>9}{'ms a page':>11}")
    for name, (runs, cpu) in rows.items():
        per_page = 1000 * cpu / max(crawl.pages, 1)
        print(f"{name:<16}{runs:>6}{cpu:>9.2f}{per_page:>11.3f}")


def crawled_depths(root: Path) -> dict[str, int]:
    """Return URL → depth of the pages (outcome ok) that lie in the stores' `doc/` layers."""
    depths = {}
    for path in sorted(root.glob("doc/layer-*/part-*")):
        with path.open("rb") as lines:  # bytes: text would end lines at U+2028 too
            pages = ((url, json.loads(page)) for url, page in (line.split(b"\t") for line in lines))
            ok = ((url, page) for url, page in pages if page.get("outcome") == "ok")
            depths.update((url.decode(), page["target"].get("depth", 0)) for url, page in ok)
    return depths


def differences(walked: dict[str, int], crawl: Crawl, depths: dict[str, int]) -> list[str]:
    """Say where walk, server's log and stores disagree: kind, URL and distances, tab-separated."""
    fetched = crawl.served.pages
    missing = [f"missing\t{url}\t{walked[url]}" for url in walked.keys() - fetched.keys()]
    extra = [f"extra\t{url}\t{depths.get(url)}" for url in fetched.keys() - walked.keys()]
    both = walked.keys() & depths.keys()
    moved = [f"depth\t{u}\t{walked[u]}\t{depths[u]}" for u in both if walked[u] != depths[u]]
    return sorted(missing) + sorted(extra) + sorted(moved)


def print_differences(bench: Bench, crawl: Crawl) -> None:
    # Imported late: lxml would add to the memory that measured processes start with.
    from walk import walk_corpus

    walked = walk_corpus(bench.corpus, bench.depth)
    found = differences(walked, crawl, crawled_depths(bench.root(1)))
    file = bench.out / "differences.tsv"
    file.write_text("".join(line + "\n" for line in found))
    kinds = [line.partition("\t")[0] for line in found]
    sums = ", ".join(f"{kinds.count(kind)} {kind}" for kind in ("missing", "extra", "depth"))
    print(f"\nwalk over the files: {len(walked)} pages; the crawl: {sums}; listed in {file}")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--runs", type=int, default=1, help="crawls of each, in turn (default 1)")
    parser.add_argument("--scrapy", type=Path, metavar="PYTHON", help="interpreter with Scrapy")
    parser.add_argument("--spider", type=Path, metavar="FILE", help="the spider it runs")
    parser.add_argument("--out", type=Path, metavar="DIR", help="results (default: a new folder)")
    given = parser.parse_args()
    if (given.scrapy is None) != (given.spider is None):
        parser.error("--scrapy and --spider go together")
    return given


def main() -> None:
    given = options()
    out = given.out or Path(tempfile.mkdtemp(prefix="corpus-"))
    out.mkdir(parents=True, exist_ok=True)
    bench = Bench(given.corpus.resolve(), out.resolve(), given.depth)
    ours, theirs = [], []
    for number in range(1, given.runs + 1):
        ours.append(bench.layercrawl(number))
        if given.scrapy:
            # absolute(), not resolve(): a virtual environment's python is a link that must stay
            python, spider = given.scrapy.absolute(), given.spider.resolve()
            theirs.append(bench.scrapy(number, python, spider))
    print_medians(ours + theirs)
    if theirs:
        print_ratios(ours, theirs)
    print_stages(ours[0], bench.root(1))
    print_differences(bench, ours[0])


if __name__ == "__main__":
    main()
