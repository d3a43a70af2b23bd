"""A Hadoop of one machine, on loopback: `python tests/hadoop/cluster.py start|stop DIR`.

HDFS and YARN with one node and a history server, from the jars that docker/hadoop/pom.xml names.
All of it lies below DIR; what is up already stays up.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

SOURCE = Path(__file__).parents[2] / "docker" / "hadoop"
DAEMONS = ("namenode", "datanode", "resourcemanager", "nodemanager", "historyserver")
_STOPS = ("nodemanager", "resourcemanager", "historyserver", "datanode", "namenode")
"""In this order: a NodeManager without its ResourceManager is slow to leave."""
_BEAN = "http://127.0.0.1:9870/jmx?qry=Hadoop:service=NameNode,name="
_NEEDS = ("java", "mvn")


def missing() -> str:
    """Why there can be no cluster here; empty: there can."""
    lacking = [name for name in _NEEDS if shutil.which(name) is None]
    return f"no {' and no '.join(lacking)} on PATH" if lacking else ""


def waits() -> str:
    """What this machine's cluster waits for; empty: nothing, it is up."""
    if not _asked(_BEAN + "FSNamesystemState").get("NumLiveDataNodes"):
        return "no DataNode"
    if _asked(_BEAN + "NameNodeInfo").get("Safemode") != "":
        return "HDFS is in safe mode"
    if not _asked("http://127.0.0.1:8088/ws/v1/cluster/metrics").get("activeNodes"):
        return "no NodeManager"
    history = _asked("http://127.0.0.1:19888/ws/v1/history/info")
    return "" if history.get("hadoopVersion") else "no history server"


class Cluster:
    """The cluster below a folder; `jars` is the folder of Hadoop's, made when it is not there."""

    def __init__(self, folder: Path, jars: Path | None = None) -> None:
        self.folder = folder.resolve()
        self.jars = (jars or folder / "jars").resolve()
        self.home = self.folder / "home"

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs to know of it, and its own daemons."""
        mine = {k: v for k, v in os.environ.items() if not k.startswith(("HADOOP_", "YARN_"))}
        return {
            **mine,
            "HADOOP_HOME": str(self.home),
            "HADOOP_DATA": str(self.folder / "data"),
            "HADOOP_CONF_DIR": str(self.home / "conf"),
            # The tasks' python3 is this one, but without its packages.
            "PATH": f"{sys.base_prefix}/bin:{os.environ['PATH']}",
        }

    def command(self, *words: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
        """Run `hadoop` with these words; what it says lies in the result."""
        return subprocess.run(
            [str(self.home / "bin" / "hadoop"), *words],
            env=self.environment, capture_output=True, check=False, **how,
        )  # fmt: skip

    def start(self, patience: float = 180.0) -> None:
        """Start what is not up, and wait until all of it answers."""
        self.install()
        if not (self.folder / "data" / "name" / "current" / "VERSION").exists():
            formatted = self.command("namenode", "-format", "-nonInteractive")
            assert formatted.returncode == 0, formatted.stderr.decode()
        for name in DAEMONS:
            self.launch(name)
        self.wait(patience)

    def launch(self, name: str) -> None:
        """Start one daemon, if it is not up."""
        if self.process(name):
            return
        with (self.folder / "logs" / f"{name}.log").open("ab") as log:
            started = subprocess.Popen(
                [str(self.home / "bin" / "hadoop"), name],
                env={**self.environment, "HADOOP_HEAPSIZE_MAX": "512m"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        (self.folder / "pids" / name).write_text(str(started.pid))

    def process(self, name: str) -> int:
        """The process of a daemon; 0 where it does not run."""
        with suppress(OSError, ValueError):
            number = int((self.folder / "pids" / name).read_text())
            words = Path(f"/proc/{number}/cmdline").read_bytes()
            state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
            if not words and state != "Z":  # just now the shell becomes the JVM
                return number
            if f"-Dproc_{name}\0".encode() in words or f"/hadoop\0{name}\0".encode() in words:
                return number
        return 0

    def wait(self, patience: float = 180.0) -> None:
        """Wait until all daemons are ready; AssertionError when they are not in time."""
        end = time.monotonic() + patience
        while why := waits():
            dead = [name for name in DAEMONS if not self.process(name)]
            assert not dead, f"{', '.join(dead)} ended: see {self.folder}/logs"
            assert time.monotonic() < end, f"{why}: see {self.folder}/logs"
            time.sleep(0.2)

    def stop(self) -> None:
        """Stop all daemons, by their process ids."""
        for name in _STOPS:
            self.end(name, signal.SIGTERM)

    def end(self, name: str, number: int) -> None:
        """Send a daemon a signal and see that it goes."""
        pid, end = self.process(name), time.monotonic() + 10
        while pid and self.process(name):
            os.kill(pid, number)
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
            number = number if time.monotonic() < end else signal.SIGKILL
            time.sleep(0.1)
        (self.folder / "pids" / name).unlink(missing_ok=True)

    def install(self) -> None:
        """Lay out the commands, settings and jars, which come from Maven the first time."""
        if not (self.jars / "complete").exists():
            subprocess.run(
                ["mvn", "-B", "-q", "-f", str(SOURCE / "pom.xml"), "dependency:copy-dependencies",
                 "-DincludeScope=runtime", f"-DoutputDirectory={self.jars}"],
                check=True,
            )  # fmt: skip
            (self.jars / "complete").touch()
        for folder in ("home/bin", "home/pages/webapps/hdfs", "home/pages/webapps/datanode"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        for folder in ("logs", "pids", "data"):
            (self.folder / folder).mkdir(exist_ok=True)
        _link(self.home / "lib", self.jars)
        _link(self.home / "conf", SOURCE / "conf")
        for name in ("hadoop", "hdfs", "yarn", "mapred"):
            _link(self.home / "bin" / name, SOURCE / "hadoop")

    @contextmanager
    def shared(self) -> Iterator[None]:
        """The cluster for several processes: the first starts it, the last one stops it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with _opened(self.folder / "users") as users, _opened(self.folder / "change") as change:
            with _locked(change):
                fcntl.flock(users, fcntl.LOCK_SH)
                self.start()
            try:
                yield
            finally:
                with _locked(change), suppress(BlockingIOError):
                    fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody else uses it
                    self.stop()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The cluster for one process alone, of several that share it."""
        with _opened(self.folder / "turn") as turn, _locked(turn):
            yield


def _opened(path: Path) -> TextIO:
    return path.open("a")


@contextmanager
def _locked(file: TextIO) -> Iterator[None]:
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def _link(path: Path, target: Path) -> None:
    if not path.is_symlink():
        path.symlink_to(target)


def _asked(url: str) -> dict[str, Any]:
    """The innermost object of a JSON answer; empty while there is none."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as answer:
            found: Any = json.load(answer)
    except (OSError, ValueError):
        return {}
    while len(found) == 1:
        found = found[0] if isinstance(found, list) else next(iter(found.values()))
    return dict(found)


def main() -> None:
    """Start or stop a cluster by hand; tells what a shell needs to use it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["start", "stop"])
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    cluster = Cluster(chosen.folder)
    if chosen.what == "stop":
        cluster.stop()
        return
    cluster.start()
    for name in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_DATA"):
        print(f"export {name}={cluster.environment[name]}")


if __name__ == "__main__":
    main()
