"""One host's turns: at most one request each, and never one while the host is to rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import msgspec

from layercrawl import answers, manners, records, schedule, urls
from layercrawl.download import rulebook
from layercrawl.download.plan import Plan
from layercrawl.download.rulebook import Rulebook
from layercrawl.download.spool import Hop, HostQueue, Item, Spool
from layercrawl.download.stays import Stay
from layercrawl.manners import Origin, Pace
from layercrawl.planning.visited import Visited
from layercrawl.records import Outcome, Page, Target

Emit = Callable[[Item, Page], None]


class Visit:
    """One host's turn after turn, until nothing waits for it.

    Its robots.txt records wait in the spool to the end: what the host demanded by then goes with
    them. There `book` looks up what they say.
    """

    def __init__(
        self, spool: Spool, span: tuple[str, int, int], plan: Plan, book: Rulebook
    ) -> None:
        self._spool, self._span, self._plan, self._book = spool, span, plan, book
        self._met: list[tuple[int, bool]] = []
        self._put_off: set[str] = set()
        self._ruled: dict[str, int] = {}
        self._begun = self._paused = 0.0
        self._visited = Visited()
        self._knows_head = True

    # Made at the first turn: many hosts may have to wait for theirs.

    @cached_property
    def _waiting(self) -> HostQueue:
        return HostQueue(self._spool, *self._span)

    @cached_property
    def _pace(self) -> Pace:
        return Pace(self._plan.config.delay)

    @property
    def host(self) -> str:
        return self._span[0]

    def places(self) -> dict[str, str]:
        """What the host shares with others: its site, its address."""
        config, transport = self._plan.config, self._plan.transport
        address = transport.address(self.host) if config.max_per_address else ""
        return {"site": urls.site(f"http://{self.host}/"), "address": address}

    def stay(self) -> Stay:
        """How long it took so far."""
        return Stay(time.monotonic() - self._begun, self._paused, self.host)

    def turn(self, emit: Emit) -> float | None:
        """Deal with what waits up to one request; seconds until the next turn, None when done."""
        self._begun = self._begun or time.monotonic()
        self._pace.put_off(self._plan.roster.put_off(self.host))
        if self._plan.over() or self._pace.given_up(self._plan.now):
            return self._turn(emit)  # which asks nothing
        if wait := self._plan.roster.enter(self.host):
            return self._plan.pause(wait)
        try:
            return self._turn(emit)
        finally:
            self._plan.roster.leave(self.host, self._pace.pause(), self._pace.not_before)

    def _turn(self, emit: Emit) -> float | None:
        while item := self._waiting.next():
            robots = item.target.kind == "robots"
            pause = self._robots(item) if robots else self._page(item, emit)
            if pause is not None:
                return pause
        for place, held in self._met:
            url, page = records.decode(self._spool.line(place), Page)
            emit(Item(url, page.target, held=held), self._demanding(page))
        for url in sorted(self._put_off):
            item = Item(url, Target(kind="robots"), tries=0)
            until = self._plan.roster.put_off(urls.host(url))
            emit(item, self._unasked(item, "deferred", manners.ASKED_FOR_PEACE, until))
        return None

    def _rest(self) -> float:
        """Seconds until the next turn: none when nothing more will be asked."""
        done = self._pace.given_up(self._plan.now)
        pause = 0.0 if done else self._plan.pause(self._pace.pause())
        self._paused += pause
        return pause

    def _demanding(self, page: Page) -> Page:
        """A robots.txt's record with the moment before which its host is to be left alone."""
        _, until = self._pace.given_up(self._plan.now) or ("", "")
        return msgspec.structs.replace(page, not_before=max(page.not_before, until))

    def _page(self, item: Item, emit: Emit) -> float | None:
        """One page's Target: put off, denied, or asked for; the pause where it was asked for."""
        put_off = self._plan.over() or self._pace.given_up(self._plan.now)
        origin = self._pace.origins.get(urls.origin(item.url))
        if origin is None and not put_off:
            self._waiting.put_back(item)
            return self._robots(Item(urls.robots_url(item.url), Target(kind="robots")))
        page = self._unasked(item, "deferred", *put_off) if put_off else self._barred(item, origin)
        if page is None:
            if wait := self._plan.roster.rest_after_guest(self.host, self._pace.pause()):
                self._waiting.put_back(item)
                return self._plan.pause(wait)
            ask = self._check if self._to_check(item) else self._ask
            ask(item, emit)
            return self._rest()
        emit(item, page)
        return None

    def _barred(self, item: Item, origin: Origin | None) -> Page | None:
        """The answer for a page that its host's robots.txt keeps from being asked for."""
        place = self._ruled.get(urls.origin(item.url))
        if place is None:
            return self._unreachable(item, origin)
        refusal = self._book.origin(place).refusal(item.url, self._plan.config.user_agent)
        return self._unasked(item, "denied", refusal) if refusal else None

    def _unreachable(self, item: Item, origin: Origin | None) -> Page:
        """Later, perhaps for weeks; but of a host without a name the end may come sooner."""
        if origin and origin.missing:
            return self._unasked(item, "failed", answers.NO_SUCH_NAME)
        until, trouble = (origin.not_before, origin.trouble) if origin else ("", "")
        reason = f"robots.txt unreachable: {trouble}".removesuffix(": ")
        return self._unasked(item, "deferred", reason, until)

    def _to_check(self, item: Item) -> bool:
        """Whether HEAD is asked for first: the Target says when it was there."""
        return bool(item.target.fetched) and not item.checked and self._knows_head

    def _check(self, item: Item, emit: Emit) -> None:
        """Ask by HEAD; where that leaves doubts, all of the page is asked for next."""
        page = self._plan.transport.head(item.url, item.target)
        if page.reason == answers.ENDED:
            self._waiting.put_back(item)
            return
        self._pace.heed(page, item.tries, self._plan.now)
        if page.outcome == "not_modified":
            emit(item, page)
            return
        self._knows_head = page.status not in answers.NO_METHOD
        self._waiting.put_back(item._replace(checked=True))

    def _ask(self, item: Item, emit: Emit) -> None:
        page = self._plan.transport.page(item.url, item.target)
        if page.reason == answers.ENDED:  # it may be that nobody got the request
            self._waiting.put_back(item)
            return
        self._pace.heed(page, item.tries, self._plan.now)
        failed = page.outcome == "failed"
        if item.tries == 1 and self._set_a_cookie(item, page):
            self._waiting.try_again(item)
            return
        if failed and item.tries <= self._plan.config.retries:
            self._waiting.try_again(item)
        else:
            later = self._pace.not_before if failed else ""
            emit(item, msgspec.structs.replace(page, attempts=item.tries, not_before=later))
        if page.outcome == "redirect":
            self._follow(item, page.location)

    def _set_a_cookie(self, item: Item, page: Page) -> bool:
        """Whether a page redirects to itself so that it be asked for with a cookie."""
        itself = page.outcome == "redirect" and page.location == item.url
        return itself and self.host in self._plan.config.cookies and bool(page.header("set-cookie"))

    def _follow(self, item: Item, location: str) -> None:
        """Queue a redirect's target when it is this host's and new; else it is an outlink only."""
        location = self._plan.rules.without_params(location)
        kind = item.target.kind
        page = urls.host(location) == self._waiting.host and location != urls.robots_url(location)
        if not page or location in self._visited:
            return
        if not self._plan.rules.cut_of(kind, location, item.url):
            hops, depth = item.target.hops + 1, item.target.depth
            self._waiting.admit(location, Target(kind, depth, item.url, hops))

    def _robots(self, item: Item) -> float | None:
        """One origin's robots.txt: known already, put off, or asked for; the pause if it was."""
        if item.target.visited:
            self._visited = Visited(item.target.visited)
        if known := self._known(item):
            self._note(item, known)
            return None
        page = self._look_up(item)
        if isinstance(page, float):
            self._waiting.put_back(item)
            return self._plan.pause(page)
        if page.outcome == "redirect":
            _, number, seconds = item.hop or Hop("")
            hop = Hop(page.location, number + 1, seconds + page.elapsed)
            self._waiting.put_back(item._replace(hop=hop))
        elif page.reason == answers.ENDED:
            self._waiting.put_back(item)
        else:
            self._heed(item, page)
        return self._rest()

    def _look_up(self, item: Item) -> Page | float:
        """A robots.txt's answer; seconds to wait, where it lies on a host that is not free."""
        robots, roster = self._plan.transport.robots, self._plan.roster
        lies = item.hop.url if item.hop else item.url
        host = urls.host(lies)
        if host == self.host:
            return robots(item.url, item.target, item.hop)
        if until := roster.put_off(host):
            return Page(item.target, "failed", manners.ASKED_FOR_PEACE, not_before=until)
        if wait := roster.enter_as_guest(host):
            return wait
        pace = Pace(self._plan.config.delay)
        try:
            page = robots(item.url, item.target, item.hop)
            pace.heed(page, item.tries, self._plan.now)
            if pace.not_before:  # whichever task has that host: the next layer knows of it
                self._put_off.add(urls.robots_url(lies))
            return msgspec.structs.replace(page, not_before=pace.not_before)
        finally:
            roster.leave_as_guest(host, pace.pause(), pace.not_before)

    def _heed(self, item: Item, page: Page) -> None:
        """Learn from the answer, or try again; what another host demands is its own affair."""
        if not item.hop or urls.host(item.hop.url) == self.host:
            self._pace.heed(page, item.tries, self._plan.now)
        passing = page.outcome == "failed" and not page.not_before
        if (
            passing
            and item.tries <= self._plan.config.retries
            and not self._pace.given_up(self._plan.now)
        ):
            self._waiting.put_back(item._replace(tries=item.tries + 1, hop=None))
        else:
            self._learn(item, page)

    def _known(self, item: Item) -> Page | None:
        """The answer for a robots.txt that need not, or may not any more, be asked for."""
        if item.target.rules is not None:
            return self._unasked(item, "not_modified", "rules are known")
        put_off = self._plan.over() or self._pace.given_up(self._plan.now)
        return self._unasked(item, "deferred", *put_off) if put_off else None

    def _learn(self, item: Item, page: Page) -> None:
        # As of the layer's clock, by which its age is told.
        page = msgspec.structs.replace(page, fetched=schedule.timestamp(self._plan.now))
        location = item.hop.url if item.hop else ""
        page = msgspec.structs.replace(page, attempts=item.tries, location=location)
        if manners.rules_text(page) is None:
            origin = manners.unreachable(page, self._plan.now)
            origin = replace(origin, not_before=max(origin.not_before, page.not_before))
            self._pace.origins[urls.origin(item.url)] = origin
            page = msgspec.structs.replace(page, not_before=origin.not_before)
        self._note(item, page)

    def _note(self, item: Item, page: Page) -> None:
        """Write a robots.txt's record down; what it says is in the book, but for the delay."""
        place = self._spool.append(records.encode(item.url, page))
        self._met.append((place, item.held))
        if rulebook.rules_text(page) is not None:
            origin = urls.origin(item.url)
            self._ruled[origin] = place
            self._pace.origins[origin] = replace(self._book.origin(place), rules=None)

    def _unasked(self, item: Item, outcome: Outcome, reason: str, not_before: str = "") -> Page:
        return Page(
            item.target, outcome, reason, attempts=item.tries - 1, not_before=not_before,
            fetched=schedule.timestamp(self._plan.now),
        )  # fmt: skip
