"""A server that says what it is told to, byte for byte, for the tests of what asks the web."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

Say = bytes | Callable[[socket.socket], None]


class Listener:
    """Listens on a port of loopback until it is closed, and lets `come` have each connection."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def come(self, plug: socket.socket) -> None:
        raise NotImplementedError

    def close(self) -> None:
        with suppress(OSError):  # wakes accept up
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self.come(self._listening.accept()[0])


class RawServer(Listener):
    """`script` has a list of answers for each connection that comes, the last one for all others.

    An answer is bytes, or called with the socket; after the last a connection is closed.
    """

    def __init__(self, script: Sequence[Sequence[Say]], tls: ssl.SSLContext | None = None) -> None:
        self._script = script
        self._tls = tls
        self.requests: list[str] = []
        self.connections = 0
        super().__init__()

    def url(self, path: str = "/") -> str:
        scheme = "https" if self._tls else "http"
        return f"{scheme}://127.0.0.1:{self.port}{path}"

    def come(self, plug: socket.socket) -> None:
        answers = self._script[min(self.connections, len(self._script) - 1)]
        self.connections += 1
        threading.Thread(target=self._talk, args=(plug, answers), daemon=True).start()

    def _talk(self, plug: socket.socket, answers: Sequence[Say]) -> None:
        with suppress(OSError), plug:
            if self._tls:
                plug = self._tls.wrap_socket(plug, server_side=True)
            for say in answers:
                if not self._heard(plug):
                    return
                plug.sendall(say) if isinstance(say, bytes) else say(plug)
            plug.close()

    def _heard(self, plug: socket.socket) -> bool:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            if not (more := plug.recv(65536)):
                return False
            head += more
        self.requests.append(head.decode())
        return True


@contextmanager
def raw_server(
    script: Sequence[Sequence[Say]], tls: ssl.SSLContext | None = None
) -> Iterator[RawServer]:
    server = RawServer(script, tls)
    try:
        yield server
    finally:
        server.close()


def page(body: bytes = b"<p>page</p>", *lines: str) -> bytes:
    """A good answer that keeps its connection."""
    head = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", "Content-Type: text/html", *lines]
    return "\r\n".join([*head, "", ""]).encode() + body
