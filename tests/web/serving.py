"""Serving a web: sockets on its addresses, in this process or in one of its own."""

from __future__ import annotations

import asyncio
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.web.server import answer_all
from tests.web.web import Web

_ROOT = Path(__file__).parents[2]
_CHILD = "from tests.web.serving import child; child()"


def listen(addresses: Sequence[str], port: int) -> list[socket.socket]:
    """Sockets that listen on `port` of every address; 0 takes a port that is free on all.

    Raises OSError when there is none.
    """
    for _ in range(20 if port == 0 else 1):
        try:
            return _listen(addresses, port)
        except OSError as error:
            failed = error
    raise failed


def _listen(addresses: Sequence[str], port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    with ExitStack() as undo:
        for address in addresses:
            one = undo.enter_context(socket.create_server((address, port), backlog=512))
            port = one.getsockname()[1]
            sockets.append(one)
        undo.pop_all()
    return sockets


def run(
    web: Web, sockets: Sequence[socket.socket], log: Path | None, parent: int | None = None
) -> None:
    """Serves in this process until it is told to stop; `log` gets one JSON line a request."""
    with ExitStack() as stack:
        file = stack.enter_context(log.open("a", buffering=1)) if log else None
        asyncio.run(answer_all(web, sockets, file, parent))


@contextmanager
def serve(web: Web, log: Path | None = None, bind: str = "") -> Iterator[Web]:
    """Serves `web` from a process of its own; yields it with its real port (0: any free one).

    It listens on the web's hosts, which must be addresses then, or on the address `bind`. The
    process ends with the block, or with this process.
    """
    sockets = listen([bind] if bind else web.hosts, web.port)
    web = replace(web, port=sockets[0].getsockname()[1])
    with beside(_CHILD, web, sockets, log):
        yield web


@contextmanager
def beside(
    program: str, web: object, sockets: list[socket.socket], log: Path | None
) -> Iterator[None]:
    """Runs a Python program, whose `inherited()` is all of this, as long as the block lasts."""
    numbers = [one.fileno() for one in sockets]
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=numbers, cwd=_ROOT) as process:
        families = [one.family for one in sockets]
        for one in sockets:
            one.close()
        assert process.stdin
        pickle.dump((web, numbers, families, log and log.absolute()), process.stdin)
        process.stdin.flush()
        try:
            yield
        finally:
            process.stdin.close()


def inherited() -> tuple[Any, list[socket.socket], Path | None]:
    """What `beside` was given, in the process that it started: the web, its sockets, its log.

    That process shall end when its standard input does.
    """
    web, numbers, families, log = pickle.load(sys.stdin.buffer)
    return web, [socket.socket(f, fileno=n) for f, n in zip(families, numbers, strict=True)], log


def child() -> None:
    """The process that `serve` starts."""
    run(*inherited(), sys.stdin.fileno())
