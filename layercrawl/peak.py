"""The most memory that this process held at one time."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_mb() -> float:
    """MB (2**20 bytes) of main memory, at its highest.

    On Linux by VmHWM (proc(5)), since what getrusage(2) tells of a child that was forked and became
    another program begins with its parent's memory.
    """
    if _STATUS.exists() and (found := re.search(r"VmHWM:\s*(\d+) kB", _STATUS.read_text())):
        return int(found[1]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1024)
