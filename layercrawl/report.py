"""What the user sees: a bar (on a terminal) or a line a stage, and a summary at the end."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from typing import Any, TextIO

from tqdm import tqdm

from layercrawl import stores
from layercrawl.config import Config
from layercrawl.records import ANSWERED
from layercrawl.stores import Marker, Stores

OUTCOMES = ("ok", "not_modified", "redirect", "gone", "denied", "refused", "failed", "deferred")
_FOOT = "{desc}: {n}/{total} [{elapsed}<{remaining}{postfix}]"


class Report:
    """Tells of stages as they run, as much as --quiet and --verbose let it."""

    def __init__(self, settings: Config, stream: TextIO = sys.stderr) -> None:
        self._level = 0 if settings.quiet else 1 + settings.verbose
        self._stream = stream
        self._bar: tqdm[Any] | None = None

    def say(self, text: str) -> None:
        """A line for the user, unless --quiet."""
        if self._level:
            print(text, file=self._stream, flush=True)

    def warn(self, text: str) -> None:
        """A line that --quiet does not hold back."""
        print(f"driver.py: {text}", file=self._stream, flush=True)

    def begin(self, title: str, total: int = 0) -> None:
        """A stage starts; `total` is what its bar counts to."""
        if self._level and self._stream.isatty():
            self._bar = tqdm(desc=title, total=total, file=self._stream, bar_format=_FOOT)

    def watch(self, statuses: list[str]) -> None:
        """The running tasks' newest status lines, which are counts as JSON."""
        if self._bar is not None:
            counts: Counter[str] = Counter()
            for status in statuses:
                counts.update(json.loads(status))
            self._bar.n = sum(counts[outcome] for outcome in OUTCOMES)
            self._bar.set_postfix(_shown(counts), refresh=True)

    def end(self, title: str, marker: Marker) -> None:
        """A stage is done."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        self.say(f"{title}: {_figures(marker)}")
        if self._level > 1:
            self.say("".join(f"    {name}: {n}\n" for name, n in sorted(marker.totals.items())))


def _shown(counts: Counter[str]) -> dict[str, Any]:
    shown = {o: counts[o] for o in OUTCOMES if counts[o] and o != "ok"}
    return shown | {"MB": round(counts["characters"] / 1e6, 1)}


def _figures(marker: Marker) -> str:
    wall = marker.cost.get("wall", 0.0)
    counts = {name.partition(": ")[2]: n for name, n in marker.totals.items()}
    told = [f"{counts[name]} {name.replace('_', ' ')}" for name in _TOLD if counts.get(name)]
    done = sum(counts.get(outcome, 0) for outcome in OUTCOMES)
    pace = f", {done / wall:.0f} URLs/s" if done and wall else ""
    return f"{', '.join(told) or 'nothing'} in {wall:.1f} s{pace}"


_TOLD = (*OUTCOMES, "taken", "followed", "pages", "duplicates", "documents")


def outcomes(marker: Marker) -> Counter[str]:
    """How many pages had which outcome, by a doc layer's marker."""
    counts = {o: marker.totals.get(f"outcomes: {o}", 0) for o in OUTCOMES}
    return Counter({outcome: n for outcome, n in counts.items() if n})


def pages(crawl: Stores) -> int:
    """How many pages all layers brought."""
    return sum(outcomes(stores.marker(crawl.layer("doc", n)))["ok"] for n in crawl.layers("doc"))


def taken(marker: Marker) -> int:
    """How many pages a plan's marker says to fetch."""
    return marker.totals.get("urls: taken", 0)


def answered(marker: Marker) -> bool:
    """Whether any request of a doc layer was answered."""
    return any(outcome in ANSWERED for outcome in outcomes(marker))


def waiting(marker: Marker) -> tuple[int, str]:
    """How many URLs still wait by a plan's marker, and until when the first of them: empty, now."""
    totals = marker.totals
    due = totals.get("urls: due", 0) - taken(marker)
    later = totals.get("urls: not due", 0)
    moments = sorted(n[18:] for n in totals if n.startswith("urls: waits until "))
    return due + later, "" if due or not moments else moments[0]


def summary(crawl: Stores, started: float) -> str:
    """What a run ended with, by the stores' markers; `started` is on the monotonic clock."""
    layers = [stores.marker(crawl.layer("doc", n)) for n in crawl.layers("doc")]
    total = sum((outcomes(layer) for layer in layers), Counter[str]())
    rows = [f"{len(layers)} layers, {sum(total.values())} URLs answered in all: " + _counted(total)]
    failures: Counter[str] = Counter()
    for layer in layers:
        failures.update({k[10:]: n for k, n in layer.totals.items() if k.startswith("failures: ")})
    if failures:
        rows.append("failures: " + _counted(failures))
    rows += [waits(crawl), *results(crawl)]
    rows.append(f"this run took {time.monotonic() - started:.1f} s")
    return "\n".join(row for row in rows if row)


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.most_common()) or "none"


def waits(crawl: Stores) -> str:
    """What still waits, and until when."""
    plans = crawl.layers("in")
    count, until = waiting(stores.marker(crawl.layer("in", plans[-1]))) if plans else (0, "")
    if not count:
        return "nothing waits"
    return f"{count} URLs wait" + (f", the first until about {until}" if until else "")


def results(crawl: Stores) -> list[str]:
    """Where the results lie, and how many they are."""
    rows = []
    for folder, what in ((crawl.merged, "pages"), (crawl.xml, "documents")):
        if stores.complete(folder):
            counts = {k.partition(": ")[2]: n for k, n in stores.marker(folder).totals.items()}
            extra = f" and {counts['duplicates']} duplicates" if counts.get("duplicates") else ""
            rows.append(f"{folder}: {counts.get(what, 0)} {what}{extra}")
    return rows


def forecast(crawl: Stores, seeds: list[str]) -> str:
    """What a run would do, without doing it."""
    done = crawl.layers("out")
    begins = f"goes on with layer {len(done)}" if done else "starts with layer 0"
    return f"{crawl.root}: {len(seeds)} seeds; {begins}"
