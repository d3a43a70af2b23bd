"""What holds for all hosts of a fetching task: settings, rules, the clock, who asks the web."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from layercrawl.config import Config
from layercrawl.download.handover import Room
from layercrawl.download.roster import Roster
from layercrawl.download.spool import Hop
from layercrawl.records import Page, Target
from layercrawl.rules import Rules


class Transport(Protocol):
    """What asks the web: `fetch.Fetcher`, or a stub."""

    def page(self, url: str, target: Target) -> Page: ...

    def head(self, url: str, target: Target) -> Page: ...

    def robots(self, url: str, target: Target, hop: Hop | None = None) -> Page: ...

    def address(self, host: str) -> str: ...


@dataclass(frozen=True)
class Plan:
    """What holds for a whole task: settings, rules, the layer's clock, and until when it may run.

    `deadline` is on the monotonic clock; `now` is the stage's one reading of the time of day, from
    which every `not_before` is counted, so that it does not depend on how long fetching took.
    """

    config: Config
    rules: Rules
    transport: Transport
    now: datetime
    deadline: float
    room: Room = field(default_factory=Room)
    roster: Roster = field(default_factory=Roster)

    def over(self) -> tuple[str, str] | None:
        """Why nothing more is asked in this layer."""
        return ("no time left in the layer", "") if time.monotonic() >= self.deadline else None

    def pause(self, seconds: float) -> float:
        """A pause, cut short where the layer's time ends: then nothing is asked anyway."""
        return min(seconds, max(0.0, self.deadline - time.monotonic()))
