"""Link records per CPU second of OptimizerDriver, on synthetic layers of a site's usual shape.

    python benchmarks/optimizer.py [--links 1000000] [--order breadth-first] [--budget 5000]

Most links of real pages repeat: a menu that every page of a host has, then some of its own. A row
for each URL, passed through as many steps by a job that does nothing, shows the share that is
mrjob's own.
"""

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

sys.path.insert(0, str(Path(__file__).parent.parent))

from lines import Lines
from mrjob.step import MRStep

from jobs.optimizer_driver import OptimizerDriver
from layercrawl.job import Job, Ran, run
from layercrawl.ordering import ORDERS
from layercrawl.records import Outlinks, Target, UrlState, encode

LAYERS, HOSTS, MENU, OWN = 2, 200, 30, 20


class Bare(Lines):
    """Rows in, by key, through as many steps as a plan has: what mrjob and sort cost alone."""

    def steps(self) -> list[MRStep]:
        several = 2 + ORDERS[self.config.order].graph_steps
        first = MRStep(mapper=self.pass_on, reducer=self.pass_all)
        return [first, *(MRStep(reducer=self.pass_all) for _ in range(several))]

    def pass_on(self, url: bytes, line: bytes) -> Iterator[tuple[bytes, bytes]]:
        yield url, line

    def pass_all(self, url: bytes, lines: Iterator[bytes]) -> Iterator[tuple[bytes, bytes]]:
        yield from ((url, line) for line in lines)


def page(layer: int, number: int, chance: random.Random) -> tuple[str, Outlinks]:
    """A page of one of the hosts: the host's menu, then links all over that host."""
    host = number % HOSTS
    numbers = [*range(MENU), *(chance.randrange(MENU, 2000) for _ in range(OWN))]
    links = [(address(host, n), f"text of link {n}") for n in dict.fromkeys(numbers)]
    target = Target(depth=layer, via=address(host, 0))
    when = f"2026-01-0{layer + 1}T{number % 24:02}:{number % 60:02}:00Z"
    fingerprints = {"digest": f"{number:064x}", "simhash": f"{chance.getrandbits(64):016x}"}
    return address(host, number // HOSTS + layer * 1000), Outlinks(
        target, "ok", status=200, fetched=when, title="A page", links=links, **fingerprints
    )


def address(host: int, number: int) -> str:
    return f"http://www.host{host}.example/section-{number % 17}/some-page-{number}.html"


def write(root: Path, links: int) -> int:
    """Layers with about so many link records, and a row for each URL; how many records they are."""
    chance, written, known = random.Random(1), 0, set[str]()
    for layer in range(LAYERS):
        with part(root, f"out/layer-{layer:03}") as out:
            for number in range(links // LAYERS // (MENU + OWN)):
                url, record = page(layer, number, chance)
                out.write(encode(url, record) + b"\n")
                written += len(record.links)
                known.update(link for link, _ in record.links)
    with part(root, "rows") as out:
        out.writelines(encode(url, UrlState(depth=1, via=address(0, 0))) + b"\n" for url in known)
    (root / "hosts").write_text("".join(f"www.host{host}.example\n" for host in range(HOSTS)))
    return written


def part(root: Path, name: str) -> BinaryIO:
    folder = root / name
    folder.mkdir(parents=True)
    return (folder / "part-00000").open("wb")


def ran(job_class: type[Job], root: Path, inputs: list[str], *arguments: str) -> Ran:
    output, scratch = root / job_class.__name__, root / "scratch"
    scratch.mkdir(exist_ok=True)
    words = [f"--seed-hosts={root}/hosts", "--depth=5", *arguments]
    try:
        return run(job_class, "local", words, inputs, output, scratch, lambda _: None)
    finally:
        shutil.rmtree(output, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--order", action="append", choices=ORDERS, help="default: all")
    parser.add_argument("--budget", type=int, default=5000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        links = write(root, given.links)
        layers = [f"{root}/out/layer-{layer:03}/part-*" for layer in range(LAYERS)]
        print(f"{links} link records, a budget of {given.budget} pages")
        print(f"{'order':<20}{'records/CPU s':>14}{'CPU s':>8}{'mrjob':>8}{'MB a task':>11}")
        for order in given.order or ORDERS:
            words = [f"--order={order}", f"--budget={given.budget}"]
            job = ran(OptimizerDriver, root, layers, *words)
            bare = ran(Bare, root, [f"{root}/rows/*"], *words)
            cpu, share = job.cost["cpu"], bare.cost["cpu"] / job.cost["cpu"]
            row = f"{order:<20}{links / cpu:>14.0f}{cpu:>8.1f}{share:>8.0%}{job.cost['rss_mb']:>11}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
