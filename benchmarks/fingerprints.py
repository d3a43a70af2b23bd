#!/usr/bin/env python3
"""Pairs among synthetic Simhashes by MapReduce: are all found, and what it costs.

usage: python benchmarks/fingerprints.py [HOW_MANY]      default 1,000,000

One in twenty is a neighbour of another one, planted in 1 to 3 bits' distance. Prints how many
planted pairs were found, how many of those found are none, CPU seconds and the largest process's
MB.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lines import Lines
from mrjob.step import MRStep

from layercrawl import job
from layercrawl.dedup import blocks

MOST = 3


class Neighbours(Lines):
    """Pairs of numbers from lines of number and fingerprint, by the blocks that MergeDriver has."""

    def steps(self) -> list[MRStep]:
        return [MRStep(mapper=self.propose, reducer=self.pair)]

    def propose(self, number: bytes, bits: bytes) -> Iterator[tuple[bytes, bytes]]:
        for key in blocks.keys(int(bits, 16), MOST):
            yield key, b"%s %s" % (number, bits)

    def pair(self, key: bytes, values: Iterator[bytes]) -> Iterator[tuple[bytes, bytes]]:
        rows = [value.split(b" ") for value in values]
        for one, other in blocks.pairs([int(bits, 16) for _, bits in rows], MOST, key):
            yield rows[one][0], rows[other][0]


def planted(path: Path, many: int) -> set[tuple[int, int]]:
    """Write fingerprints; the pairs of those that were planted."""
    chance, pairs = random.Random(7), set()
    with path.open("w") as lines:
        bits = 0
        for number in range(many):
            if number % 20 == 19:
                for place in chance.sample(range(64), chance.randint(1, MOST)):
                    bits ^= 1 << place
                pairs.add((number - 1, number))
            else:
                bits = chance.getrandbits(64)
            lines.write(f"{number}\t{bits:016x}\n")
    return pairs


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = planted(folder / "part-00000", many)
        ran = job.run(
            Neighbours, "local", [], [f"{folder}/part-*"], folder / "out", folder, lambda _: None
        )
        found = [
            tuple(sorted(map(int, line.split())))
            for path in (folder / "out").glob("part-*")
            for line in path.open()
        ]
    print(f"{many} fingerprints, {len(wanted)} planted pairs")
    print(f"found: {len(wanted & set(found))}, others: {len(set(found) - wanted)}", end=", ")
    print(f"more than once: {len(found) - len(set(found))}")
    print(f"{ran.cost['cpu']:.1f} CPU s, {ran.cost['wall']:.1f} s, {ran.cost['rss_mb']:.0f} MB")


if __name__ == "__main__":
    main()
