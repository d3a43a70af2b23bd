"""Connections that keep two promises: no forbidden address, and no answer longer than its time.

requests bounds each `recv`, not a whole answer, and resolves names by itself; so the connections
here check each address when they connect, and a watch ends the socket of an answer that is overdue.
"""

from __future__ import annotations

import heapq
import http.client
import ipaddress
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import NewConnectionError
from urllib3.util.connection import allowed_gai_family

Allow = Callable[[str], bool]

# The standard library gives up at 100 lines of header, which honest servers send more of; a line
# ends at 64 KiB by itself, and the whole head at the answer's deadline.
http.client._MAXHEADERS = 1000  # type: ignore[attr-defined]


class ForbiddenAddress(NewConnectionError):
    """The host's address is private, and nobody allowed it."""


class Deadline:
    """The time until which one answer may last; its socket is shut when it is over."""

    def __init__(self, seconds: float) -> None:
        self.at = time.monotonic() + seconds
        self.over = False
        self.done = False
        self.sock: socket.socket | None = None

    def end(self) -> None:
        """Shut the socket, so that a read that waits returns."""
        self.over = True
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


class Watch:
    """One thread that ends overdue answers."""

    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, Deadline]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._current = threading.local()
        self._thread: threading.Thread | None = None

    @contextmanager
    def limit(self, seconds: float) -> Iterator[Deadline]:
        """A deadline for what this thread does inside the `with`."""
        deadline = Deadline(seconds)
        self._current.deadline = deadline
        with self._changed:
            heapq.heappush(self._waiting, (deadline.at, next(self._numbers), deadline))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
        try:
            yield deadline
        finally:
            deadline.done = True
            self._current.deadline = None

    def guard(self, sock: socket.socket | None) -> None:
        """Put the socket that this thread now uses under its deadline."""
        deadline: Deadline | None = getattr(self._current, "deadline", None)
        if deadline is not None and sock is not None:
            deadline.sock = sock

    def _run(self) -> None:
        while True:
            with self._changed:
                due = [entry[2] for entry in self._overdue()]
            for deadline in due:
                deadline.end()
            time.sleep(0.1)

    def _overdue(self) -> Iterator[tuple[float, int, Deadline]]:
        while self._waiting and (
            self._waiting[0][2].done or self._waiting[0][0] <= time.monotonic()
        ):
            entry = heapq.heappop(self._waiting)
            if not entry[2].done:
                yield entry


def public(address: str) -> bool:
    """Whether an IP address is one of the public internet's.

    >>> [public(a) for a in ("93.184.215.14", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1")]
    [True, False, False, False]
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None) or getattr(ip, "sixtofour", None)
    return ip.is_global and not ip.is_multicast and (mapped is None or mapped.is_global)


def adapter(connections: int, watch: Watch, private: Allow) -> HTTPAdapter:
    """A requests adapter of guarded connections, one a host, the least used of them closed.

    `private(host)` says whether a host may have a private address.
    """

    class Guarded(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return _connect(self, watch, private)

        def request(self, *args: Any, **kwargs: Any) -> None:
            watch.guard(self.sock)
            super().request(*args, **kwargs)

    class GuardedTLS(Guarded, HTTPSConnection):
        pass

    class Pool(HTTPConnectionPool):
        ConnectionCls = Guarded

    class TLSPool(HTTPSConnectionPool):
        ConnectionCls = GuardedTLS

    made = HTTPAdapter(pool_connections=connections, pool_maxsize=1)
    made.poolmanager.pool_classes_by_scheme = {"http": Pool, "https": TLSPool}
    return made


def _connect(connection: Any, watch: Watch, private: Allow) -> socket.socket:
    """A socket to the first of the host's addresses that is allowed and answers."""
    host, error = connection._dns_host, None
    found = socket.getaddrinfo(
        host.strip("[]"), connection.port, allowed_gai_family(), socket.SOCK_STREAM
    )
    for family, kind, protocol, _, address in found:
        if not (public(str(address[0])) or private(host.strip("[]"))):
            raise ForbiddenAddress(connection, f"address {address[0]} is private")
        sock = socket.socket(family, kind, protocol)
        watch.guard(sock)
        sock.settimeout(connection.timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            sock.connect(address)
        except OSError as failure:
            sock.close()
            error = failure
        else:
            return sock
    raise error or OSError("no address")
