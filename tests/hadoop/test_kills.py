"""Kills on the real Hadoop: the layer is fetched all the same, and no host by two at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from layercrawl.hdfs import sites
from layercrawl.hdfs.webhdfs import WebHdfs
from tests.hadoop.cluster import Cluster
from tests.hadoop.killing import Layer
from tests.web import Web, loopback, serve

pytestmark = pytest.mark.slow


class Place(NamedTuple):
    layer: Layer
    client: WebHdfs
    log: Path


@pytest.fixture(scope="module")
def place(hadoop: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    base = tmp_path_factory.mktemp("kills")
    with (
        pytest.MonkeyPatch.context() as patch,
        serve(Web(port=0, hosts=loopback(2)), log=base / "log") as web,
    ):
        for name in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_DATA"):
            patch.setenv(name, hadoop.environment[name])
        yield Place(Layer(web, base), WebHdfs(sites.namenodes("", sites.settings())), base / "log")


@pytest.mark.parametrize("victim", ["task's JVM", "task's Python", "driver"])
def test_a_kill_is_survived(hadoop: Cluster, place: Place, victim: str) -> None:
    if not hadoop.process("namenode"):
        pytest.skip("the cluster here is another's, whose tasks are not ours to kill")
    fate = place.layer.disturbed(hadoop, place.client, place.log, victim)
    assert fate.good, fate
