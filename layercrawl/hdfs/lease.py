"""A lease on a folder of HDFS: one process has it, and it is over when that does not renew it.

No clocks are compared: who wants a lease that another has watches whether it is still renewed.
"""

from __future__ import annotations

import _thread
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from layercrawl.hdfs import HdfsPath

_MISSED = 3
"""So many renewals that did not come mean that the holder is gone."""


class Held(Exception):
    """Another process has the lease; the message names it."""


class _Holder(msgspec.Struct, frozen=True):
    host: str
    process: int
    started: str
    id: str


@contextmanager
def held(path: HdfsPath) -> Iterator[None]:
    """Have the lease that lies at `path`, and renew it; Held where a living process has it.

    Where it is lost for all that, since this process was stopped for long, the main thread is
    interrupted.
    """
    mine = _Holder(socket.gethostname(), os.getpid(), _started(os.getpid()), uuid.uuid4().hex)
    while not _taken(path, mine):
        _end(path, mine)
    over = threading.Event()
    renewing = threading.Thread(target=_renew, args=(path, mine, over), daemon=True)
    renewing.start()
    try:
        yield
    finally:
        over.set()
        renewing.join()
        if _holder(path) == mine:
            path.remove()


def _taken(path: HdfsPath, mine: _Holder) -> bool:
    new = path.with_name(f"{path.name}-{mine.id}")
    new.write_bytes(msgspec.json.encode(mine))
    try:
        new.rename(path)
    except OSError:
        new.remove()
        path.client.look_anew()
        if path.exists():
            return False
        raise
    return True


def _end(path: HdfsPath, mine: _Holder) -> None:
    """Take the lease away from a process that is gone; Held if it is not."""
    other, before = _holder(path), _changed(path)
    if other is None:
        return
    here = other.host == mine.host
    if here and _started(other.process) == other.started or not here and _renewed(path, before):
        who = f"process {other.process} on {other.host}"
        raise Held(f"another driver works here, {who}; wait or stop it")
    old = path.with_name(f"{path.name}-old-{mine.id}")
    with suppress(OSError):  # another was quicker
        path.rename(old)
        old.remove()


def _renewed(path: HdfsPath, before: int) -> bool:
    end = time.monotonic() + _MISSED * path.client.renewal
    while time.monotonic() < end:
        time.sleep(path.client.renewal / 2)
        path.client.look_anew()
        if _changed(path) != before:
            return True
    return False


def _renew(path: HdfsPath, mine: _Holder, over: threading.Event) -> None:
    while not over.wait(path.client.renewal):
        with suppress(OSError):  # HDFS may be away for a while
            if _holder(path) != mine:
                _thread.interrupt_main()
                return
            path.client.touch(path.path)


def _holder(path: HdfsPath) -> _Holder | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Holder)
    except FileNotFoundError:
        return None


def _changed(path: HdfsPath) -> int:
    found = path.client.entry(path.path)
    return found.changed if found else 0


def _started(process: int) -> str:
    """When a process of this machine started, in the kernel's clock ticks; empty: it is not there.

    Where the kernel does not say (it is no Linux), whether it is there.
    """
    with suppress(OSError):
        if Path("/proc/self/stat").exists():
            state, *rest = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            return "" if state == "Z" else rest[18]
        os.kill(process, 0)
        return "running"
    return ""
