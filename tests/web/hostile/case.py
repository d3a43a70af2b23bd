"""One thing a hostile server does: where, how, and what a right crawler says of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.web.hostile.wire import Wire

Play = Callable[[Wire], Awaitable[None]]


class Told(NamedTuple):
    """What a right crawler records of a URL: outcome, reason, and whether the body is cut off."""

    outcome: str
    reason: str = ""
    truncated: bool = False


OK = Told("ok")
CUT = Told("ok", "", True)
REDIRECT = Told("redirect")
BROKEN = Told("failed", "broken answer")
TIMEOUT = Told("failed", "timeout")
SHORT = Told("failed", "body cut short")
DENIED = Told("denied", "robots.txt line 2: Disallow: /closed/")


def refused(reason: str) -> Told:
    """What cannot be a page."""
    return Told("refused", reason)


@dataclass(frozen=True)
class Case:
    """What is played at `path` (query included); `linked` from its host's front page or not."""

    path: str
    told: Told
    play: Play
    linked: bool = True


@dataclass(frozen=True)
class Family:
    """A host by its `name`: its cases, and who plays its robots.txt and all `other` paths.

    `front` is what a right crawler says of its front page, which links to the cases unless
    `opening` plays it; `also` are URLs that are met beside them: paths, or in full with `{port}`.
    """

    name: str
    cases: Sequence[Case] = ()
    front: Told = OK
    opening: Play | None = None
    robots: Play | None = None
    other: Play | None = None
    also: dict[str, Told] = field(default_factory=dict)

    def playing(self, path: str) -> Play | None:
        """Who plays a path; None: nothing is there."""
        if path == "/robots.txt":
            return self.robots
        return next((case.play for case in self.cases if case.path == path), self.other)
