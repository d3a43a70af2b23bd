"""One Hadoop for all tests here, started when the first of them runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hadoop import cluster, standin
from tests.hadoop.cluster import Cluster

OURS = Path(__file__).parents[2] / ".hadoop"


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A running cluster: the one that this machine has, else one for the session.

    There can be but one, since its ports are fixed; so each test takes folders of its own. Where
    java or mvn is missing the test is skipped, but not in CI.
    """
    if why := cluster.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no Hadoop here: {why}")
    if not cluster.waits():
        running = Cluster(OURS)
        running.install()
        yield running
        return
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made = Cluster(base / "hadoop", OURS / "jars")
    with made.shared():
        yield made


@pytest.fixture(scope="module")
def hadoop(shared: Cluster) -> Iterator[Cluster]:
    """The cluster, for one module at a time: some kill what runs there, or fill it up."""
    with shared.turn():
        yield shared


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stand-in's commands, set as this machine's Hadoop."""
    standin.install(tmp_path / "home", tmp_path / "hdfs")
    (tmp_path / "hdfs").mkdir()
    monkeypatch.setenv("HADOOP_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    return tmp_path / "home"
