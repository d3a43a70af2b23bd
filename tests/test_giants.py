"""Pages that nobody would write, each read in a process of its own: in little memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "benchmarks/hostile.py"
MOST_MB = 300


@pytest.mark.slow
@pytest.mark.parametrize("step", ["parse", "XML"])
@pytest.mark.parametrize(
    "page", ["10 MB of nested <ul><li>", "500,000 links", "one attribute of 20 MB"]
)
def test_a_giant_takes_little_memory(page: str, step: str) -> None:
    words = [sys.executable, str(PROGRAM), page, step]
    said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    peak = said.removeprefix(page).split()[2]
    assert 20 < float(peak) < MOST_MB
