"""How a crawl's jobs go to a Hadoop cluster: where their code lies, and with which options."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass

from layercrawl import clock
from layercrawl.config import Config
from layercrawl.hdfs import HdfsPath
from layercrawl.job import yarn
from layercrawl.job.shipment import Shipment
from layercrawl.stores import Marker, Stores, rename

_CODE = "code"
_SPLIT = 32 << 20
"""Bytes, packed, that are worth a task of their own."""
_CONF = {
    "mapreduce.job.ubertask.enable": "true",  # small jobs run in one container,
    "mapreduce.job.ubertask.maxbytes": str(_SPLIT),  # which does one task after the other
    "mapreduce.job.maps": "1",  # or small inputs are cut in two
    "mapreduce.map.speculative": "false",  # a polite fetch is slow, and must not happen twice
    "mapreduce.reduce.speculative": "false",
    "mapreduce.job.reduce.slowstart.completedmaps": "1.0",
    # By default a client waits for an absent ResourceManager for a quarter of an hour. These are 8
    # attempts, each of 10 connections a second apart and of 10 seconds' rest: enough for a restart.
    "yarn.resourcemanager.connect.max-wait.ms": "80000",
    "yarn.resourcemanager.connect.retry-interval.ms": "10000",
    "stream.map.input.ignoreKey": "true",  # it is where a line begins
    "mapreduce.input.fileinputformat.split.maxsize": str(_SPLIT),
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",  # markers say it
    "mapreduce.map.output.compress": "true",
    "mapreduce.output.fileoutputformat.compress": "true",
    "mapreduce.output.fileoutputformat.compress.codec": "org.apache.hadoop.io.compress.GzipCodec",
}
_WORTH = {"crawler": 1000}
"""How many records are worth a reducer of their own: fetching is slow."""
_OTHERS = 50_000
_COUNTERS = ("urls: taken", "asked: records", "links: followed")


@dataclass(frozen=True)
class Cluster:
    """The words that make a job run there; `tag` marks the applications of this root."""

    settings: Config
    code: str
    temporary: HdfsPath
    tag: str

    def tidy(self) -> None:
        """Remove what went between the steps of a job that is over."""
        self.temporary.client.discard(self.temporary.path)

    def words(self, title: str, stage: str, inputs: Iterable[Marker]) -> list[str]:
        """The options of one job; how many reducers it has follows from its inputs' markers."""
        records = sum(marker.totals.get(name, 0) for marker in inputs for name in _COUNTERS)
        conf = {
            **_CONF,
            "mapreduce.job.name": f"layercrawl {title}",
            "mapreduce.job.tags": self.tag,
            "mapreduce.job.reduces": str(1 + records // _WORTH.get(stage, _OTHERS)),
        }
        if self.settings.queue:
            conf["mapreduce.job.queuename"] = self.settings.queue
        given = dict(word.split("=", 1) for word in self.settings.define)
        words = [f"-D{name}={value}" for name, value in (conf | given).items()]
        words += [f"--conf-path={path}" for path in [self.settings.mrjob_conf] if path]
        if fixed := os.environ.get(clock.VARIABLE):
            words.append(f"--cmdenv={clock.VARIABLE}={fixed}")
        words += ["--cmdenv=PYTHONPATH=code", "--cmdenv=PYTHONUTF8=1", "--no-bootstrap-mrjob"]
        words += [f"--python-bin={self.settings.python_bin or 'python3'}", "--cleanup=LOCAL_TMP"]
        return [*words, f"--archives={self.code}#{_CODE}", f"--hadoop-tmp-dir={self.temporary}"]


def prepared(settings: Config, crawl: Stores) -> Cluster:
    """Put the code on HDFS, unless it is there, and say how jobs are sent."""
    shipment = Shipment(packages=not settings.python_bin)
    code = crawl.root / "_code" / shipment.name
    if not code.exists():
        partial = crawl.scratch() / shipment.name
        partial.write_bytes(shipment.packed())
        (crawl.root / "_code").mkdir(parents=True, exist_ok=True)
        rename(partial, code)
    temporary = crawl.scratch()  # while it is there, the run is not over: see Stores.disturbed
    assert isinstance(temporary, HdfsPath)  # start.check saw to it
    return Cluster(settings, str(code), temporary, tag(crawl))


def end_orphans(crawl: Stores) -> None:
    """Stop the jobs that a killed driver left running on the cluster."""
    if isinstance(crawl.root, HdfsPath) and crawl.disturbed():
        yarn.end(yarn.running(tag(crawl)))


def tag(crawl: Stores) -> str:
    """What the applications of this root are marked with."""
    return f"layercrawl-{hashlib.sha256(str(crawl.root).encode()).hexdigest()[:16]}"
