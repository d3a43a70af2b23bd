"""A fetching task's memory is bounded by its settings, not by how much it has to fetch.

Each task runs in a process of its own under RLIMIT_DATA, so that a breach fails at once. It counts
what the process may write to, the threads' stacks whole (8 MB each, of which little is used), but
not libraries, as RLIMIT_AS would. Peak resident memory is held to the same 300 MB.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LIMIT = 300 << 20


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


def measured(
    program: str, *words: str, before: Callable[[], None] | None = None
) -> dict[str, float]:
    """The figures that a benchmark prints; `before` is called in its process, ahead of it."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / program, *words],
        preexec_fn=before, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hosts", "urls", "held"),
    [(1, 1_000_000, 0.01), (100_000, 100_000, 0.0)],
)
def test_a_task_of_any_size(hosts: int, urls: int, held: float) -> None:
    words = [f"--hosts={hosts}", f"--urls={urls}", f"--held={held}"]
    figures = measured("frontier.py", *words, before=limit)
    assert figures["answered"] == urls
    assert figures["peak_mb"] <= 300


@pytest.mark.slow
def test_long_robots_txts_of_many_open_hosts() -> None:
    """All hosts are open while they wait for the delay; parsed, each file has 8 MB."""
    words = ["--hosts=40", "--urls=40", "--robots=500000", "--delay=9", "--threads=4"]
    figures = measured("frontier.py", *words, before=limit)
    assert figures["answered"] == 40
    assert figures["peak_mb"] <= 300


@pytest.mark.slow
def test_bodies_that_come_slowly_all_at_a_time() -> None:
    """More of them than there is room for: each waits in a file until it is whole."""
    words = ["--hosts=36", "--threads=12", "--megabytes=10"]
    figures = measured("bodies.py", *words)
    assert figures["written_mb"] >= 360
    assert figures["peak_mb"] <= 300
