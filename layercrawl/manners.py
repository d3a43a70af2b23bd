"""How a host wants to be treated: what its robots.txt says, and how long to pause. Pure.

A `Pace` is what a fetching task knows of one host, which may have many origins, while it asks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from layercrawl import answers, robots, schedule
from layercrawl.records import Page

MAX_CRAWL_DELAY = 120.0
ASKED_FOR_PEACE = "host asked to retry later"
MAX_PAUSE = 60.0
FAILING_PAUSE = 1.0
"""Seconds: the least pause after a second failure in a row, which doubles with each further one."""
GIVE_UP_AFTER = 25
UNREACHABLE_PAUSE = timedelta(hours=1)
UNREACHABLE_FOR = timedelta(days=30)
"""How long a robots.txt must have been unreachable to count as not there (RFC 9309, 2.3.1.4)."""
MAX_RETRY_AFTER = 86_400.0
"""Seconds; no host can put itself off for longer at a time."""
_BOM = b"\xef\xbb\xbf"
_AS_ESCAPES = 3  # times as long a robots.txt may be as was read of it: see `_text`


@dataclass(frozen=True)
class Origin:
    """What an origin's robots.txt allows: `rules`, or None while they are not at hand.

    `trouble` says why not; `missing` says so of the host itself: its name is not found.
    """

    rules: robots.Robots | None
    delay: float
    not_before: str = ""
    missing: bool = False
    trouble: str = ""

    def refusal(self, url: str, agent: str) -> str:
        """Why the URL may not be asked for, with rule and line; empty when it may."""
        if self.delay > MAX_CRAWL_DELAY:
            return f"robots.txt: Crawl-delay of {self.delay:g} s is over {MAX_CRAWL_DELAY:g} s"
        assert self.rules is not None
        if self.rules.allows(url, agent):
            return ""
        why = self.rules.why(url, agent)
        return f"robots.txt line {why[0]}: {why[1]}" if why else "robots.txt"


def origin(text: str, agent: str) -> Origin:
    """What a robots.txt's text says to an agent."""
    rules = robots.parse(text.encode(), _AS_ESCAPES * robots.LIMIT)
    return Origin(rules, rules.crawl_delay(agent) or 0.0)


def unreachable(page: Page, now: datetime) -> Origin:
    """What holds for an origin whose robots.txt's answer stands for no rules: ask again later."""
    later = schedule.timestamp(now + UNREACHABLE_PAUSE)
    return Origin(None, 0.0, later, page.reason == answers.NO_SUCH_NAME, page.reason)


def rules_text(page: Page) -> str | None:
    """The rules that a robots.txt's answer stands for; None: nothing may be asked for now.

    After a 4xx there are no rules (RFC 9309, 2.3.1.3), and so too once it has been unreachable for
    30 days (2.3.1.4).

    >>> from layercrawl.records import Target
    >>> rules_text(Page(Target(kind="robots"), "gone", status=404))
    ''
    """
    if page.outcome == "ok":
        return _whole_lines(_text(page)) if page.truncated else _text(page)
    return None if page.outcome == "failed" and not _long_unreachable(page) else ""


def _text(page: Page) -> str:
    """Its text; where that is not UTF-8, its octets as escapes, which rules compare like octets."""
    if not page.body_b64:
        return page.html
    octets = page.body().removeprefix(_BOM)
    return re.sub(rb"[\x80-\xff]", lambda found: b"%%%02X" % found[0][0], octets).decode()


def _whole_lines(text: str) -> str:
    """Without the last line: cut off, it could mean anything."""
    return text[: max(text.rfind("\n"), text.rfind("\r")) + 1]


def _long_unreachable(page: Page) -> bool:
    since = page.target.failing_since
    if not since:
        return False
    return schedule.moment(page.fetched) - schedule.moment(since) >= UNREACHABLE_FOR


def longest_delay(delays: Iterable[float]) -> float:
    """The longest Crawl-delay that is kept; a longer one's pages are denied, not waited for.

    >>> longest_delay([1.5, 86_400.0]), longest_delay([])
    (1.5, 0.0)
    """
    return max((delay for delay in delays if delay <= MAX_CRAWL_DELAY), default=0.0)


def _retry_after(page: Page, now: datetime) -> float:
    if page.status not in (429, 503):
        return 0.0
    asked = schedule.retry_after(page.header("retry-after"), now) or 0.0
    return min(asked, MAX_RETRY_AFTER)


@dataclass
class Pace:
    """How fast one host is asked: the pauses that it wants, and whether it goes on failing."""

    delay: float
    failures: int = 0
    not_before: str = ""
    origins: dict[str, Origin] = field(default_factory=dict)
    retry_after: float = 0.0

    def heed(self, page: Page, tries: int, now: datetime) -> None:
        """Take in an answer: its Retry-After (RFC 9110, 10.2.3), and whether it is a failure.

        Second tries do not count: they come one after another at the end of a host's queue.
        """
        if page.outcome != "failed":
            self.failures = 0
        elif tries == 1:
            self.failures += 1
        self.retry_after = _retry_after(page, now)
        if self.retry_after > MAX_PAUSE:
            until = schedule.timestamp(now + timedelta(seconds=self.retry_after))
            self.put_off(until)

    def put_off(self, until: str) -> None:
        """Ask nothing more before a moment; empty, none."""
        self.not_before = max(self.not_before, until)

    def pause(self) -> float:
        """Seconds until the host may be asked again: twice as many for each failure in a row."""
        crawl_delay = longest_delay(origin.delay for origin in self.origins.values())
        usual = max(self.delay, crawl_delay)
        return max(usual, self._backed_off(usual), min(self.retry_after, MAX_PAUSE))

    def _backed_off(self, usual: float) -> float:
        least = FAILING_PAUSE / 4 if self.failures > 1 else 0.0
        return min(max(usual, least) * 2.0 ** min(self.failures, 10), MAX_PAUSE)

    def given_up(self, now: datetime) -> tuple[str, str] | None:
        """Why nothing more is asked of the host in this layer, and until when."""
        if self.not_before:
            return ASKED_FOR_PEACE, self.not_before
        if self.failures >= GIVE_UP_AFTER:
            return "host keeps failing", schedule.timestamp(now + UNREACHABLE_PAUSE)
        return None
