"""What a command costs, and which pages a web server says it gave it.

The server's log is the corpus' nginx.conf's: tab-separated time, host, status, bytes, content type,
method, path, connection and user agent.
"""

import os
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


class Cost(NamedTuple):
    """Seconds of wall clock and of CPU (user + system), MB of the largest process, exit code.

    All descendants count that were waited for; a process that outlives its parent does not.
    """

    wall: float
    cpu: float
    rss_mb: int
    exit: int


def run(command: list[str], output: Path, folder: Path) -> Cost:
    """Run a command in a folder, all it prints going to `output`, and return what it cost.

    The figure for memory is never below this process' own, which a child starts with: measure
    before loading anything big.
    """
    start = time.monotonic()
    with output.open("wb") as log:
        child = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(time.monotonic() - start, cpu, usage.ru_maxrss // 1024, child.returncode)


@dataclass
class Served:
    """What a server's log says of one client: requests, and GETs of text/html answered with 200."""

    pages: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)

    def count(self, line: str, agent: str, ports: dict[str, int]) -> None:
        """Count one line, if it is of a client whose name contains `agent`."""
        _, host, status, _, kind, method, path, _, client = line.rstrip("\n").split("\t", 8)
        if agent not in client:
            return
        self.statuses[status] += 1
        if status == "200" and method == "GET" and kind.startswith("text/html"):
            self.pages[f"http://{host}:{ports[host]}{path}"] += 1


def served(log: Path, start: int, agent: str, ports: dict[str, int]) -> Served:
    """Read a log from byte `start` on; `ports` names the port of each host."""
    result = Served()
    with log.open("rb") as lines:
        lines.seek(start)
        for line in lines:
            result.count(line.decode("latin-1"), agent, ports)
    return result
