"""Kill crawls at random, let them go on, and print what came of each: `kills.py 25 --seed 1`.

Every line is a crawl of the seeded web that is killed once or more, at places and moments drawn
from the seed, and then left to finish. `same` says whether its stores are those of a crawl that
nothing disturbed, `overlaps` how often a host had two requests at a time, `orphans` how many
requests of a killed run came after the next run's first. The exit code is 1 when any is wrong.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import crawling, killing
from tests.killing import JOBS, VICTIMS, WRAPS, Doom
from tests.web import Web, loopback, serve

WORDS = ("--depth", "2", "--exclude", "/redirects/zigzag")
LONGEST = 5.0
"""Seconds: the latest moment of a kill by the clock."""


class Moment(NamedTuple):
    """A kill by the clock: seconds from the start, and who gets it."""

    seconds: float
    victim: str


class Fate(NamedTuple):
    """What came of one crawl."""

    kills: list[str]
    exit: int
    same: bool
    overlaps: int
    orphans: int
    seconds: float

    @property
    def good(self) -> bool:
        return self.exit == 0 and self.same and not self.overlaps and not self.orphans

    def row(self, seed: int) -> str:
        """A line of the table."""
        verdict = "yes" if self.same else "NO"
        return (
            f"{seed:>8} {verdict:>5} {self.overlaps:>9} {self.orphans:>8} {self.exit:>5}"
            f" {self.seconds:>8.1f}  {', '.join(self.kills)}"
        )


HEADING = "    seed  same  overlaps  orphans  exit  seconds  killed"


def drawn(draw: random.Random) -> Iterator[Doom | Moment]:
    """One to four kills."""
    for _ in range(draw.randint(1, 4)):
        victim = draw.choice(VICTIMS)
        if draw.random() < 0.4:
            yield Moment(round(draw.uniform(0.3, LONGEST), 2), victim)
        else:
            place = draw.choice(sorted(WRAPS))
            most = 40 if place == "job" else 3
            yield Doom(draw.choice(JOBS), place, victim, draw.randint(1, most))


def killed(root: Path, kill: Doom | Moment, words: list[str]) -> str:
    """Run once with a kill; what happened, in a few words."""
    program = kill.program() if isinstance(kill, Doom) else ["driver.py"]
    run = crawling.Run(root, *words, program=program)
    try:
        run.wait(kill.seconds if isinstance(kill, Moment) else None)
    except subprocess.TimeoutExpired:
        killing.send(run.pid, kill.victim)
    if run.wait() >= 0:
        return f"not killed ({run.returncode})"
    stage = run.said.splitlines()[-1].partition(":")[0] if run.said else "the start"
    if isinstance(kill, Moment):
        return f"{kill.victim} at {kill.seconds} s, after {stage}"
    return f"{kill.victim} in {kill.job}'s {kill.place} {kill.nth}, after {stage}"


def fate(web: Web, log: Path, wanted: dict[str, list[str]], seed: int) -> Fate:
    """One crawl that is killed and goes on."""
    start, runs = time.monotonic(), [f"{seed}-{number}" for number in range(5)]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "crawl"
        kills = [
            killed(root, kill, [*WORDS, "--contact", name, *web.seeds])
            for name, kill in zip(runs, drawn(random.Random(seed)), strict=False)
        ]
        code, said = crawling.crawl(root, *WORDS, "--contact", runs[-1], *web.seeds)
        same = code == 0 and crawling.stores(root) == wanted
    if code:
        print(said)
    asked = [mine for name in runs if (mine := crawling.requests(log, f"(+{name})"))]
    overlaps = sum(gap < 0 for gap in crawling.gaps(sorted(sum(asked, []))))
    orphans = sum(
        request.start > after[0].start for before, after in pairwise(asked) for request in before
    )
    return Fate(kills, code, same, overlaps, orphans, time.monotonic() - start)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crawls", type=int, help="how many crawls to kill")
    parser.add_argument("--seed", type=int, help="of the first; it is printed", default=None)
    return parser.parse_args()


def main() -> int:
    """Print the table; whether all went well."""
    chosen = options()
    first = random.randrange(10**6) if chosen.seed is None else chosen.seed
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "access.log"
        with serve(Web(hosts=loopback(4), degree=2, depth=2, port=0), log=log) as web:
            calm = Path(folder) / "calm"
            code, said = crawling.crawl(calm, *WORDS, *web.seeds)
            if code:
                sys.exit(said)
            wanted, good = crawling.stores(calm), 0
            print(HEADING, flush=True)
            for seed in range(first, first + chosen.crawls):
                what = fate(web, log, wanted, seed)
                good += what.good
                print(what.row(seed), flush=True)
    print(f"{good} of {chosen.crawls} crawls went on as if nothing had happened")
    return int(good < chosen.crawls)


if __name__ == "__main__":
    sys.exit(main())
