"""The hosts of a task by the time they are due: one worker at a host, and none before its time.

A host that is due goes first; when none is, a new one is opened, so that the open hosts, and what
is known of them, stay few however many there are. Hosts that share a site or an address may have to
wait until others there are done. Hosts that kept their worker long go last, for whoever goes to
them may be gone for as long as an answer may take.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Generic, TypeVar

from layercrawl.download.places import Places

Host = TypeVar("Host", bound=Hashable)


_Heap = list[tuple[float, int, Host]]
LONG = 0.25
"""Seconds after which a worker is thought to wait for a slow host."""
_MOST_PUT_BACK = 1000


def _nowhere(host: object) -> Mapping[str, str]:
    return {}


class Frontier(Generic[Host]):
    """Hands hosts to workers and takes them back; safe for many threads.

    `limits` says how many hosts may be open in one place of a kind; `places_of(host)` names a
    host's place of each kind, and may take its time. At most `most` workers are away at hosts at a
    time, those not counted that are gone for long.
    """

    def __init__(
        self,
        hosts: Iterator[Host],
        limits: Mapping[str, int] | None = None,
        places_of: Callable[[Host], Mapping[str, str]] = _nowhere,
        most: int = 1 << 30,
    ) -> None:
        self._most = most
        self._places: Places[Host] = Places(limits or {})
        self._places_of = places_of
        self._let_in: deque[Host] = deque()
        self._unopened = hosts
        self._quick: _Heap[Host] = []
        self._slow: _Heap[Host] = []
        self._numbers = itertools.count()
        self._away: dict[Host, float] = {}  # since when
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
                now = time.monotonic()
                room = len(self._away) - self._long_away(now) < self._most
                host, new = self._ready(now) if room else (None, False)
                if host is not None:
                    self._away[host] = now
                    return host, new
                if self._is_done():
                    self._changed.notify_all()
                    break
                self._changed.wait(self._patience(room, now))
            return None, False

    def _open(self, host: Host) -> bool:
        """Whether there is room in a new host's places; else it waits for that."""
        if not self._places.limits:
            return True
        places = self._places_of(host)
        with self._changed:
            if self._places.enter(host, places):
                return True
            del self._away[host]
            self._let_in.extend(self._places.passed_by(places))
            self._changed.notify_all()
            return False

    def give(self, host: Host, pause: float) -> None:
        """Take a host back: it is due after `pause` seconds."""
        with self._changed:
            now = time.monotonic()
            heap = self._slow if now - self._away.pop(host) >= LONG else self._quick
            heapq.heappush(heap, (now + pause, next(self._numbers), host))
            self._changed.notify()

    def finish(self, host: Host) -> None:
        """A host that was taken is done."""
        with self._changed:
            del self._away[host]
            self._let_in.extend(self._places.leave(host))
            if self._let_in or self._is_done():
                self._changed.notify_all()

    def waiting_long(self) -> int:
        """How many workers are gone for long."""
        with self._changed:
            return self._long_away(time.monotonic())

    def close(self) -> None:
        """Let every worker go home."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _is_done(self) -> bool:
        return not (self._quick or self._slow or self._away)

    def _long_away(self, now: float) -> int:
        return sum(now - since >= LONG for since in self._away.values())

    def _ready(self, now: float) -> tuple[Host | None, bool]:
        if _is_due(self._quick, now):
            return heapq.heappop(self._quick)[2], False
        if len(self._slow) <= _MOST_PUT_BACK and (host := self._new()) is not None:
            return host, True
        return heapq.heappop(self._slow)[2] if _is_due(self._slow, now) else None, False

    def _new(self) -> Host | None:
        return self._let_in.popleft() if self._let_in else next(self._unopened, None)

    def _patience(self, room: bool, now: float) -> float | None:
        """Seconds until a host is due, or until one more worker may go."""
        if room:
            moments = [heap[0][0] for heap in (self._quick, self._slow) if heap]
        else:
            moments = [since + LONG for since in self._away.values() if now - since < LONG]
        return max(0.0, min(moments) - now) if moments else None


def _is_due(heap: _Heap[Host], now: float) -> bool:
    return bool(heap) and heap[0][0] <= now
