"""The same crawl on the real Hadoop as inline: the same stores, record for record.

Before it comes to its end it meets trouble, says so, and goes on from there.
"""

from __future__ import annotations

import re
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from layercrawl.hdfs import sites
from layercrawl.hdfs.webhdfs import WebHdfs
from tests import crawling
from tests.hadoop.cluster import Cluster
from tests.hadoop.killing import copied
from tests.web import Web, loopback, serve

WEB = Web(port=0, hosts=loopback(4))
WORDS = ("--depth", "0", "--contact", "a@example.org", "--near-duplicates", "off")
"""Near-duplicates are four jobs more of the merge's kind, which take a minute or two."""
CLUSTER = (
    "-D", "mapreduce.job.reduces=3", "-D", "mapreduce.input.fileinputformat.split.maxsize=1500",
)  # fmt: skip
"""Several reducers, files and splits: with one of each, equal stores would prove nothing."""
IMPATIENT = (
    "-D", "yarn.resourcemanager.connect.max-wait.ms=1000",
    "-D", "mapreduce.map.maxattempts=1", "-D", "mapreduce.reduce.maxattempts=1",
    "-D", "dfs.blocksize=268435456",
)  # fmt: skip


@contextmanager
def full(cluster: Cluster, root: str) -> Iterator[None]:
    """The root has room for one block of what the driver writes, and none for a job's."""
    cluster.command("dfsadmin", "-setSpaceQuota", "200m", root)
    yield
    cluster.command("dfsadmin", "-clrSpaceQuota", root)


@contextmanager
def headless(cluster: Cluster, root: str) -> Iterator[None]:
    """The ResourceManager is gone."""
    cluster.end("resourcemanager", signal.SIGKILL)
    yield
    cluster.launch("resourcemanager")
    cluster.wait()


TROUBLES: dict[str, Callable[[Cluster, str], AbstractContextManager[None]]] = {
    r"HDFS is full, or a quota of it is used up: make room, .*DSQuotaExceeded": full,
    r"YARN's ResourceManager does not answer: .*run the same command again": headless,
}


class Crawls(NamedTuple):
    """The roots of finished crawls; and how runs ended that met trouble: code, what was said."""

    inline: Path
    hadoop: Path
    ends: dict[str, tuple[int, str]]


@pytest.fixture(scope="module")
def crawls(hadoop: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    """Crawls of one web, inline and on Hadoop, the latter copied into a folder."""
    base, root = tmp_path_factory.mktemp("roots"), f"/same-{uuid.uuid4().hex}"
    with pytest.MonkeyPatch.context() as patch, serve(WEB) as web:
        for name in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_DATA"):
            patch.setenv(name, hadoop.environment[name])
        client = WebHdfs(sites.namenodes("", sites.settings()))
        port, pages = web.port, range(3)
        seeds = [f"http://{host}:{port}/plain/1/{n}" for host in web.hosts for n in pages]
        code, said = crawling.crawl(base / "inline", *WORDS, "--runner", "inline", *seeds)
        assert code == 0, said
        client.write(f"{root}/in/seeds/mine.txt", "".join(f"{x}\n" for x in seeds).encode())
        ends = {}
        for told, trouble in TROUBLES.items() if hadoop.process("namenode") else ():
            with trouble(hadoop, root):
                run = crawling.Run(f"hdfs://{root}", *WORDS, *IMPATIENT)
                ends[told] = run.wait(), run.said
        run = crawling.Run(f"hdfs://{root}", *WORDS, *CLUSTER)
        assert run.wait() == 0, run.said
        copied(client, root, base / "hadoop")
    return Crawls(base / "inline", base / "hadoop", ends)


@pytest.mark.slow
@pytest.mark.parametrize("told", TROUBLES)
def test_trouble_is_told_and_what_helps(crawls: Crawls, told: str) -> None:
    if told not in crawls.ends:
        pytest.skip("the cluster here is another's, which is not to be disturbed")
    code, said = crawls.ends[told]
    assert code == 1
    assert re.search(told, said), said


@pytest.mark.slow
def test_the_stores_are_the_same(crawls: Crawls) -> None:
    inline, hadoop = crawling.stores(crawls.inline), crawling.stores(crawls.hadoop)
    assert inline.keys() == hadoop.keys()
    for folder in inline:
        assert hadoop[folder] == inline[folder], folder


@pytest.mark.slow
def test_there_were_several_reducers_and_files(crawls: Crawls) -> None:
    for store in ("doc/layer-000", "out/layer-000", "doc/merged", "xml"):
        parts = sorted((crawls.hadoop / store).glob("part-*"))
        assert sum(1 for part in parts if part.stat().st_size) >= 2, store
