"""How much a run may still do: pages by --max-pages, time by --max-minutes."""

from __future__ import annotations

import time
from dataclasses import replace

from layercrawl import stores
from layercrawl.config import Config
from layercrawl.ordering import Plan, written_plans
from layercrawl.running import report
from layercrawl.stores import Stores

_NO_TIME = 0.001  # minutes; a layer that starts too late puts all its targets off


class Limits:
    """The limits of one run, which starts when this is made."""

    def __init__(self, settings: Config, crawl: Stores) -> None:
        self._settings, self._stores = settings, crawl
        self.started = time.monotonic()

    def reached(self) -> bool:
        """Whether nothing more may be fetched."""
        return self._minutes_left() <= 0 or self.pages_left() == 0

    def pages_left(self) -> int | None:
        """How many pages may still come; None: any number."""
        most = self._settings.max_pages
        return max(0, most - report.pages(self._stores)) if most else None

    def for_plan(self, layer: int) -> list[str]:
        """The arguments by which a layer's plan knows them, and what the plans before counted."""
        markers = (stores.marker(self._stores.layer("in", before)) for before in range(layer))
        totals = (marker.totals for marker in markers)
        plans = [
            Plan(told.get("urls: cash gone", 0), told.get("urls: cash urls", 0)) for told in totals
        ]
        return [f"--limit={self.pages_left() or 0}", f"--plans={written_plans(plans)}"]

    def for_layer(self) -> Config:
        """The settings for a layer that ends when the run's time does."""
        minutes = min(self._settings.layer_minutes, max(self._minutes_left(), _NO_TIME))
        return replace(self._settings, layer_minutes=minutes)

    def _minutes_left(self) -> float:
        most = self._settings.max_minutes
        return most - (time.monotonic() - self.started) / 60 if most else float("inf")
