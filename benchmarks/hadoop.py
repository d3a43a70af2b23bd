"""What a crawl costs on Hadoop beside bare jobs: `python benchmarks/hadoop.py [DEPTH]`.

Crawls the demo web on the cluster of `make hadoop`. After each of the crawl's jobs a bare twin of
it runs: Hadoop Streaming with /bin/cat, over the same inputs and with the same settings. So both
meet the same machine. Prints seconds a job, and for the whole crawl.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT))

from tests.hadoop.cluster import Cluster  # noqa: E402
from tests.web import Web, serve  # noqa: E402

_DROPPED = ("-archives", "-files", "-cmdenv")
"""Options of a job that its twin has no use for."""


def bare(words: list[str], number: int) -> list[str]:
    """The words of `hadoop` for a job's twin."""
    made, left = [], iter(words)
    for word in left:
        if word in _DROPPED:
            next(left)
        elif word in ("-mapper", "-reducer"):
            next(left)
            made += [word, "/bin/cat"]
        elif word == "-output":
            next(left)
            made += [word, f"/bare/{number}"]
        else:
            made.append(word)
    return made


def command(real: str, log: str, words: list[str]) -> int:
    """`hadoop` as the crawl calls it: a job, and then its twin; both times go to `log`."""
    start = time.monotonic()
    code = subprocess.run([real, *words], check=False).returncode
    middle = time.monotonic()
    if words[0] != "jar":
        return code
    number = len(Path(log).read_text().splitlines()) if Path(log).exists() else 0
    twin = subprocess.run([real, *bare(words, number)], capture_output=True, check=False)
    end = time.monotonic()
    name = next(word for word in words if word.startswith("mapreduce.job.name="))
    row = [name.split()[1], middle - start, end - middle, twin.returncode]
    with open(log, "a") as out:
        out.write(json.dumps(row) + "\n")
    return code


def install(home: Path, cluster: Cluster) -> Path:
    """A HADOOP_HOME whose `hadoop` is `command`; the file that it writes to."""
    (home / "bin").mkdir()
    (home / "lib").symlink_to(cluster.home / "lib")
    (home / "bin" / "yarn").symlink_to(cluster.home / "bin" / "yarn")
    log, real, path = home / "log", cluster.home / "bin" / "hadoop", home / "bin" / "hadoop"
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(PROJECT)!r})\n"
        "from benchmarks import hadoop\n"
        f"sys.exit(hadoop.command({str(real)!r}, {str(log)!r}, sys.argv[1:]))\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return log


def main() -> int:
    """Measure one crawl."""
    depth = sys.argv[1] if len(sys.argv) > 1 else "3"
    cluster = Cluster(PROJECT / ".hadoop")
    if not cluster.process("namenode"):
        print("no cluster: `make hadoop` starts one", file=sys.stderr)
        return 2
    cluster.command("fs", "-rm", "-r", "-f", "-skipTrash", "/bare", "/measured")
    with tempfile.TemporaryDirectory() as folder, serve(Web(port=0)) as web:
        log = install(Path(folder), cluster)
        start = time.monotonic()
        environment = {**os.environ, **cluster.environment, "HADOOP_HOME": folder}
        subprocess.run(
            [sys.executable, "driver.py", "--depth", depth, "--delay=0", "--scope=any",
             "--allow-private", "--max-bytes=2000000", "--root=hdfs:///measured", *web.seeds],
            cwd=PROJECT, env=environment, check=True,
        )  # fmt: skip
        wall = time.monotonic() - start
        rows = [json.loads(line) for line in log.read_text().splitlines()]
    show(rows, wall)
    return int(any(row[3] for row in rows))


def show(rows: list[tuple[str, float, float, int]], wall: float) -> None:
    """The table: a line for each job class, then the whole."""
    print(f"{'job':<18}{'jobs':>6}{'ours, s':>10}{'bare, s':>10}{'ratio':>7}")
    for name in dict.fromkeys(row[0] for row in rows):
        mine = [row for row in rows if row[0] == name]
        ours, twins = (sum(row[i] for row in mine) for i in (1, 2))
        print(f"{name:<18}{len(mine):>6}{ours:>10.1f}{twins:>10.1f}{ours / twins:>7.2f}")
    twins = sum(row[2] for row in rows)
    ours = wall - twins
    print(f"{'the whole crawl':<18}{len(rows):>6}{ours:>10.1f}{twins:>10.1f}{ours / twins:>7.2f}")


if __name__ == "__main__":
    sys.exit(main())
