"""The hosts of a task by the time they are due: one worker at a host, and none before its time.

A host that is due goes first; when none is, a new one is opened, so that the open hosts, and what
is known of them, stay few however many there are.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Iterator
from typing import Generic, TypeVar

Host = TypeVar("Host")


class Frontier(Generic[Host]):
    """Hands hosts to workers and takes them back; safe for many threads."""

    def __init__(self, hosts: Iterator[Host]) -> None:
        self._unopened = hosts
        self._due: list[tuple[float, int, Host]] = []
        self._numbers = itertools.count()
        self._away = 0
        self._closed = False
        self._changed = threading.Condition()

    def take(self) -> Host | None:
        """A host that is due, for this worker alone; waits for one; None when all are done."""
        with self._changed:
            while not self._closed:
                host = self._ready()
                if host is not None:
                    self._away += 1
                    return host
                if not self._due and not self._away:
                    self._changed.notify_all()
                    return None
                self._changed.wait(self._due[0][0] - time.monotonic() if self._due else None)
            return None

    def give(self, host: Host, pause: float) -> None:
        """Take a host back: it is due after `pause` seconds."""
        with self._changed:
            self._away -= 1
            heapq.heappush(self._due, (time.monotonic() + pause, next(self._numbers), host))
            self._changed.notify()

    def finish(self) -> None:
        """One host that was taken is done."""
        with self._changed:
            self._away -= 1
            if not self._due and not self._away:
                self._changed.notify_all()

    def close(self) -> None:
        """Let every worker go home."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _ready(self) -> Host | None:
        if self._due and self._due[0][0] <= time.monotonic():
            return heapq.heappop(self._due)[2]
        return next(self._unopened, None)
