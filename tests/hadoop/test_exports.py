"""What lies on HDFS, packed as jobs there leave it, is exported and listed as from a folder."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import pytest

from layercrawl import cli, hdfs
from layercrawl.hdfs import HdfsPath
from layercrawl.hdfs.client import Client
from layercrawl.hdfs.shell import Shell
from layercrawl.hdfs.webhdfs import WebHdfs
from layercrawl.records import Outlinks, Page, Target, XmlPage, replace
from layercrawl.stores import Stores
from tests import laying
from tests.hadoop import standin

URL = "http://a.example/"
TARGETS = [
    ("xml", "folder"), ("xml", "pages.zip"), ("xml", "pages.xml"), ("warc", "crawl.warc"),
    ("text", "pages.jsonl"), ("links", "links.csv"),
]  # fmt: skip


@pytest.fixture(params=["web", "shell"])
def roots(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> list[str]:
    """The same stores in a folder and on the stand-in."""
    lay(tmp_path / "crawl")
    shutil.copytree(tmp_path / "crawl", tmp_path / "hdfs" / "crawl")
    for path in list((tmp_path / "hdfs").rglob("part-*")):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    server = request.getfixturevalue("server")
    client: Client = Shell("", "/crawl") if request.param == "shell" else WebHdfs([server.address])
    monkeypatch.setattr(hdfs, "connect", lambda uri: HdfsPath(client, "", "/crawl"))
    return [str(tmp_path / "crawl"), "hdfs:///crawl"]


@pytest.fixture
def server(tmp_path: Path, home: Path):
    with standin.serve(tmp_path / "hdfs") as made:
        yield made


def lay(root: Path) -> None:
    crawl = Stores(root)
    page = Page(
        Target(), "ok", status=200, fetched="2026-11-30T12:00:00Z", html="<p>é", encoding="utf-8"
    )
    same = replace(page, duplicates=[(f"{URL}x", "exact", 0)])
    links = Outlinks(Target(), "ok", fetched=page.fetched, links=[(f"{URL}x", "x, y")])
    laying.lay(crawl.layer("doc", 0), [(URL, page), (f"{URL}x", page)])
    laying.lay(crawl.layer("out", 0), [(URL, links)])
    laying.lay(crawl.merged, [(URL, same)])
    laying.lay(crawl.xml, [(URL, XmlPage("<page>é</page>"))])


def settled(target: Path) -> dict[str, bytes]:
    """All bytes but for what each WARC file has of its own, and where its records lie thus."""
    files = [target] if target.is_file() else sorted(p for p in target.rglob("*") if p.is_file())
    own = rb"<urn:uuid:[^>]*>|WARC-Date: [^\r]*"
    return {str(p.relative_to(target)): re.sub(own, b"", p.read_bytes()) for p in files}


@pytest.mark.parametrize(("form", "name"), TARGETS)
def test_an_export_is_the_same(form: str, name: str, roots: list[str], tmp_path: Path) -> None:
    found = []
    for place, root in zip("ab", roots, strict=True):
        (tmp_path / place).mkdir()
        assert cli.main(["export", form, str(tmp_path / place / name), "--root", root]) == 0
        found.append(settled(tmp_path / place / name))
    assert found[0] == found[1]
    assert all(found[0].values())


def test_duplicates_are_the_same(roots: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for root in roots:
        assert cli.main(["duplicates", "--root", root]) == 0
        assert cli.main(["duplicates", URL, f"{URL}x", "--root", root]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert told[0].splitlines()[:2] == [f"2 {URL}", f"  exact      0 {URL}x"]
