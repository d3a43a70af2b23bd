"""What the user sees: a bar (on a terminal) or a line a stage, and a summary at the end."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import msgspec
from tqdm import tqdm

from layercrawl import stores
from layercrawl.config import Config
from layercrawl.download.stays import Stay
from layercrawl.planning.budgets import REASONS
from layercrawl.records import ANSWERED
from layercrawl.stores import Marker, Stores

OUTCOMES = ("ok", "not_modified", "redirect", "gone", "denied", "refused", "failed", "deferred")
_COUNTED = "{desc}: {n}/{total} URLs, {rate_noinv_fmt} [{elapsed}<{remaining}{postfix}]"
_PERCENT = re.compile(r"map \d+% reduce \d+%")
_TIMED = "{desc}: [{elapsed}{postfix}]"
# The local runner forks, so nothing here may start a thread or a process of its own.
tqdm.monitor_interval = 0
tqdm.set_lock(threading.RLock())


class Report:
    """Tells of stages as they run, as much as --quiet and --verbose let it."""

    def __init__(self, settings: Config, stream: TextIO = sys.stderr) -> None:
        self._level = 0 if settings.quiet else 1 + settings.verbose
        self._stream = stream
        self._bar: tqdm[Any] | None = None

    def say(self, text: str) -> None:
        """A line for the user, unless --quiet."""
        if self._level:
            lines = map(printable, text.split("\n"))
            print("\n".join(lines), file=self._stream, flush=True)

    def warn(self, text: str) -> None:
        """A line that --quiet does not hold back."""
        print(printable(f"driver.py: {text}"), file=self._stream, flush=True)

    @contextmanager
    def running(self, title: str, total: int = 0) -> Iterator[None]:
        """While a stage runs: a bar that counts to `total`, on a terminal; it goes in any case."""
        if not (self._level and self._stream.isatty()):
            yield
            return
        shape = _COUNTED if total else _TIMED
        columns = os.get_terminal_size(self._stream.fileno()).columns or 80  # 0 is: not known
        with tqdm(
            desc=title, total=total, file=self._stream, bar_format=shape, unit="", leave=False,
            ncols=columns - 1, nrows=2,
        ) as self._bar:  # fmt: skip
            try:
                yield
            finally:
                self._bar = None

    def watch(self, statuses: list[str]) -> None:
        """The running tasks' newest status lines: counts as JSON, or how far a cluster's job is."""
        bar = self._bar  # a thread may be the caller, when the stage just ends
        if bar is None:
            return
        counts: Counter[str] = Counter()
        for status in statuses:
            if _PERCENT.fullmatch(status):
                bar.set_postfix_str(status, refresh=False)
            with suppress(msgspec.MsgspecError):
                counts.update(msgspec.json.decode(status, type=dict[str, int]))
        if bar.total and counts:
            bar.n = sum(counts[name] for name in (*OUTCOMES, "sitemaps"))
            bar.set_postfix(_shown(counts), refresh=False)
        bar.refresh()

    def end(self, title: str, marker: Marker) -> None:
        """A stage is done."""
        self.say(f"{title}: {_figures(marker)}")
        if self._level > 1:
            shown = {k: n for k, n in marker.totals.items() if not k.endswith("checksum")}
            told = [f"{name}: {n}" for name, n in sorted(shown.items())]
            told += [f"took long: {Stay(*stay).told()}" for stay in marker.longest]
            self.say("\n".join(f"    {line}" for line in told))


def _shown(counts: Counter[str]) -> dict[str, Any]:
    """What fits after a bar; a narrow terminal cuts its end, so failures come before redirects."""
    shown = {_plain(o): counts[o] for o in reversed(OUTCOMES) if counts[o] and o != "ok"}
    return {"MB": f"{counts['characters'] / 1e6:.1f}", **shown}


_TOLD = (
    ("urls: taken", "URL", " to fetch"),
    ("sitemaps: ok", "sitemap", ""),
    ("links: followed", "link", ""),
    ("merged: pages", "page", ""),
    ("merged: duplicates", "duplicate", ""),
    ("xml: documents", "document", ""),
)


def _figures(marker: Marker) -> str:
    wall, done = marker.cost.get("wall", 0.0), outcomes(marker)
    told = [f"{done[name]} {_plain(name)}" for name in OUTCOMES if done[name]]
    told += [
        many(marker.totals[counter], noun) + rest
        for counter, noun, rest in _TOLD
        if marker.totals.get(counter)
    ]
    pace = f", {done.total() / wall:.1f} URLs/s" if done and wall else ""
    return f"{', '.join(told) or 'nothing'} in {wall:.1f} s{pace}"


def printable(line: str) -> str:
    r"""A line without what a terminal would obey, and still one line.

    Servers send control characters where they end up in reasons, titles and rules.

    >>> printable("a\x1b[31m\n\u202eb")
    'a\\x1b[31m\\x0a\\x202eb'
    """
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in line)


def many(number: int, noun: str) -> str:
    """A number with its noun.

    >>> many(0, "page"), many(1, "page"), many(2, "page")
    ('0 pages', '1 page', '2 pages')
    """
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _plain(outcome: str) -> str:
    return outcome.replace("_", " ")


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
    """Whether any request of a doc layer was answered; sitemaps that fail do not keep pages back.

    For a layer may have nothing else, and fail for one file that is not there.
    """
    sitemaps = any(marker.totals.get(f"sitemaps: {o}") for o in (*ANSWERED, "failed"))
    return sitemaps or any(outcome in ANSWERED for outcome in outcomes(marker))


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
    told = ", ".join(f"{n} {_plain(name)}" for name, n in total.most_common())
    parsed = [crawl.layer("out", n) for n in crawl.layers("out")]
    rows = [f"{many(len(layers), 'layer')}, {many(total.total(), 'URL')} in all: {told or 'none'}"]
    rows += [
        _reasons("failures", "failures", layers),
        _reasons("put off", "put off", layers),
        _reasons("links cut", "cuts", map(stores.marker, parsed)),
        held_up(layers),
        waits(crawl),
        held_back(crawl),
        *results(crawl),
    ]
    rows.append(f"this run took {time.monotonic() - started:.1f} s")
    return "\n".join(row for row in rows if row)


def held_up(layers: list[Marker]) -> str:
    """Which hosts the longest layer waited for, and what kept them; nothing where it was short."""
    stays = [[Stay(*stay) for stay in layer.longest] for layer in layers]
    number = max(range(len(layers)), key=lambda n: stays[n][:1], default=0)
    if not layers or not stays[number] or stays[number][0].seconds < 1:
        return ""
    hosts, told = stays[number], ", ".join(stay.told() for stay in stays[number])
    limit = _limit(hosts[0], layers[number])
    return f"layer {number}: {many(len(hosts), 'host')} took longest: {told}; {limit} set the pace"


def _limit(longest: Stay, layer: Marker) -> str:
    if longest.percent >= 50:
        return "politeness"
    return "CPU" if layer.cost.get("cpu", 0) >= 0.7 * layer.cost.get("wall", 1) else "the network"


def _reasons(title: str, group: str, layers: Iterable[Marker]) -> str:
    """The reasons that a group of counts names, most frequent first."""
    kinds: Counter[str] = Counter()
    for layer in layers:
        named = {k.partition(": ")[::2]: n for k, n in layer.totals.items()}
        kinds.update({reason: n for (found, reason), n in named.items() if found == group})
    told = ", ".join(f"{kind} ({n})" for kind, n in kinds.most_common())
    return f"{title}: {told}" if told else ""


def waits(crawl: Stores) -> str:
    """What still waits, and until when."""
    plans = crawl.layers("in")
    if not plans:
        return "nothing waits"
    count, until = waiting(stores.marker(crawl.layer("in", plans[-1])))
    fetched, parsed = crawl.layer("doc", plans[-1]), crawl.layer("out", plans[-1])
    rows = []
    planned = taken(stores.marker(crawl.layer("in", plans[-1])))
    if planned and not stores.complete(fetched):  # a run is at it, or was stopped there
        rows = [f"{many(planned, 'URL')} of layer {plans[-1]} not fetched yet"]
    if stores.complete(fetched):  # the run ended here, before the next plan
        count += outcomes(stores.marker(fetched))["deferred"]
        if not stores.complete(parsed) or stores.marker(parsed).totals.get("links: followed"):
            rows = [f"what layer {plans[-1]} links to is not planned yet"]
    if count:
        first = f", the first until about {until}" if until else ""
        rows.insert(0, f"{many(count, 'URL')} {'waits' if count == 1 else 'wait'}{first}")
    return "; ".join(rows) or "nothing waits"


def held_back(crawl: Stores) -> str:
    """How many URLs the last plan held back for a budget, and the option that sets it; or empty."""
    plans = crawl.layers("in")
    totals = stores.marker(crawl.layer("in", plans[-1])).totals if plans else {}
    counts = {reason: totals.get(f"urls: {reason}", 0) for reason in REASONS}
    told = [f"{many(n, 'URL')}, {why} ({REASONS[why]})" for why, n in counts.items() if n]
    return f"held back: {'; '.join(told)}" if told else ""


def results(crawl: Stores) -> list[str]:
    """Where the results lie, and how many they are."""
    rows = [told] if (told := _unindexed(crawl)) else []
    for folder, counter, noun in (
        (crawl.merged, "merged: pages", "page"),
        (crawl.xml, "xml: documents", "document"),
    ):
        if stores.complete(folder):
            totals = stores.marker(folder).totals
            copies = totals.get("merged: duplicates", 0)
            extra = f" and {many(copies, 'duplicate')}" if copies else ""
            rows.append(f"{folder}: {many(totals.get(counter, 0), noun)}{extra}")
    return rows


def _unindexed(crawl: Stores) -> str:
    """How many pages asked not to be indexed; such a page is not merged."""
    merged = stores.complete(crawl.merged)
    count = stores.marker(crawl.merged).totals.get("merged: noindex", 0) if merged else 0
    return f"not merged: {many(count, 'page')} by noindex" if count else ""


def forecast(crawl: Stores, seeds: list[str]) -> str:
    """What a run would do, without doing it."""
    done = crawl.layers("out")
    begins = f"goes on with layer {len(done)}" if done else "starts with layer 0"
    return f"{crawl.root}: {many(len(seeds), 'seed')}; {begins}"
