"""A root on this machine's disk: held by one driver, and what a power cut must not lose."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


class Held(Exception):
    """Another driver has the root, or what it left behind; the message says which and the cure."""


@contextmanager
def held(root: Path, patience: float) -> Iterator[None]:
    """Hold a root for one driver; Held where another has it.

    Workers that a killed driver left are waited for, up to `patience` seconds.
    """
    with (root / "_lock").open("a") as driver, (root / "_workers").open("a") as work:
        try:
            # A POSIX lock: forked workers do not inherit it, so it goes with the driver.
            fcntl.lockf(driver, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise Held("another driver works here; wait or stop it") from None
        _await_workers(work, time.monotonic() + patience)
        yield


def _await_workers(work: Any, deadline: float) -> None:
    # A flock belongs to the open file, which forked workers share: the last of them ends it.
    while True:
        with suppress(BlockingIOError):
            return fcntl.flock(work, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if time.monotonic() > deadline:
            raise Held("workers of a killed driver still run here")
        time.sleep(0.1)


def flush(*paths: Path) -> None:
    """Have the disk hold files, and folders' names."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
