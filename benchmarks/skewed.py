#!/usr/bin/env python3
"""What one key of very many pages costs the search for near-duplicates.

usage: python benchmarks/skewed.py [HOW_MANY]      default 1,000,000

Each kind of key gets so many rows, as a site gives whose pages come of one template: alike pages,
whose sketches agree; unlike ones, whose Simhashes are near and whose sketches are not; those of one
band; and those that name one page canonical. The best 50,000 are compared. Prints the pairs found,
CPU seconds, and the process's peak of memory so far in MB.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

from layercrawl import records, simhash, sketch
from layercrawl.dedup import near, rows
from layercrawl.dedup.rows import Row
from layercrawl.peak import peak_mb

MOST = 3
HOME = "http://a.example/"
KINDS = {
    "alike, by a block": (b"0-0", True),
    "unlike, by a block": (b"0-0", False),
    "alike, by a band": (b"s1-2-3-4", True),
    "unlike, by a band": (b"s1-2-3-4", False),
    "unlike, all name one": (b"ta.example/", False),
}


def lines(many: int, alike: bool) -> Iterator[bytes]:
    """Rows whose Simhashes differ in two bits at most, outside the first block."""
    chance = random.Random(7)
    sketched = [sketch.sketch(simhash.words(text(0 if alike else n))) for n in range(100)]
    for number in range(many):
        url = f"{HOME}{number or ''}"
        row = Row(url, simhash=f"{1 << chance.randrange(16, 64):016x}", canonical=HOME)
        yield rows.ranked_light(records.replace(row, sketch=sketched[number % 100]))


def text(number: int) -> str:
    return " ".join(f"word{number}of{place}" for place in range(400))


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    for name, (key, alike) in KINDS.items():
        start = time.process_time()
        found = sum(1 for _ in near.pairs(key, lines(many, alike), MOST))
        took = time.process_time() - start
        print(f"{name:<22}{many:>9} rows{found:>9} pairs{took:>7.1f} CPU s{peak_mb():>6.0f} MB")


if __name__ == "__main__":
    main()
