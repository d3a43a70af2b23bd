#!/usr/bin/env python3
"""How right near-duplicates are on real pages, against the exact likeness of all pairs.

usage: python benchmarks/near_duplicates.py FOLDER...    each has a host's HTML files, at any depth

Truth is the exact Jaccard index of the word-3-shingles of pages of at least 50 words; of pages with
the same bytes, one is taken. Prints, for what this crawler joins and for the plain scheme
(Simhashes that differ in at most 3 bits): recall, the share of the pairs of at least .95 that are
joined; and precision, the share of the joined pairs that have at least .85.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from layercrawl import charset, dedup, markup, simhash, sketch, urls
from layercrawl.dedup import blocks, near
from layercrawl.dedup.rows import Row
from layercrawl.records import Outlinks, Target

ALIKE, UNLIKE, MOST = 0.95, 0.85, 3
Pairs = set[tuple[int, int]]


class Page(NamedTuple):
    """A page's URL, its shingles, and what the crawler keeps of its text."""

    url: str
    shingles: frozenset[int]
    bits: int
    text: str
    sketch: str


def pages(folders: list[Path]) -> list[Page]:
    found: dict[bytes, Page] = {}
    for number, folder in enumerate(folders):
        for path in sorted(path for path in folder.rglob("*.htm*") if path.is_file()):
            body = path.read_bytes()
            key = hashlib.sha256(body).digest()
            name = path.relative_to(folder).as_posix()
            url = urls.normalise(f"http://host{number}.example/{name}")
            if key not in found and (page := page_of(url, body)):
                found[key] = page
    return list(found.values())


def page_of(url: str, body: bytes) -> Page | None:
    html, encoding = charset.decode(body, None)
    words = simhash.words(markup.parse(html, "http://a.example/", encoding).source_text)
    if len(words) < sketch.FEWEST_WORDS:
        return None
    mixed = words[:-2] * np.uint64(3) + words[1:-1] * np.uint64(5) + words[2:] * np.uint64(7)
    kept = simhash.of(words), sketch.digest(words), sketch.sketch(words)
    return Page(url, frozenset(simhash.mix(mixed).tolist()), *kept)


def jaccard(one: Page, other: Page) -> float:
    both = len(one.shingles & other.shingles)
    return both / (len(one.shingles) + len(other.shingles) - both)


def truth(found: list[Page]) -> Pairs:
    """All pairs of at least `ALIKE`: two such share one of their rarest 5 % of shingles."""
    often = Counter(shingle for page in found for shingle in page.shingles)
    seen: defaultdict[int, list[int]] = defaultdict(list)
    pairs: Pairs = set()
    for place, page in enumerate(found):
        rarest = sorted(page.shingles, key=lambda shingle: (often[shingle], shingle))
        prefix = rarest[: len(rarest) - int(np.ceil(ALIKE * len(rarest))) + 1]
        for other in {other for shingle in prefix for other in seen[shingle]}:
            if jaccard(found[other], page) >= ALIKE:
                pairs.add((other, place))
        for shingle in prefix:
            seen[shingle].append(place)
    return pairs


def proposed(found: list[Page]) -> Pairs:
    """The pairs whose Simhashes differ in few bits."""
    groups: defaultdict[bytes, list[int]] = defaultdict(list)
    for place, page in enumerate(found):
        for key in blocks.keys(page.bits, MOST):
            groups[key].append(place)
    return {
        (places[one], places[other])
        for key, places in groups.items()
        for one, other in blocks.pairs([found[place].bits for place in places], MOST, key)
    }


def confirmed(found: list[Page]) -> Pairs:
    """All pairs that the crawler would join, however many a page has."""
    near.MOST_PAIRS = near.MOST_TRIES = 1 << 30
    places = {page.url: place for place, page in enumerate(found)}
    rows = [Row(page.url, simhash=f"{page.bits:016x}", sketch=page.sketch) for page in found]
    messages = [message for row in rows for message in near.proposed(row, MOST)]
    joined = [pair for key, v in grouped(messages) for _, pair in near.pairs(key, v, MOST)]
    named = [(pair.split(b" ")[1].decode(), pair.split(b" ")[3].decode()) for pair in joined]
    return {tuple(sorted((places[one], places[other]))) for one, other in named}


def groups(found: list[Page]) -> Iterator[tuple[int, int]]:
    """Each page that falls with the one that stands for it, as the merge decides."""
    places = {page.url: place for place, page in enumerate(found)}
    messages = []
    for place, page in enumerate(found):
        light = Outlinks(
            Target(), "ok", fetched="2026-01-01T00:00:00Z", digest=str(place),
            simhash=f"{page.bits:016x}", text=page.text, sketch=page.sketch,
        )  # fmt: skip
        messages += dedup.visited(page.url, light)
    for step in (lambda _, visits: dedup.newest(dedup.read(visits)), *dedup.steps(MOST)):
        messages = [m for key, values in grouped(messages) for m in step(key, values)]
    for _, values in grouped(messages):
        for url, page in dedup.fallen(values):
            for other, _, _ in page.duplicates:
                yield places[url], places[other]


def grouped(messages: list[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, list[bytes]]]:
    values: defaultdict[bytes, list[bytes]] = defaultdict(list)
    for key, value in messages:
        values[key].append(value)
    return ((key, sorted(values[key])) for key in sorted(values))


def line(name: str, joined: Pairs, found: list[Page], wanted: Pairs) -> str:
    right = sum(jaccard(found[one], found[other]) >= UNLIKE for one, other in joined)
    recall = f"{len(joined & wanted) / len(wanted):.4f}" if wanted else "-"
    precision = f"{right / len(joined):.4f}" if joined else "-"
    return f"{name:<36}{len(joined):>9}{recall:>9}{precision:>11}"


def main() -> None:
    found = pages([Path(name) for name in sys.argv[1:]])
    wanted = truth(found)
    print(f"{len(found)} pages of at least 50 words, {len(wanted)} pairs of at least {ALIKE}")
    print(f"{'':<36}{'pairs':>9}{'recall':>9}{'precision':>11}")
    print(line("plain: Simhash, 3 bits", proposed(found), found, wanted))
    fell = {(min(pair), max(pair)) for pair in groups(found)}
    start = time.process_time()
    joined = confirmed(found)
    took = time.process_time() - start
    print(line("ours: confirmed by sketches", joined, found, wanted))
    right = sum(jaccard(found[one], found[other]) >= UNLIKE for one, other in fell)
    share = right / max(len(fell), 1)
    print(f"merged: {len(fell)} fall to a page, {share:.4f} of at least {UNLIKE}")
    print(f"{took:.1f} CPU s to propose and confirm")


if __name__ == "__main__":
    main()
