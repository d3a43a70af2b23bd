"""Many inputs tried on one target: their number, their cost, each different failure once."""

from __future__ import annotations

import hashlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from tests.fuzz import trial
from tests.fuzz.mutation import mutate

_LONGEST_TRACE = 4


class Campaign:
    """Tries inputs on `target`; those that fail go into files of `folder`, one a failing place.

    While an input is tried it lies in the file `current`, so that a hang or a killed process
    leaves it behind.
    """

    def __init__(self, name: str, target: trial.Target, folder: Path) -> None:
        self.executions, self.failures = 0, dict[str, str]()
        self.slowest, self.slowest_input = 0.0, b""
        self._name, self._target, self._folder = name, target, folder
        self._start = time.monotonic()
        folder.mkdir(parents=True, exist_ok=True)
        self._current = os.open(folder / f"{name}-current", os.O_CREAT | os.O_RDWR)

    def attempt(self, data: bytes) -> None:
        """Try one input; a failure is written down, not raised."""
        os.pwrite(self._current, data, 0)
        os.ftruncate(self._current, len(data))
        self.executions += 1
        try:
            seconds = trial.attempt(self._target, data)
        except Exception as error:
            self._write_down(error, data)
        else:
            if seconds > self.slowest:
                self.slowest, self.slowest_input = seconds, data

    def _write_down(self, error: Exception, data: bytes) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{type(error).__name__} {frames[-1].filename}:{frames[-1].lineno}"
        if place not in self.failures:
            digest = hashlib.sha256(data).hexdigest()[:12]
            (self._folder / f"{self._name}-{digest}").write_bytes(data)
            self.failures[place] = digest
            print(f"{self._name}: {self._name}-{digest}", flush=True)
            traceback.print_exception(error, limit=-_LONGEST_TRACE, file=sys.stdout)

    def minutes(self) -> float:
        """How long it has been going on."""
        return (time.monotonic() - self._start) / 60

    def report(self) -> str:
        """The campaign in a line, and its slowest input in a file."""
        (self._folder / f"{self._name}-slowest").write_bytes(self.slowest_input)
        (self._folder / f"{self._name}-current").unlink()
        return (
            f"{self._name}: {self.executions} executions in {self.minutes():.1f} minutes, "
            f"{len(self.failures)} different failures, slowest input "
            f"{self.slowest:.2f} s for {len(self.slowest_input)} bytes"
        )


def seeded(
    campaign: Campaign,
    seeds: Sequence[bytes],
    tokens: Sequence[bytes],
    random: Random,
    go_on: Callable[[], bool],
) -> None:
    """Try the seeds, then inputs made of them, as long as `go_on` says so."""
    for seed in seeds:
        campaign.attempt(seed)
    while go_on():
        campaign.attempt(mutate(random, seeds, tokens))
