"""The stores: whole or not there, one driver at a time, and roots that cannot be used."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from layercrawl import records, stores
from layercrawl.records import Target
from layercrawl.stores import BadRoot, Busy, Marker, Stores

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "stores.json").read_text("utf-8")
)
MARKER = Marker("Job", {"depth": 1}, {}, "2026-11-30T12:00:00Z", {"urls: taken": 1})


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


@pytest.fixture
def crawl(tmp_path: Path) -> Stores:
    made = Stores(tmp_path / "crawl")
    made.check()
    return made


def made(folder: Path, text: str = "new", marker: Marker = MARKER) -> Path:
    """A finished job's output for this folder, not yet published."""
    sibling = stores.new(folder)
    sibling.mkdir()
    (sibling / "part-00000").write_text(text)
    return sibling


def text(folder: Path) -> str:
    return (folder / "part-00000").read_text()


class Killed(BaseException):
    """A kill at the place where this is raised."""


@contextmanager
def killed_at(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> Iterator[None]:
    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(owner, name, die)
        yield


@cases("roots_refused")
def test_roots_refused(case: dict[str, Any]) -> None:
    with pytest.raises(BadRoot, match=case["why"]):
        Stores(case["root"])


@cases("layer_of")
def test_layer_of(case: dict[str, Any]) -> None:
    assert stores.layer_of(case["path"]) == case["layer"]


def test_a_relative_root_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    crawl = Stores("a b,c")
    monkeypatch.chdir("/")
    assert crawl.root == tmp_path / "a b,c"


def test_paths(crawl: Stores) -> None:
    paths = [crawl.layer("in", 0), crawl.layer("out", 1234), crawl.seeds, crawl.merged, crawl.xml]
    names = ["in/layer-000", "out/layer-1234", "in/seeds", "doc/merged", "xml"]
    assert list(map(crawl.name, paths)) == names
    assert crawl.log("Job") == crawl.root / "_logs" / "Job.log"
    assert stores.parts(crawl.xml) == f"{crawl.root}/xml/part-*"


def test_publish_makes_the_folder_with_its_marker(crawl: Stores) -> None:
    folder = crawl.layer("in", 0)
    stores.publish(made(folder), folder, MARKER)
    assert stores.complete(folder)
    assert stores.marker(folder) == MARKER
    assert sorted(path.name for path in folder.parent.iterdir()) == ["layer-000"]


def test_publish_replaces_what_stood_there(crawl: Stores) -> None:
    stores.publish(made(crawl.xml, "old"), crawl.xml, MARKER)
    before = stores.fingerprint(crawl.xml)
    later = Marker("Job", {}, {}, "2026-12-01T12:00:00Z", {})
    stores.publish(made(crawl.xml, "new"), crawl.xml, later)
    assert (text(crawl.xml), stores.marker(crawl.xml)) == ("new", later)
    assert stores.fingerprint(crawl.xml) != before


@pytest.mark.parametrize(("owner", "name"), [(os, "fsync"), (Path, "rename")])
def test_a_kill_while_publishing_leaves_no_half(
    owner: Any, name: str, crawl: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = crawl.layer("doc", 0)
    sibling = made(folder)
    with killed_at(monkeypatch, owner, name):
        stores.publish(sibling, folder, MARKER)
    assert not stores.complete(folder)
    crawl.sweep()
    assert not sibling.exists()
    stores.publish(made(folder), folder, MARKER)
    assert (text(folder), crawl.layers("doc")) == ("new", [0])


@pytest.mark.parametrize(("name", "stands"), [("fsync", True), ("rmtree", False)])
def test_a_kill_while_replacing_leaves_the_old_or_nothing(
    name: str, stands: bool, crawl: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores.publish(made(crawl.xml, "old"), crawl.xml, MARKER)
    sibling = made(crawl.xml)
    with killed_at(monkeypatch, os if name == "fsync" else shutil, name):
        stores.publish(sibling, crawl.xml, MARKER)
    assert stores.complete(crawl.xml) is stands


def test_layers_end_at_the_first_that_is_missing(crawl: Stores) -> None:
    assert crawl.layers("out") == []
    for number in (0, 1, 3):
        folder = crawl.layer("out", number)
        stores.publish(made(folder), folder, MARKER)
    made(crawl.layer("out", 2))
    assert crawl.layers("out") == [0, 1]


def test_a_damaged_marker_names_its_folder_and_the_cure(crawl: Stores) -> None:
    folder = crawl.layer("out", 0)
    stores.publish(made(folder), folder, MARKER)
    path = folder / stores.MARKER
    os.truncate(path, path.stat().st_size - 7)
    with pytest.raises(
        BadRoot, match=r"out/layer-000/_MARKER.json is damaged .*; remove the folder"
    ):
        stores.marker(folder)


def test_sweep_takes_temporary_folders_only(crawl: Stores) -> None:
    crawl.add_seeds(["http://a.example/"])
    kept = crawl.seeds / "_new-seeds.txt"
    kept.write_text("http://b.example/\n")
    gone = [crawl.scratch(), made(crawl.layer("in", 0)), made(crawl.xml), made(crawl.merged)]
    crawl.sweep()
    assert kept.exists()
    assert not any(folder.exists() for folder in gone)
    assert len(list(crawl.seeds.iterdir())) == 2


def test_new_clears_what_a_killed_job_left(crawl: Stores) -> None:
    made(crawl.xml, "old")
    assert not stores.new(crawl.xml).exists()


def test_adding_seeds_again_changes_nothing(crawl: Stores) -> None:
    crawl.add_seeds([])
    assert not crawl.seeds.exists()
    for _ in range(2):
        crawl.add_seeds(["http://a.example/", "http://b.example/"])
    crawl.add_seeds(["http://c.example/"])
    texts = sorted(path.read_text() for path in crawl.seeds.iterdir())
    assert texts == ["http://a.example/\nhttp://b.example/\n", "http://c.example/\n"]


def test_read_gives_records_and_names_the_line_that_is_off(crawl: Stores) -> None:
    crawl.xml.mkdir()
    line = records.encode("http://a.example/", Target())
    (crawl.xml / "part-00001").write_bytes(line + b"\n{}\n")
    (crawl.xml / "part-00000").write_bytes(line + b"\n" + line)  # no end on the last line
    (crawl.xml / stores.MARKER).write_bytes(b"{}")
    found = stores.read(crawl.xml, Target)
    assert [next(found) for _ in range(3)] == [("http://a.example/", Target())] * 3
    with pytest.raises(records.WrongRecord, match=r"xml/part-00001:2: no TAB"):
        next(found)


@pytest.mark.parametrize("below", ["", "crawl"])
def test_a_file_for_a_root(below: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadRoot, match=r"--root .*Not a directory.*; name a folder"):
        Stores(tmp_path / "file" / below).check()


def test_a_root_that_cannot_be_written(crawl: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    # Tests may run as root, whom permission bits do not stop.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != crawl.root / "in")
    with pytest.raises(BadRoot, match=r"not readable and writable \(.*/in\); name a folder"):
        crawl.check()


def test_a_disk_that_is_full_or_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(BadRoot, match=r"Read-only file system"):
        Stores(tmp_path / "crawl").check()


HOLDER = """
import sys, time
from layercrawl.stores import Stores
with Stores(sys.argv[1]).locked():
    print("held", flush=True)
    time.sleep(60)
"""


@contextmanager
def holder(crawl: Stores) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that holds the lock."""
    words = [sys.executable, "-c", HOLDER, str(crawl.root)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout and process.stdout.readline() == b"held\n"
            yield process
        finally:
            process.kill()


def test_a_second_driver_is_refused_until_the_first_is_gone(crawl: Stores) -> None:
    with holder(crawl) as first:
        with (
            pytest.raises(Busy, match="another driver works here; wait or stop it"),
            crawl.locked(),
        ):
            pass
        first.kill()
        first.wait()
        with crawl.locked(patience=0):
            pass


def test_a_lock_that_the_disk_does_not_offer_is_no_other_driver(
    crawl: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "lockf", refuse)
    with pytest.raises(OSError, match="No locks available"), crawl.locked():
        pass


@pytest.fixture
def orphan(crawl: Stores) -> Iterator[int]:
    """A worker that outlives its killed driver."""
    read, write = os.pipe()
    driver = os.fork()
    if not driver:
        with crawl.locked():
            worker = os.fork()
            if not worker:
                time.sleep(60)
                os._exit(0)
            os.write(write, b"%d" % worker)
            os._exit(0)
    os.waitpid(driver, 0)
    worker = int(os.read(read, 20))
    os.close(read)
    os.close(write)
    yield worker
    with suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def test_workers_of_a_killed_driver_are_waited_for(crawl: Stores, orphan: int) -> None:
    with pytest.raises(Busy, match="workers of a killed driver still run"), crawl.locked(0.1):
        pass
    killer = os.fork()
    if not killer:
        time.sleep(0.3)
        os.kill(orphan, signal.SIGKILL)
        os._exit(0)
    start = time.monotonic()
    with crawl.locked():
        assert time.monotonic() - start > 0.2
    os.waitpid(killer, 0)
