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
        """Have a worker more than usual for each that is `waiting` long; how many are new.

        Where the system gives no more threads those that there are go on; RuntimeError: none are.
        """
        wanted = self._usual + min(waiting, SPARE * self._usual)
        before = self._hired
        while self._hired < wanted:
            try:
                threading.Thread(target=self._work, daemon=True).start()
            except RuntimeError:
                if not self._hired:
                    raise
                break
            self._hired += 1
        return self._hired - before
