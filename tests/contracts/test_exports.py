"""What every export promises, and what each of them writes, of a small crawl."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest
from lxml import etree
from warcio.archiveiterator import ArchiveIterator

import driver
from layercrawl import cli, stores
from layercrawl.export import EXPORTS
from layercrawl.export.xml import file_name
from layercrawl.records import Outlinks, Page, XmlPage
from layercrawl.stores import BadRoot, Stores
from tests import documents, warcs
from tests.web import Web, serve

TARGETS = [
    ("xml", "folder"), ("xml", "pages.zip"), ("xml", "pages.xml"), ("warc", "crawl.warc"),
    ("warc", "crawl.warc.gz"), ("text", "pages.jsonl"), ("links", "links.csv"),
]  # fmt: skip


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    root = tmp_path_factory.mktemp("export") / "crawl"
    with serve(Web(port=0, degree=2)) as web:
        options = ["--depth=2", "--delay=0", "--scope=any", "--allow-private", "--quiet"]
        assert driver.main([*options, "--retries=0", f"--root={root}", *web.seeds]) == 0
    return Stores(root)


def test_every_export_is_tested() -> None:
    assert {name for name, _ in TARGETS} == set(EXPORTS)


def written(name: str, target: str) -> list[str]:
    """The names of what an export makes."""
    return [target, f"{target}.cdxj"] if name == "warc" else [target]


def content(path: Path) -> dict[str, bytes]:
    """The bytes of each file; of a ZIP file those inside."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    files = [path] if path.is_file() else [found for found in path.rglob("*") if found.is_file()]
    return {found.relative_to(path).as_posix(): found.read_bytes() for found in files}


@pytest.mark.parametrize(("name", "target"), TARGETS)
def test_an_export_writes_its_target_and_nothing_else(
    name: str, target: str, crawl: Stores, tmp_path: Path
) -> None:
    assert EXPORTS[name](crawl, tmp_path / target) > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == written(name, target)
    if name != "warc":  # whose records have ids of their own
        (tmp_path / "again").mkdir()
        EXPORTS[name](crawl, tmp_path / "again" / target)
        assert content(tmp_path / target) == content(tmp_path / "again" / target)


@pytest.mark.parametrize(("name", "target"), TARGETS)
def test_what_is_there_is_not_touched(
    name: str, target: str, crawl: Stores, tmp_path: Path
) -> None:
    (tmp_path / target).write_text("mine")
    with pytest.raises(ValueError, match="is there already"):
        EXPORTS[name](crawl, tmp_path / target)
    assert (tmp_path / target).read_text() == "mine"


@pytest.mark.parametrize("name", EXPORTS)
def test_where_no_crawl_lies_an_export_says_so(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadRoot):
        EXPORTS[name](Stores(tmp_path / "none"), tmp_path / "target")
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize(("name", "target"), TARGETS)
def test_an_unfinished_export_is_begun_anew(
    name: str, target: str, crawl: Stores, tmp_path: Path
) -> None:
    (tmp_path / f"{target}.partial").write_text("half")
    EXPORTS[name](crawl, tmp_path / target)
    assert sorted(path.name for path in tmp_path.iterdir()) == written(name, target)


@pytest.mark.parametrize("target", ["folder", "pages.zip"])
def test_xml_has_a_file_a_page_and_an_index(target: str, crawl: Stores, tmp_path: Path) -> None:
    EXPORTS["xml"](crawl, tmp_path / target)
    found = content(tmp_path / target)
    index = dict(csv.reader(found.pop("index.csv").decode().splitlines()[1:]))
    urls = [url for url, _ in stores.read(crawl.xml, XmlPage)]
    assert sorted(index.values()) == sorted(urls)
    assert found.keys() == index.keys() == {file_name(url) for url in urls}
    for name, octets in found.items():
        root = etree.fromstring(octets)
        documents.schema().assertValid(root)
        assert root.get("url") == index[name]


def test_xml_in_one_document_is_valid(crawl: Stores, tmp_path: Path) -> None:
    EXPORTS["xml"](crawl, tmp_path / "all.xml")
    root = etree.parse(tmp_path / "all.xml").getroot()
    documents.schema().assertValid(root)
    assert [page.get("url") for page in root] == [url for url, _ in stores.read(crawl.xml, XmlPage)]


def hops(url: str, page: Page) -> list[tuple[str, Page]]:
    """What a page is in a WARC file: two records, where a robots.txt redirected."""
    if page.location and page.outcome != "redirect":
        return [(url, Page(page.target, "redirect")), (page.location, page)]
    return [(url, page)]


@pytest.mark.parametrize("target", ["crawl.warc", "crawl.warc.gz"])
def test_warc_gives_every_answer_back(target: str, crawl: Stores, tmp_path: Path) -> None:
    EXPORTS["warc"](crawl, tmp_path / target)
    pages = [
        hop
        for number in crawl.layers("doc")
        for url, page in stores.read(crawl.layer("doc", number), Page)
        for hop in hops(url, page)
    ]
    with (tmp_path / target).open("rb") as file:
        first, *records = [
            (record.rec_type, record.rec_headers, record.http_headers, record.raw_stream.read())
            for record in ArchiveIterator(file)
        ]
    assert first[0] == "warcinfo"
    assert len(records) == len(pages)
    for (url, page), (kind, headers, http, body) in zip(pages, records, strict=True):
        assert headers.get_header("WARC-Target-URI") == url
        assert kind == ("response" if page.status else "metadata")
        if page.status:
            assert http.get_statuscode() == str(page.status) and body == page.body()
            assert headers.get_header("WARC-Payload-Digest")
        else:
            assert page.outcome in body.decode()
    assert {kind for kind, *_ in records} == {"response", "metadata"}
    assert warcs.kinds(tmp_path / target) == ["warcinfo", *(kind for kind, *_ in records)]
    lines = (tmp_path / f"{target}.cdxj").read_bytes().splitlines()
    assert lines == sorted(lines) and len(lines) == sum(kind == "response" for kind, *_ in records)


def test_text_is_the_main_text_of_each_merged_page(crawl: Stores, tmp_path: Path) -> None:
    EXPORTS["text"](crawl, tmp_path / "text.jsonl")
    lines = (tmp_path / "text.jsonl").read_bytes().splitlines()
    found = [json.loads(line) for line in lines]
    assert [line["url"] for line in found] == [url for url, _ in stores.read(crawl.merged, Page)]
    assert sum("text" in line and "title" in line for line in found) > len(found) / 2


def test_links_are_those_that_were_followed(crawl: Stores, tmp_path: Path) -> None:
    EXPORTS["links"](crawl, tmp_path / "links.csv")
    with (tmp_path / "links.csv").open(newline="", encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    edges = [
        (url, target)
        for number in crawl.layers("out")
        for url, page in stores.read(crawl.layer("out", number), Outlinks)
        if page.target.kind == "page"
        for target, _ in page.links
    ]
    assert [(source, target) for source, target, *_ in rows] == edges


def test_links_as_parquet(crawl: Stores, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    written = EXPORTS["links"](crawl, tmp_path / "links.parquet")
    table = parquet.read_table(tmp_path / "links.parquet")
    assert table.num_rows == written
    assert table.column_names == ["source", "target", "text", "fetched"]


def test_parquet_without_its_library_names_the_cure(
    crawl: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ValueError, match="pip install"):
        EXPORTS["links"](crawl, tmp_path / "links.parquet")


def test_from_the_command_line(
    crawl: Stores, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "text", str(tmp_path / "text.jsonl"), "--root", str(crawl.root)]
    assert cli.main(words) == 0
    assert " records" in capsys.readouterr().out
    assert cli.main(words) == 2
    assert "is there already" in capsys.readouterr().err
