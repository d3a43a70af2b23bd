"""A driver that kills itself at a chosen place: `python -m tests.killing DOOM …the driver's words`.

The product has no hooks for this: the driver runs as ever, with a few functions wrapped here.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, NamedTuple

import driver
from layercrawl import stores
from layercrawl.job import BytesProtocol, Job, RecordProtocol

JOBS = ("OptimizerDriver", "CrawlerDriver", "ParserDriver", "MergeDriver", "HtmlToXmlDriver")
VICTIMS = ("group", "driver")
_DRIVER = os.getpid()


class Doom(NamedTuple):
    """Where a run ends: in a stage of `job`, at its `nth` record or before its folder is done.

    `place` is `job` (inside a task), `marker` (all is written but the marker) or `rename` (the
    marker too, but the folder has its temporary name); `victim` is who gets SIGKILL: the whole
    process group, or the driver alone.
    """

    job: str
    place: str
    victim: str = "group"
    nth: int = 1

    def program(self) -> list[str]:
        """What Python runs instead of driver.py."""
        return ["-m", "tests.killing", json.dumps(self)]


def send(driver_pid: int, victim: str) -> None:
    """SIGKILL to a driver that leads a process group, and to its tasks with it or not."""
    (os.killpg if victim == "group" else os.kill)(driver_pid, signal.SIGKILL)


class Countdown:
    """Kills at the `nth` call."""

    def __init__(self, doom: Doom) -> None:
        self._left, self._victim = doom.nth, doom.victim

    def __call__(self) -> None:
        self._left -= 1
        if self._left == 0:
            send(_DRIVER, self._victim)


def in_the_job(doom: Doom) -> None:
    """Count each task's records, read and written, when the task is one of the doomed job's."""
    executed, running = Job.execute, [""]

    def execute(self: Job) -> None:
        running[0] = type(self).__name__
        executed(self)

    def counted(function: Any) -> Any:
        step = Countdown(doom)

        def call(*arguments: Any) -> Any:
            if running[0] == doom.job:
                step()
            return function(*arguments)

        return call

    Job.execute = execute  # type: ignore[method-assign]
    for protocol in (RecordProtocol, BytesProtocol):
        for name in ("read", "write"):
            setattr(protocol, name, counted(getattr(protocol, name)))


def before_the_marker(doom: Doom) -> None:
    """Count the doomed job's calls of `publish`."""
    published, step = stores.publish, Countdown(doom)

    def publish(sibling: Path, folder: Path, content: stores.Marker) -> None:
        if content.stage == doom.job:
            step()
        published(sibling, folder, content)

    stores.publish = publish


def before_the_rename(doom: Doom) -> None:
    """Count the renames of folders that the doomed job has marked."""
    renamed, step = Path.rename, Countdown(doom)

    def rename(self: Path, target: Any) -> Path:
        if (self / stores.MARKER).is_file() and stores.marker(self).stage == doom.job:
            step()
        return renamed(self, target)

    Path.rename = rename  # type: ignore[method-assign,assignment]


WRAPS = {"job": in_the_job, "marker": before_the_marker, "rename": before_the_rename}


def main() -> int:
    """Run the driver until its doom."""
    doom = Doom(*json.loads(sys.argv[1]))
    WRAPS[doom.place](doom)
    return driver.main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
