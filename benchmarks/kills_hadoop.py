"""Kill what runs on Hadoop while a layer is fetched: `kills_hadoop.py 5 [VICTIM …]`.

Each kind of victim is killed so many times, on the cluster of `make hadoop` where it is up, or on
one for the moment; a line says what came of it:
in how many runs the layer was fetched, whether it is as it is without a kill, and how often a host
had two requests at a time. The exit code is 1 when any is wrong. See tests/hadoop/killing.py.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT))

from layercrawl.hdfs import sites  # noqa: E402
from layercrawl.hdfs.webhdfs import WebHdfs  # noqa: E402
from tests.hadoop import cluster  # noqa: E402
from tests.hadoop.cluster import Cluster  # noqa: E402
from tests.hadoop.killing import VICTIMS, Layer  # noqa: E402
from tests.web import Web, loopback, serve  # noqa: E402


def main() -> int:
    """Kill, and print the table."""
    if why := cluster.missing():
        print(f"left out, no Hadoop here: {why}")
        return 0
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        made = Cluster(PROJECT / ".hadoop")
        if not made.process("namenode"):
            made = Cluster(base / "hadoop", made.jars)
        web = Web(port=0, hosts=loopback(2))
        running = nullcontext() if made.process("namenode") else made.shared()
        with running, serve(web, log=base / "log") as served:
            os.environ.update(made.environment)
            client = WebHdfs(sites.namenodes("", sites.settings()))
            layer = Layer(served, base)
            print(f"{'runs':>4}  {'same':>4}  {'overlaps':>8}  {'seconds':>7}  killed")
            for victim in [victim for victim in sys.argv[2:] or VICTIMS for _ in range(times)]:
                fate = layer.disturbed(made, client, base / "log", victim)
                bad += not fate.good
                same = "yes" if fate.same else "NO"
                row = f"{fate.runs:>4}  {same:>4}  {fate.overlaps:>8}  {fate.seconds:>7.1f}"
                print(f"{row}  {victim}", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
