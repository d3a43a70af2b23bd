"""Which URLs make up the next layer: who is due, what a host may take, where to cut. Pure.

A host's rows begin with a number: first its robots.txts (0), then what its budgets need of the URLs
that were asked for (1) and their hashes (11), then those that wait (2). What is left of these
travels on as bytes that sort as they are to be taken: `place SP url SP kind SP line`, where place
is depth (unless a budget lets depths mix) and rank, and a robots.txt stands before the page that
brings it. Sitemaps stand first, with depth 1, since that is what the pages they list have. With
`--fair` a page has a row by age before that (see `fairness`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from layercrawl import manners, records, schedule, urls
from layercrawl.config import Config
from layercrawl.ordering import ORDERS, CashOrder, Order, read_plans
from layercrawl.planning import budgets, fairness, fold, revisits
from layercrawl.planning.budgets import Budgets
from layercrawl.planning.fairness import Share
from layercrawl.planning.visited import hashed, packed
from layercrawl.records import Target, UrlState
from layercrawl.rules import Rules

RULES_LAST = timedelta(hours=24)
_MIDDLE = 1 << 63
_ANY = 1 << 62
_FIRST = b"0" * 16
_NOT_DUE = "not due"


def rank(score: int) -> bytes:
    """Sixteen digits that sort the highest score first.

    >>> sorted([rank(0), rank(5), rank(-3)]) == [rank(5), rank(0), rank(-3)]
    True
    """
    return b"%016x" % (_MIDDLE - max(-_MIDDLE + 1, min(score, _MIDDLE)))


@dataclass
class Selection:
    """The choice for one layer, by settings, the stage's clock and today's rules for links.

    `counts` says what became of all: `known` URLs are `visited`, `beyond depth`, `not due` (then
    also `waits until …`), held back for one of `budgets.REASONS`, `due`, a `robots.txt`, or `cut`:
    found when the rules were others. `taken` are those that the layer has. `cash gone` and
    `cash urls` are what a cash order wants to know of this plan, as of `plans`, those before.
    """

    config: Config
    now: datetime
    rules: Rules | None = None
    plans: str = ""

    def __post_init__(self) -> None:
        self.order: Order = ORDERS[self.config.order].after(read_plans(self.plans))
        self.counts: Counter[str] = Counter()
        c = self.config
        self._again = revisits.early if c.budget else revisits.due
        self._budgeted = bool(c.max_per_pattern or c.max_host_pages or c.max_alike)
        self._moves_cash = isinstance(self.order, CashOrder)

    def candidate(self, url: str, state: UrlState) -> Iterator[tuple[bytes, bytes]]:
        """(host, row) for the host step; nothing for a URL that does not wait now."""
        if state.depth == fold.FAR:
            return
        host = urls.host(url).encode()
        if state.kind == "robots":
            yield host, b"0 " + records.encode(url, self._host_target(state))
            return
        self.counts["known"] += 1
        page = state.kind == "page"
        cash = 0
        if page:
            cash = self.order.cash(state)
            if self._moves_cash:
                self.counts["cash gone"] += self.order.gone(state)
                self.counts["cash urls"] += 1
        if reason := self._stays(url, state):
            self.counts[reason] += 1
            if state.visits:
                yield host, b"11 %08x" % hashed(url)
            if state.visits and self._budgeted:
                yield host, b"1 " + budgets.row(url, state.visits)
            return
        score = self.order.score(state) if page else 0
        known = self._conditions(state) if page and state.visits else {}
        target = Target(state.kind, state.depth, state.via, state.hops, score, cash, **known)
        ranked = self._ranked(state, score) if page else _FIRST
        line = records.encode(url, target)
        yield host, b"2 %08x%s %s" % (0 if self.config.budget else distance(state), ranked, line)
        if page and self.config.fair:
            yield host, b"2 %s %s" % (fairness.place(state, ranked), line)

    def _conditions(self, state: UrlState) -> dict[str, Any]:
        asked = revisits.checks if self.config.head_check else revisits.conditions
        return asked(state.visits)

    def _stays(self, url: str, state: UrlState) -> str:
        if url.endswith("/robots.txt") and url == urls.robots_url(url):
            return "robots.txt"
        if state.kind == "sitemap" and not self.config.sitemaps:
            return "sitemap"
        if not state.visits:
            if distance(state) > self.config.depth:
                return "beyond depth"
            return "cut" if self._cut(url, state) else ""
        due = schedule.next_visit(state.visits)
        if due is None and self.config.recrawl:
            due = self._again(state.visits, state.lastmod)
        if due is None:
            return "visited"
        return self._not_due(due) if due > self.now else ""

    def _ranked(self, state: UrlState, score: int) -> bytes:
        """A page's rank: those asked for again come after the others, by what a visit is worth."""
        if state.visits and schedule.next_visit(state.visits) is None:
            return rank(revisits.worth(state.visits, self.now) - _ANY)
        return rank(score)

    def _cut(self, url: str, state: UrlState) -> bool:
        """Whether the rules cut the link that found a URL; seeds and their redirects stand."""
        if state.depth == 0 or self.rules is None:
            return False
        return bool(self.rules.cut_of(state.kind, url, state.via))

    def _not_due(self, due: datetime) -> str:
        self.counts[f"waits until {_rounded(due, self.now)}"] += 1
        return _NOT_DUE

    def _host_target(self, state: UrlState) -> Target:
        """What is known of a host: rules while they are fresh, and what it demanded."""
        fresh = state.fetched and self.now - schedule.moment(state.fetched) < RULES_LAST
        return Target(
            kind="robots",
            rules=state.rules if fresh else None,
            fetched=state.fetched if fresh else "",
            failing_since=state.failing_since,
            delay=state.delay,
            not_before=state.not_before,
        )

    def of_host(self, rows: Iterable[bytes]) -> Iterator[bytes]:
        """From a host's sorted rows to those that it may have in the layer."""
        states: dict[str, Target] = {}  # by robots.txt
        brought: set[tuple[bool, str]] = set()
        asked = array("I")
        budget = Budgets(self.config)
        left = None
        for row in rows:
            kind, _, rest = row.partition(b" ")
            if kind == b"0":
                robots_url, known = records.decode(rest, Target)
                states[robots_url] = known
            elif kind == b"1":
                budget.spend(rest)
            elif kind == b"11":
                asked.append(int(rest, 16))
            else:
                if asked:
                    states, asked = _with_visited(states, asked), array("I")
                left = self._share(states.values()) if left is None else left
                yield from self._admitted(_Waiting.of(rest), states, brought, budget, left)

    def _admitted(
        self,
        page: _Waiting,
        states: dict[str, Target],
        brought: set[tuple[bool, str]],
        budget: Budgets,
        left: Share,
    ) -> Iterator[bytes]:
        """A page's row, after its robots.txt's if that has not gone yet, or none."""
        robots_url, by_age = urls.robots_url(page.url), fairness.by_age(page.place)
        state = states.get(robots_url)
        if by_age and left.full(by_age):
            return
        taken = left.has(page.url)  # by age; what is counted is counted with its row by rank
        reason = "" if taken else self._stops(page, state, budget)
        if not by_age:
            self._count(reason, state)
        if reason or not taken and left.full(by_age):
            return
        if not taken:
            left.take(by_age, page.url)
        if state and (by_age, robots_url) not in brought:
            brought.add((by_age, robots_url))
            yield page.row(b"0", records.encode(robots_url, state))
        yield page.row(b"1", page.line)

    def _count(self, reason: str, state: Target | None) -> None:
        """Count a page that its host lets through, or holds back for a reason."""
        self.counts[reason or "due"] += 1
        if reason == _NOT_DUE and state:
            self._not_due(schedule.moment(state.not_before))

    def _stops(self, page: _Waiting, state: Target | None, budget: Budgets) -> str:
        """Why a page may not be asked for now: its host, or its budgets.

        These spare seeds and sitemaps.
        """
        if state and state.not_before and schedule.moment(state.not_before) > self.now:
            return _NOT_DUE
        held_back = budget.refusal(page.url)
        if held_back:
            target = records.decode(page.line, Target)[1]
            return held_back if target.depth and target.kind == "page" else ""
        return ""

    def _share(self, states: Iterable[Target]) -> Share:
        """How many pages a host can have: as many as its delay leaves time for, and the cap."""
        asked = manners.longest_delay(state.delay or 0.0 for state in states)
        most = min(share(self.config, asked), self.config.budget or _ANY)
        return Share(most, fairness.part(most, self.config.fair))

    def taken(self, rows: Iterable[bytes], limit: int) -> Iterator[tuple[str, Target]]:
        """The layer, from all hosts' sorted rows: the least depth, or the budget's best.

        `limit` is the most pages that the run may still have; 0: any number.
        """
        most = min(n for n in (self.config.budget, limit, _ANY) if n)
        left, depth = Share(most, fairness.part(most, self.config.fair)), b""
        told: set[str] = set()
        for row in rows:
            place, _, kind, line = row.split(b" ", 3)
            by_age = fairness.by_age(place)
            depth = depth if by_age else depth or place[:8]
            if not by_age and (place[:8] != depth or left.full(by_age)):
                break
            if left.full(by_age):
                continue
            url, target = records.decode(line, Target)
            if left.has(url) or url in told:
                continue
            if kind == b"1":
                left.take(by_age, url)
                self.counts["taken"] += 1
            elif self.config.fair:  # else no host brings its robots.txt twice
                told.add(url)
            yield url, target


def distance(found: UrlState | Target) -> int:
    """The depth by which a URL waits for its layer: a sitemap's is that of what it lists."""
    return 1 if found.kind == "sitemap" else found.depth


def share(config: Config, asked: float) -> int:
    """How many pages of a host a layer may have, where the host asks for a delay of so long.

    >>> share(Config(layer_minutes=1.0, delay=2.0), 0.0), share(Config(layer_minutes=1.0), 30.0)
    (30, 2)
    """
    delay = max(config.delay, asked)
    by_time = int(60 * config.layer_minutes / delay) if delay else _ANY
    return max(1, min(by_time, config.max_per_host or _ANY))


class _Waiting(NamedTuple):
    """A waiting page's row, taken apart."""

    place: bytes
    url: str
    line: bytes

    @classmethod
    def of(cls, row: bytes) -> _Waiting:
        place, _, line = row.partition(b" ")
        return cls(place, line[: line.index(b"\t")].decode(), line)

    def row(self, kind: bytes, line: bytes) -> bytes:
        """A row of the layer, at this page's place."""
        return b"%s %s %s %s" % (self.place, self.url.encode(), kind, line)


def _with_visited(states: dict[str, Target], asked: array[int]) -> dict[str, Target]:
    """A host's states, which bring what was asked of it before."""
    text = packed(asked)
    return {url: records.replace(state, visited=text) for url, state in states.items()}


def _rounded(due: datetime, now: datetime) -> str:
    """A moment not before `due`, coarser the later: counters may not have a name for each."""
    wait = due - now
    step = 600 if wait < timedelta(hours=1) else 14_400 if wait < timedelta(days=1) else 86_400
    seconds = -(-int(due.timestamp()) // step) * step
    return schedule.timestamp(datetime.fromtimestamp(seconds, due.tzinfo))
