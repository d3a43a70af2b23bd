"""HDFS by both ways to it, on the stand-in and on the real one: each does the same."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from layercrawl import hdfs, stores
from layercrawl.hdfs import HdfsPath, lease, shell, sites, webhdfs
from layercrawl.hdfs.client import Client
from layercrawl.hdfs.shell import Shell
from layercrawl.hdfs.webhdfs import WebHdfs
from layercrawl.stores import BadRoot, Busy, Marker, Stores
from tests.hadoop import standin
from tests.hadoop.cluster import Cluster
from tests.hadoop.standin import Server

ROOT = f"/crawl-{uuid.uuid4().hex}"
MARKER = Marker("Job", {"depth": 1}, {}, "2026-11-30T12:00:00Z", {"urls: taken": 1})


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "web").mkdir()
    with standin.serve(tmp_path / "web") as made:
        yield made


REAL = [pytest.param(name, marks=pytest.mark.slow) for name in ("web", "shell")]


@pytest.fixture(params=["web on the stand-in", "shell on the stand-in", *REAL])
def client(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Client:
    if request.param == "web on the stand-in":
        return WebHdfs([request.getfixturevalue("server").address])
    if request.param == "shell on the stand-in":
        request.getfixturevalue("home")
        return Shell("", ROOT)
    hadoop: Cluster = request.getfixturevalue("hadoop")
    for name in ("HADOOP_HOME", "HADOOP_CONF_DIR"):
        monkeypatch.setenv(name, hadoop.environment[name])
    web = WebHdfs(sites.namenodes("", sites.settings()))
    web.remove(ROOT)
    return web if request.param == "web" else Shell("", ROOT)


def crawl(client: Client, monkeypatch: pytest.MonkeyPatch) -> Stores:
    """Stores at ROOT, reached by this client."""
    root = HdfsPath(client, "", ROOT)
    monkeypatch.setattr(hdfs, "connect", lambda uri: root)
    return Stores(f"hdfs://{ROOT}")


def test_files_and_folders(client: Client) -> None:
    root = HdfsPath(client, "", ROOT)
    assert not root.exists()
    file = root / "a b" / "part-00000"
    file.write_bytes("é\nx\r\n".encode())
    assert file.read_text() == "é\nx\r\n"
    assert (file.is_file(), file.parent.is_file(), file.parent.exists()) == (True, False, True)
    with file.open("rb") as lines:
        assert list(lines) == ["é\n".encode(), b"x\r\n"]
    assert [str(path) for path in root.glob("*/part-*")] == [f"hdfs://{ROOT}/a b/part-00000"]
    assert list(root.glob("*/none-*/")) == []
    with pytest.raises(FileNotFoundError):
        (root / "none").read_bytes()
    file.parent.rename(root / "b")
    assert (root / "b" / "part-00000").read_text() == "é\nx\r\n"
    assert not file.exists()
    (root / "c").write_bytes(b"")
    with pytest.raises(FileExistsError):
        (root / "c").rename(root / "b")
    client.discard(f"{ROOT}/none")
    (root / "b").remove()
    assert [path.name for path in root.glob("*")] == ["c"]


def test_a_packed_file_is_unpacked(client: Client) -> None:
    file = HdfsPath(client, "", f"{ROOT}/part-00000.gz")
    file.write_bytes(gzip.compress(b"a\nb\n"))
    with file.open("rb") as lines:
        assert list(lines) == [b"a\n", b"b\n"]


def test_stores(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    made = crawl(client, monkeypatch)
    made.check()
    with made.locked():
        made.add_seeds(["http://a.example/"])
        made.add_seeds(["http://a.example/"])
        assert made.disturbed()
        folder = made.layer("in", 0)
        for totals in ({"urls: taken": 1}, {"urls: taken": 2}):
            sibling = stores.new(folder)
            (sibling / "part-00000").write_bytes(b"")
            stores.publish(sibling, folder, Marker("Job", {}, {}, "now", totals))
        assert stores.marker(folder).totals == {"urls: taken": 2}
        made.sweep()
    client.look_anew()
    assert not made.disturbed()
    assert made.layers("in") == [0]
    assert [path.read_text() for path in made.seeds.glob("*")] == ["http://a.example/\n"]
    assert made.name(folder) == "in/layer-000"
    assert not (made.root / "_lock").exists()


def test_a_second_driver_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    made = crawl(client, monkeypatch)
    with made.locked():
        client.look_anew()
        with pytest.raises(Busy, match="another driver works here, process .*; wait or stop it"):
            made.locked().__enter__()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["web", "shell"])
def test_safe_mode_is_told(hadoop: Cluster, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if not hadoop.process("namenode"):
        pytest.skip("the cluster here is another's, which is not to be disturbed")
    for name in ("HADOOP_HOME", "HADOOP_CONF_DIR"):
        monkeypatch.setenv(name, hadoop.environment[name])
    monkeypatch.setattr(webhdfs, "_PATIENCE", 0.0)
    web: Client = WebHdfs(sites.namenodes("", sites.settings()))
    hadoop.command("dfsadmin", "-safemode", "enter")
    try:
        with pytest.raises(OSError, match="HDFS is in safe mode: see `hdfs dfsadmin"):
            (web if way == "web" else Shell("", "/")).make(f"{ROOT}-safe")
    finally:
        hadoop.command("dfsadmin", "-safemode", "leave")


# The lease


@pytest.fixture
def place(server: Server, monkeypatch: pytest.MonkeyPatch) -> HdfsPath:
    monkeypatch.setattr(WebHdfs, "renewal", 0.1)
    return HdfsPath(WebHdfs([server.address]), "", "/crawl/_lock")


def leave(place: HdfsPath, host: str, process: int, started: str) -> None:
    holder = lease._Holder(host, process, started, "other")
    place.write_bytes(lease.msgspec.json.encode(holder))


def test_a_lease_of_a_process_that_is_gone_is_taken(place: HdfsPath) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    leave(place, lease.socket.gethostname(), gone.pid, "1")
    with lease.held(place):
        assert lease._holder(place).process == os.getpid()
    assert [path.name for path in place.parent.glob("*")] == []


def test_a_lease_that_is_not_renewed_is_taken(place: HdfsPath) -> None:
    leave(place, "elsewhere.example", 1, "1")
    with lease.held(place):
        assert lease._holder(place).id != "other"


def test_a_lease_that_is_renewed_elsewhere_is_not(
    place: HdfsPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease.socket, "gethostname", lambda: "elsewhere.example")
    with lease.held(place):
        monkeypatch.setattr(lease.socket, "gethostname", lambda: "here.example")
        with pytest.raises(lease.Held, match="on elsewhere.example"):
            lease.held(place).__enter__()


def test_a_lease_that_was_lost_stops_the_run(place: HdfsPath) -> None:
    with pytest.raises(KeyboardInterrupt), lease.held(place):
        leave(place, "elsewhere.example", 1, "1")
        time.sleep(5)
    assert lease._holder(place).id == "other"


# Where HDFS is


@pytest.mark.parametrize("text", ["SafeModeException", "StandbyException"])
def test_what_is_over_soon_is_waited_for(server: Server, text: str) -> None:
    server.refusals = [(403, text, "not now")] * 2
    WebHdfs([server.address]).make("/crawl")
    assert (server.folder / "crawl").is_dir()


def test_a_namenode_that_stays_away_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhdfs, "_PATIENCE", 0.0)
    web = WebHdfs(["127.0.0.1:1"])
    assert not web.answers()
    with pytest.raises(OSError, match="the NameNode at 127.0.0.1:1 cannot be used"):
        web.make("/crawl")


def test_the_other_namenode_is_asked(server: Server) -> None:
    assert WebHdfs(["127.0.0.1:1", server.address]).answers()


def test_what_hdfs_refuses_is_told(server: Server) -> None:
    server.refusals = [(403, "DSQuotaExceededException", "The quota is used up")]
    with pytest.raises(OSError, match="HDFS says of /crawl: DSQuota.*: The quota is used up"):
        WebHdfs([server.address]).make("/crawl")


def test_the_command_says_what_hdfs_refuses(home: Path) -> None:
    client = Shell("", "/crawl")
    with pytest.raises(OSError, match="No such file or directory"):
        client.move("/crawl/a", "/crawl/b")


def test_without_a_hadoop_command_nothing_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    monkeypatch.setattr(sites, "settings", dict)
    with pytest.raises(BadRoot, match="no hadoop command: set HADOOP_HOME"):
        Stores("hdfs:///crawl")


def test_the_way_that_is_open_is_taken(
    home: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(hdfs.connect("hdfs:///crawl").client, Shell)
    monkeypatch.setattr(sites, "namenodes", lambda *_: [server.address])
    assert isinstance(hdfs.connect("hdfs:///crawl").client, WebHdfs)


def test_markers_are_read_with_one_command(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Shell("", ROOT)
    made = crawl(client, monkeypatch)
    for number in range(3):
        folder = made.layer("in", number)
        sibling = stores.new(folder)
        stores.publish(sibling, folder, MARKER)
    client.look_anew()
    before = len(standin.calls(home))
    assert [stores.marker(made.layer("in", n)) for n in made.layers("in")] == [MARKER] * 3
    assert [words[1] for words in standin.calls(home)[before:]] == ["-ls", "-cat"]


def test_a_stage_costs_two_commands(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = crawl(Shell("", ROOT), monkeypatch)
    made.check()
    folder = made.layer("in", 0)
    sibling = stores.new(folder)
    before = len(standin.calls(home))
    (standin_folder := home.parent / "hdfs" / ROOT[1:] / "in" / "_new-layer-000").mkdir()
    (standin_folder / "part-00000").touch()
    stores.publish(sibling, folder, MARKER)
    assert [words[1] for words in standin.calls(home)[before:]] == ["-put", "-mv"]


SITE = """<configuration>
<property><name>fs.defaultFS</name><value>hdfs://${env.NO_SUCH_NAME:-main}</value></property>
<property><name>dfs.nameservices</name><value>main</value></property>
<property><name>dfs.ha.namenodes.main</name><value>one, two</value></property>
<property><name>dfs.namenode.http-address.main.one</name><value>a.example:9870</value></property>
<property><name>dfs.namenode.http-address.main.two</name><value>b.example:9870</value></property>
</configuration>"""


def test_settings_are_read_as_hadoop_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("HADOOP_HOME", str(tmp_path / "none"))
    (tmp_path / "core-site.xml").write_text(SITE)
    known = sites.settings()
    assert sites.namenodes("", known) == ["a.example:9870", "b.example:9870"]
    assert sites.namenodes("c.example:8020", known) == ["c.example:9870"]
    kerberos = {"hadoop.security.authentication": "kerberos"}
    assert sites.namenodes("", known | kerberos) == []


def test_the_command_is_that_of_hadoop_home(home: Path) -> None:
    assert shell.command() == str(home / "bin" / "hadoop")
