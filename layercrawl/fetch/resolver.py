"""Names looked up within a time: the system's resolver may hang for as long as it likes.

It cannot be interrupted, so each look-up has a thread of its own, which is left behind when it
takes too long; whoever asks for the same name meanwhile waits for the same look-up.
"""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import Future
from typing import Any

Address = tuple[Any, Any, int, str, Any]
"""What getaddrinfo gives for each address: family, kind, protocol, canonical name, address."""

_FRESH = 60.0  # seconds; a host whose connection ended is mostly asked again at once
_MOST_KNOWN = 1024
_MOST_RUNNING = 256


class Resolver:
    """Looks names up for many threads; good answers are known for a minute."""

    def __init__(self) -> None:
        self._lookups: dict[tuple[Any, ...], tuple[float, Future[list[Address]]]] = {}
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(_MOST_RUNNING)

    def addresses(self, host: str, port: int, family: Any, seconds: float) -> list[Address]:
        """The addresses of a host for stream sockets, as getaddrinfo gives them.

        Raises socket.gaierror (EAI_AGAIN after `seconds` without an answer), or UnicodeError for
        what is no name.
        """
        name = (host, port, family, socket.SOCK_STREAM)
        if ":" in host or host.replace(".", "").isdigit():
            return list(socket.getaddrinfo(*name))  # an address: nobody is asked
        try:
            return self._lookup(name).result(seconds)
        except TimeoutError:
            raise socket.gaierror(socket.EAI_AGAIN, "no answer from the resolver") from None

    def _lookup(self, name: tuple[Any, ...]) -> Future[list[Address]]:
        """The look-up of a name that is under way, or fresh, or a new one."""
        with self._lock:
            since, known = self._lookups.get(name, (0.0, None))
            if known and not _over(since, known):
                return known
            if not self._room.acquire(blocking=False):
                raise socket.gaierror(socket.EAI_AGAIN, "the resolver hangs")
            if len(self._lookups) >= _MOST_KNOWN:
                self._lookups = {n: x for n, x in self._lookups.items() if not x[1].done()}
            lookup: Future[list[Address]] = Future()
            self._lookups[name] = time.monotonic(), lookup
        threading.Thread(target=self._ask, args=(name, lookup), daemon=True).start()
        return lookup

    def _ask(self, name: tuple[Any, ...], lookup: Future[list[Address]]) -> None:
        try:
            lookup.set_result(list(socket.getaddrinfo(*name)))
        except Exception as error:
            lookup.set_exception(error)
        finally:
            self._room.release()


def _over(since: float, lookup: Future[list[Address]]) -> bool:
    """Whether a look-up has failed, or is no longer fresh."""
    if not lookup.done():
        return False
    return lookup.exception() is not None or time.monotonic() - since > _FRESH
