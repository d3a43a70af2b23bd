"""The same crawl on the real Hadoop as inline: the same stores, record for record."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from layercrawl.hdfs import sites
from layercrawl.hdfs.webhdfs import WebHdfs
from tests import crawling
from tests.hadoop.cluster import Cluster
from tests.hadoop.killing import copied
from tests.web import Web, loopback, serve

WEB = Web(port=0, hosts=loopback(4))
WORDS = ("--depth", "0", "--contact", "a@example.org")
CLUSTER = ("-D", "mapreduce.job.reduces=3")
"""Several reducers and files: with one of each, equal stores would prove nothing."""


@pytest.fixture(scope="module")
def roots(hadoop: Cluster, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Finished crawls of one web, inline and on Hadoop, the latter copied into a folder."""
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
        run = crawling.Run(f"hdfs://{root}", *WORDS, *CLUSTER)
        assert run.wait() == 0, run.said
        copied(client, root, base / "hadoop")
    return {"inline": base / "inline", "hadoop": base / "hadoop"}


@pytest.mark.slow
def test_the_stores_are_the_same(roots: dict[str, Path]) -> None:
    inline, hadoop = (crawling.stores(roots[name]) for name in ("inline", "hadoop"))
    assert inline.keys() == hadoop.keys()
    for folder in inline:
        assert hadoop[folder] == inline[folder], folder


@pytest.mark.slow
def test_there_were_several_reducers_and_files(roots: dict[str, Path]) -> None:
    for store in ("doc/layer-000", "out/layer-000", "doc/merged", "xml"):
        parts = sorted((roots["hadoop"] / store).glob("part-*"))
        assert len(parts) == 3, store
        assert sum(1 for part in parts if part.stat().st_size) >= 2, store
