"""Link records per CPU second of OptimizerDriver, on synthetic layers of a site's usual shape.

    python benchmarks/optimizer.py [--links 1000000] [--order breadth-first]

Most links of real pages repeat: a menu that every page of a host has, then some of its own. The
same lines through a job that does nothing show the share that is mrjob's own.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from mrjob.step import MRStep

from jobs.optimizer_driver import OptimizerDriver
from layercrawl.job import BytesProtocol, Job, Ran, run
from layercrawl.records import Outlinks, Target, encode

LAYERS, HOSTS, MENU, OWN = 2, 200, 30, 20


class Identity(Job):
    """Lines in, by key, the same lines out: what mrjob and sort cost alone."""

    STAGE = "optimizer"
    READS = (Outlinks,)
    WRITES = Outlinks
    SORT_VALUES = True

    def input_protocol(self) -> Any:
        return BytesProtocol()

    def output_protocol(self) -> Any:
        return BytesProtocol()

    def steps(self) -> list[MRStep]:
        return [MRStep(mapper=self.pass_on, reducer=self.pass_all)]

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
    """Layers with about so many link records; how many they are."""
    chance, written = random.Random(1), 0
    for layer in range(LAYERS):
        folder = root / f"out/layer-{layer:03}"
        folder.mkdir(parents=True)
        with (folder / "part-00000").open("wb") as part:
            for number in range(links // LAYERS // (MENU + OWN)):
                url, record = page(layer, number, chance)
                part.write(encode(url, record) + b"\n")
                written += len(record.links)
    return written


def ran(job_class: type[Job], root: Path, *arguments: str) -> Ran:
    inputs = [str(root / f"out/layer-{layer:03}/part-*") for layer in range(LAYERS)]
    output, scratch = root / job_class.__name__, root / "scratch"
    scratch.mkdir(exist_ok=True)
    return run(job_class, "local", list(arguments), inputs, output, scratch, lambda _: None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--order", default="breadth-first")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        links = write(Path(folder), options.links)
        job = ran(OptimizerDriver, Path(folder), f"--order={options.order}", "--depth=5")
        bare = ran(Identity, Path(folder))
    for name, done in ("OptimizerDriver", job), ("identity", bare):
        cpu, memory = done.cost["cpu"], done.cost["rss_mb"]
        print(f"{name:16} {links} links, {cpu:6.2f} CPU s, {links / cpu:9.0f} links/CPU s,"
              f" {memory} MB a task")  # fmt: skip
    print(f"mrjob's share    {bare.cost['cpu'] / job.cost['cpu']:.0%}")
    print({name: n for name, n in job.counters.items() if name.startswith("urls")})


if __name__ == "__main__":
    main()
