"""Workers that do the same work, as many as are wanted at the moment."""

from __future__ import annotations

import threading
from collections.abc import Callable

SPARE = 2
"""Workers that may be hired for each usual one, while those wait for slow hosts."""


class Crew:
    """Hires workers for `work`, which each of them does once: `usual` ones, and spare ones."""

    def __init__(self, work: Callable[[], None], usual: int) -> None:
        self._work, self._usual = work, usual
        self._hired = 0

    def hire(self, waiting: int) -> int:
        """Have a worker more than usual for each that is `waiting` long; how many are new."""
        wanted = self._usual + min(waiting, SPARE * self._usual)
        new = max(0, wanted - self._hired)
        self._hired += new
        for _ in range(new):
            threading.Thread(target=self._work, daemon=True).start()
        return new
