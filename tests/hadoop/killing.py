"""Kills while a layer is fetched on the real Hadoop, and what comes of them.

A root is made whose first layer is planned; the driver fetches it on the cluster, somebody is
killed meanwhile, and the driver is started again as often as it ends early. When the layer is done
the driver is interrupted: what comes after fetching is other tests' matter.
"""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from layercrawl.hdfs.webhdfs import WebHdfs
from tests import crawling
from tests.hadoop.cluster import DAEMONS, Cluster
from tests.web import Web

LAYER = "doc/layer-000"
WORDS = ("--depth", "0", "--delay", "1", "-D", "mapreduce.job.ubertask.enable=false")
_EARLY = 3
"""Requests after which somebody is killed."""
_LATE = -0.05
_RUNS = 4


class Fate(NamedTuple):
    """What came of a kill: the runs it took, whether the layer is as it is without one."""

    victim: str
    runs: int
    same: bool
    overlaps: int
    seconds: float

    @property
    def good(self) -> bool:
        return self.same and not self.overlaps


def copied(client: WebHdfs, path: str, target: Path) -> None:
    """Copy a folder of HDFS to this machine, its packed files unpacked."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in client.entries(path):
        if entry.folder:
            copied(client, f"{path}/{entry.name}", target / entry.name)
            continue
        with client.open(f"{path}/{entry.name}") as file:
            data = file.read()
        packed = entry.name.endswith(".gz")
        (target / entry.name).write_bytes(gzip.decompress(data) if packed else data)


def put(client: WebHdfs, source: Path, path: str) -> None:
    """Copy a folder of this machine to HDFS."""
    for file in source.rglob("*"):
        if file.is_file():
            client.write(f"{path}/{file.relative_to(source).as_posix()}", file.read_bytes())


class Layer:
    """A planned layer, and how it is when nobody disturbs its fetching."""

    def __init__(self, web: Web, folder: Path) -> None:
        port = web.port
        plain = [f"http://{host}:{port}/plain/1/{n}" for host in web.hosts for n in range(5)]
        self.plan = folder / "plan"
        words = ("--depth", "0", "--runner", "inline")
        code, said = crawling.crawl(self.plan, *words, *plain)
        assert code == 0, said
        self.right = crawling.stores(self.plan)[LAYER]
        for name in os.listdir(self.plan):
            if name != "in":
                path = self.plan / name
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for later in (self.plan / "in").glob("layer-*"):
            if later.name != "layer-000":
                shutil.rmtree(later)

    def disturbed(self, cluster: Cluster, client: WebHdfs, log: Path, victim: str) -> Fate:
        """Fetch it while the victim is killed."""
        start, name = time.monotonic(), f"{victim.replace(' ', '-')}@{time.monotonic_ns()}"
        root = f"/kills-{uuid.uuid4().hex}"
        put(client, self.plan, root)
        asked = lambda: crawling.requests(log, name)  # noqa: E731
        run = self._run(cluster, root, name)
        crawling.until(lambda: len(asked()) >= _EARLY, 300)
        VICTIMS[victim](cluster, run)
        runs = 1
        while not self._fetched(client, root, run) and runs < _RUNS:
            run, runs = self._run(cluster, root, name), runs + 1
        run.send_signal(signal.SIGINT)
        run.wait()
        with tempfile.TemporaryDirectory() as folder:
            copied(client, f"{root}/{LAYER}", Path(folder) / LAYER)
            found = crawling.stores(Path(folder)).get(LAYER, [])
        overlaps = sum(gap < _LATE for gap in crawling.gaps(asked()))
        return Fate(victim, runs, found == self.right, overlaps, time.monotonic() - start)

    def _run(self, cluster: Cluster, root: str, name: str) -> crawling.Run:
        for variable in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_DATA"):
            os.environ[variable] = cluster.environment[variable]
        return crawling.Run(f"hdfs://{root}", *WORDS, "--contact", name)

    def _fetched(self, client: WebHdfs, root: str, run: crawling.Run) -> bool:
        """Wait until the layer is there, or the run is over; whether it is there."""
        while run.poll() is None:
            with suppress(OSError):
                if client.entry(f"{root}/{LAYER}"):
                    return True
            time.sleep(0.2)
        return client.entry(f"{root}/{LAYER}") is not None


# Who is killed


def reducers(cluster: Cluster) -> Iterator[int]:
    """The cluster's processes that fetch."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_bytes().split(b"\0")
            ours = path.with_name("cwd").readlink().is_relative_to(cluster.folder / "data")
            if ours and b"crawler_driver.py" in words and b"--reducer" in words:
                yield int(path.parent.name)


def _python(cluster: Cluster, run: crawling.Run) -> None:
    for process in reducers(cluster):
        os.kill(process, signal.SIGKILL)


def _jvm(cluster: Cluster, run: crawling.Run) -> None:
    for process in reducers(cluster):
        stat = Path(f"/proc/{process}/stat").read_text()
        os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)


def _driver(cluster: Cluster, run: crawling.Run) -> None:
    run.kill()
    run.wait()


def _daemons(*names: str) -> Callable[[Cluster, crawling.Run], None]:
    def kill(cluster: Cluster, run: crawling.Run) -> None:
        for name in names:
            cluster.end(name, signal.SIGKILL)
        time.sleep(3)
        for name in names:
            cluster.launch(name)
        cluster.wait()

    return kill


VICTIMS: dict[str, Callable[[Cluster, crawling.Run], None]] = {
    "task's JVM": _jvm,
    "task's Python": _python,
    "driver": _driver,
    "NodeManager": _daemons("nodemanager"),
    "NameNode": _daemons("namenode"),
    "whole cluster": _daemons(*DAEMONS),
}
