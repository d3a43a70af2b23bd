"""What a fetching task did so far, for whoever watches."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import msgspec

from layercrawl.records import Page


@dataclass
class Progress:
    """What a task did so far; `line` is its status for whoever watches."""

    queued: int
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    characters: int = 0

    def add(self, page: Page) -> None:
        """Count a page's answer."""
        if page.target.kind == "page":
            self.outcomes[page.outcome] += 1
            self.characters += len(page.html)
            if page.outcome == "failed":
                self.failures[page.reason] += 1

    def line(self) -> str:
        """The counts as JSON: `queued`, `characters` of text and each outcome's."""
        counts = {"queued": self.queued, "characters": self.characters, **self.outcomes}
        return msgspec.json.encode(counts).decode()
