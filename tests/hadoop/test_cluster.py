"""The cluster that the other tests here use: it runs, and its jobs do."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from tests.hadoop import cluster
from tests.hadoop.cluster import DAEMONS, Cluster


@pytest.mark.slow
def test_a_streaming_job_runs(hadoop: Cluster) -> None:
    assert not cluster.waits()
    folder = f"/cat-{uuid.uuid4().hex}"
    hadoop.command("fs", "-mkdir", "-p", f"{folder}/in")
    hadoop.command("fs", "-put", "-", f"{folder}/in/part-00000", input=b"b\na\n")
    (jar,) = hadoop.jars.glob("hadoop-streaming-*.jar")
    ran = hadoop.command(
        "jar", str(jar), "-D", "mapreduce.job.ubertask.enable=true",
        "-input", f"{folder}/in", "-output", f"{folder}/out",
        "-mapper", "/bin/cat", "-reducer", "/bin/cat",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    assert hadoop.command("fs", "-cat", f"{folder}/out/part-*").stdout == b"a\t\nb\t\n"


@pytest.mark.slow
def test_a_second_start_leaves_it_alone(hadoop: Cluster) -> None:
    before = list(map(hadoop.process, DAEMONS))
    if not all(before):
        pytest.skip("it is another's")
    hadoop.start()
    assert list(map(hadoop.process, DAEMONS)) == before


@pytest.mark.slow
def test_a_command_that_is_not_there(hadoop: Cluster) -> None:
    ran = hadoop.command("fly")
    assert (ran.returncode, ran.stderr) == (2, b"hadoop: no command fly here\n")


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cluster.missing() == "no java and no mvn on PATH"
