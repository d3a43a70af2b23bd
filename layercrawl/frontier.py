"""The hosts of a task by the time they are due: one worker at a host, and none before its time.

A host that is due goes first; when none is, a new one is opened, so that the open hosts, and what
is known of them, stay few however many there are. Hosts that share a site or an address may have to
wait until others there are done.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Generic, TypeVar

from layercrawl.places import Places

Host = TypeVar("Host", bound=Hashable)


def _nowhere(host: object) -> Mapping[str, str]:
    return {}


class Frontier(Generic[Host]):
    """Hands hosts to workers and takes them back; safe for many threads.

    `limits` says how many hosts may be open in one place of a kind; `places_of(host)` names a
    host's place of each kind, and may take its time.
    """

    def __init__(
        self,
        hosts: Iterator[Host],
        limits: Mapping[str, int] | None = None,
        places_of: Callable[[Host], Mapping[str, str]] = _nowhere,
    ) -> None:
        self._places: Places[Host] = Places(limits or {})
        self._places_of = places_of
        self._let_in: deque[Host] = deque()
        self._unopened = hosts
        self._due: list[tuple[float, int, Host]] = []
        self._numbers = itertools.count()
        self._away = 0
        self._closed = False
        self._changed = threading.Condition()

    def take(self) -> Host | None:
        """A host that is due, for this worker alone; waits for one; None when all are done."""
        while True:
            host, new = self._take()
            if host is None or not new or self._open(host):
                return host

    def _take(self) -> tuple[Host | None, bool]:
        """A host, and whether it is a new one."""
        with self._changed:
            while not self._closed:
                host, new = self._ready()
                if host is not None:
                    self._away += 1
                    return host, new
                if not self._due and not self._away:
                    self._changed.notify_all()
                    break
                self._changed.wait(self._due[0][0] - time.monotonic() if self._due else None)
            return None, False

    def _open(self, host: Host) -> bool:
        """Whether there is room in a new host's places; else it waits for that."""
        if not self._places.limits:
            return True
        places = self._places_of(host)
        with self._changed:
            if self._places.enter(host, places):
                return True
            self._away -= 1
            self._let_in.extend(self._places.passed_by(places))
            self._changed.notify_all()
            return False

    def give(self, host: Host, pause: float) -> None:
        """Take a host back: it is due after `pause` seconds."""
        with self._changed:
            self._away -= 1
            heapq.heappush(self._due, (time.monotonic() + pause, next(self._numbers), host))
            self._changed.notify()

    def finish(self, host: Host) -> None:
        """A host that was taken is done."""
        with self._changed:
            self._away -= 1
            self._let_in.extend(self._places.leave(host))
            if self._let_in or not self._due and not self._away:
                self._changed.notify_all()

    def close(self) -> None:
        """Let every worker go home."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _ready(self) -> tuple[Host | None, bool]:
        if self._due and self._due[0][0] <= time.monotonic():
            return heapq.heappop(self._due)[2], False
        return self._let_in.popleft() if self._let_in else next(self._unopened, None), True
