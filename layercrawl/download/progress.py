"""What a fetching task did so far, for whoever watches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from layercrawl.records import Page


@dataclass
class Progress:
    """What a task did so far; `line` is its status for whoever watches."""

    queued: int
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    put_off: Counter[str] = field(default_factory=Counter)
    sitemaps: Counter[str] = field(default_factory=Counter)
    characters: int = 0

    def add(self, page: Page) -> None:
        """Count a page's answer, or a sitemap's."""
        if page.target.kind == "sitemap":
            self.sitemaps[page.outcome] += 1
        elif page.target.kind == "page":
            self.outcomes[page.outcome] += 1
            self.characters += len(page.html)
            if page.outcome == "failed":
                self.failures[page.reason] += 1
            if page.outcome == "deferred":
                self.put_off[page.reason] += 1

    def groups(self) -> Iterator[tuple[str, dict[str, int]]]:
        """The counts by group, as counters and markers name them."""
        yield "outcomes", self.outcomes
        yield "failures", self.failures
        yield "put off", self.put_off
        yield "sitemaps", self.sitemaps
        yield "fetched", {"characters": self.characters}

    def line(self) -> str:
        """The counts as JSON: `queued`, `characters` of text, `sitemaps` and each outcome's."""
        more = {"characters": self.characters, "sitemaps": self.sitemaps.total()}
        counts = {"queued": self.queued, **more, **self.outcomes}
        return msgspec.json.encode(counts).decode()
