"""Who is at which host, so that nobody asks one that another is asking, or has just asked.

A host has its own visit, turn after turn; but a robots.txt may redirect to another host, which is
then asked on behalf of the first: its visit is a guest there, in a turn of its own. What a guest is
told, to come back later, holds for the host that said so.
"""

from __future__ import annotations

import threading
import time

_POLL = 0.1
_COMES_LATE = 0.5
_PRUNED_FROM = 1000


class Roster:
    """The hosts of a task that are being asked, and how long each wants to rest; thread-safe.

    Whoever wants to ask gets the seconds to wait; 0.0 means that it may ask, and has to `leave`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: set[str] = set()
        self._rests, self._rests_after_guest, self._booked = _Moments(), _Moments(), _Moments()
        self._pauses: dict[str, float] = {}
        self._guests: dict[str, float] = {}
        self._put_off: dict[str, str] = {}

    def enter(self, host: str) -> float:
        """The host's own visit comes; its own pauses are its own affair."""
        with self._lock:
            if host in self._asked or self._booked.left(host):
                return _POLL
            if rest := self._rests_after_guest.left(host):
                return rest
            self._asked.add(host)
            return 0.0

    def leave(self, host: str, pause: float, until: str = "") -> None:
        """The host's own visit goes; the host is to rest for `pause` seconds.

        Where it said so, nobody else is to come before the moment `until`.
        """
        with self._lock:
            self._asked.discard(host)
            if pause or host in self._pauses:
                self._pauses[host] = pause
            self._rests.extend(host, pause)
            self._put(host, until)

    def enter_as_guest(self, host: str) -> float:
        """Another host's visit comes; where it has to wait, the host's own gives way next time."""
        with self._lock:
            rest = max(self._rests.left(host), _POLL if host in self._asked else 0.0)
            if rest:
                self._booked.extend(host, rest + _COMES_LATE)
                return rest
            self._asked.add(host)
            self._booked.end(host)
            return 0.0

    def leave_as_guest(self, host: str, pause: float, until: str = "") -> None:
        """Another host's visit goes, as the host's own does."""
        with self._lock:
            pause = max(pause, self._pauses.get(host, 0.0))  # its own visit knows its Crawl-delay
            self._asked.discard(host)
            self._rests.extend(host, pause)
            self._rests_after_guest.extend(host, pause)
            self._guests[host] = time.monotonic()
            self._put(host, until)

    def _put(self, host: str, until: str) -> None:
        if until:
            self._put_off[host] = max(until, self._put_off.get(host, ""))

    def rest_after_guest(self, host: str, pause: float) -> float:
        """Seconds that are left of a pause of the host's since a guest went."""
        with self._lock:
            gone = self._guests.get(host)
            return max(0.0, gone + pause - time.monotonic()) if gone is not None else 0.0

    def put_off(self, host: str) -> str:
        """The moment before which the host wants nobody to come; empty where it did not say so."""
        with self._lock:
            return self._put_off.get(host, "")


class _Moments:
    """For each host a moment, forgotten some time after it is over."""

    def __init__(self) -> None:
        self._moments: dict[str, float] = {}
        self._most = _PRUNED_FROM

    def left(self, host: str) -> float:
        """Seconds until the host's moment; 0.0 once it is over."""
        return max(0.0, self._moments.get(host, 0.0) - time.monotonic())

    def extend(self, host: str, seconds: float) -> None:
        """Put the moment off until then, unless it is later already."""
        now = time.monotonic()
        self._moments[host] = max(self._moments.get(host, 0.0), now + seconds)
        if len(self._moments) > self._most:
            self._moments = {h: moment for h, moment in self._moments.items() if moment > now}
            self._most = 2 * len(self._moments) + _PRUNED_FROM

    def end(self, host: str) -> None:
        """Forget the moment."""
        self._moments.pop(host, None)
