"""A long crawl on Hadoop: `python benchmarks/soak.py [HOSTS] [PAGES_PER_HOST]`.

Crawls the seeded web, 500 hosts of 100 plain pages by default, on the cluster of `make hadoop`.
Prints for each stage its time, pages and peak memory of a task, and where the time of each job of
it went, by the history server: until its first container, its maps, the shuffle, its reduces.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT))

from layercrawl import stores  # noqa: E402
from layercrawl.stores import Marker, Stores  # noqa: E402
from tests.hadoop import cluster  # noqa: E402
from tests.hadoop.cluster import Cluster  # noqa: E402
from tests.web import Web, loopback, serve  # noqa: E402

_HISTORY = "http://127.0.0.1:19888/ws/v1/history/mapreduce/jobs"
_LEVELS = 4


class Pythons(threading.Thread):
    """Watches how much memory a Python of a task has at most, in MB."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0.0
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.5):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                with suppress(OSError, IndexError, ValueError):
                    if b"--step-num=" in path.read_bytes():
                        status = (path.parent / "status").read_text()
                        self.most = max(self.most, int(status.split("VmHWM:")[1].split()[0]) / 1024)


def jobs(since: float) -> list[dict[str, Any]]:
    """The history server's jobs, the newest last, each with its name and times in seconds."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(_HISTORY, timeout=60) as answer:
        listed = json.load(answer)["jobs"]["job"]
    found = []
    for job in listed:
        if job["submitTime"] >= 1000 * since:
            with opener.open(f"{_HISTORY}/{job['id']}", timeout=60) as answer:
                found.append(json.load(answer)["job"])
    return sorted(found, key=lambda job: int(job["submitTime"]))


def stage_rows(crawl: Stores) -> list[tuple[str, Marker]]:
    """The stages' folders, with their markers."""
    folders = [crawl.layer(s, n) for s in ("in", "doc", "out") for n in crawl.layers(s)]
    folders += [folder for folder in (crawl.merged, crawl.xml) if stores.complete(folder)]
    return [(crawl.name(folder), stores.marker(folder)) for folder in folders]


def show(crawl: Stores, since: float, wall: float, most: float) -> None:
    """The tables."""
    print(f"\n{'stage':<16}{'seconds':>9}{'pages':>9}{'pages/s':>9}{'MB, JVM and Python':>20}")
    for name, marker in stage_rows(crawl):
        seconds, memory = marker.cost.get("wall", 0.0), marker.cost.get("rss_mb", 0.0)
        pages = marker.totals.get("outcomes: ok", 0)
        pace = f"{pages / seconds:.1f}" if pages and seconds else ""
        print(f"{name:<16}{seconds:>9.1f}{pages or '':>9}{pace:>9}{memory:>20.0f}")
    print(f"\n{'job':<18}{'to start':>9}{'map':>7}{'shuffle':>9}{'reduce':>8}{'all, s':>8}  tasks")
    for job in jobs(since):
        waits, lasts = job["startTime"] - job["submitTime"], job["finishTime"] - job["submitTime"]
        parts = [job.get(f"avg{part}Time", 0) for part in ("Map", "Shuffle", "Reduce")]
        times = "".join(f"{ms / 1000:>{w}.1f}" for ms, w in zip(parts, (7, 9, 8), strict=True))
        tasks = f"{job['mapsTotal']} + {job['reducesTotal']}"
        name = job["name"].split()[1]
        print(f"{name:<18}{waits / 1000:>9.1f}{times}{lasts / 1000:>8.1f}  {tasks}")
    print(f"\n{wall:.0f} s in all; the largest Python of a task had {most:.0f} MB")


def main() -> int:
    """Crawl, and print what it cost."""
    if why := cluster.waits():
        print(f"no cluster ({why}): `make hadoop` starts one", file=sys.stderr)
        return 2
    hosts, pages = (int(word) for word in (sys.argv[1:] + ["500", "100"][len(sys.argv) - 1 :])[:2])
    web = Web(port=0, hosts=loopback(hosts), degree=max(1, pages // 10), depth=_LEVELS)
    made = Cluster(PROJECT / ".hadoop")
    os.environ.update(made.environment)
    root, since, watcher = f"hdfs:///soak-{uuid.uuid4().hex}", time.time(), Pythons()
    watcher.start()
    with serve(web) as served:
        start = time.monotonic()
        code = subprocess.run(
            [sys.executable, "driver.py", f"--depth={_LEVELS + 1}", "--delay=0", "--scope=any",
             "--allow-private", "--max-bytes=2000000", f"--root={root}", *served.seeds],
            cwd=PROJECT, check=False,
        ).returncode  # fmt: skip
        wall = time.monotonic() - start
    watcher.over.set()
    show(Stores(root), since, wall, watcher.most)
    return code


if __name__ == "__main__":
    sys.exit(main())
