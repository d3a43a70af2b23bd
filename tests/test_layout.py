"""hdfs_layout.md is true: of its example lines, and of the folders and records of a real crawl."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

import driver
from layercrawl import records
from layercrawl.records import Outlinks, Page, Record, Target, UrlState, XmlPage
from layercrawl.running import checkpoints
from tests.web import Web, serve

LAYOUT = Path(__file__).parents[1] / "hdfs_layout.md"
KINDS: dict[str, type[Record]] = {
    "target": Target, "page": Page, "outlinks": Outlinks, "state": UrlState, "xml": XmlPage,
}  # fmt: skip
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in LAYOUT.read_text("utf-8").splitlines()
    if line.startswith("| `")
]
EXAMPLES = re.findall(r"^    (http\S+\t.*)$", LAYOUT.read_text("utf-8"), re.M)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layout") / "crawl"
    with pytest.MonkeyPatch.context() as patch, serve(Web(port=0, degree=2)) as web:
        patch.setattr(checkpoints, "SMALLEST", 0)
        options = ["--depth=1", "--delay=0", "--scope=any", "--allow-private", "--quiet"]
        assert driver.main([*options, f"--root={folder}", *web.seeds]) == 0
    return folder


def patterns() -> Iterator[tuple[str, str]]:
    """(glob, record) of each row's paths."""
    for paths, *_, record in ROWS:
        for path in re.findall(r"`([^`]+)`", paths):
            yield re.sub("NNN", "[0-9][0-9][0-9]", path), record


@pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: line[:60])
def test_an_example_line_is_a_record_as_it_would_be_written(line: str) -> None:
    kind = KINDS[_kind(line)]
    url, record = records.decode(line.encode(), kind)
    assert records.decode(records.encode(url, record), kind) == (url, record)
    assert records.encode(url, record) == line.encode()


def test_every_kind_of_record_has_an_example() -> None:
    assert set(map(_kind, EXAMPLES)) == set(KINDS)


def _kind(line: str) -> str:
    return str(json.loads(line.partition("\t")[2])["is"])


def test_every_file_of_a_crawl_is_in_the_table(root: Path) -> None:
    files = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    globs = [glob for glob, _ in patterns()]
    assert [name for name in files if not any(fnmatch(name, glob) for glob in globs)] == []


@pytest.mark.parametrize("row", [row for row in ROWS if row[3] in KINDS], ids=lambda row: row[0])
def test_every_store_of_the_table_holds_the_record_that_it_says(root: Path, row: list[str]) -> None:
    glob = row[0].strip("`").replace("NNN", "*")
    lines = [line for path in root.glob(glob) for line in path.read_bytes().splitlines()]
    assert lines
    for line in lines:
        records.decode(line, KINDS[row[3]])


def test_the_named_jobs_are_there() -> None:
    named = {word for row in ROWS for cell in row[1:3] for word in re.findall(r"\w+Driver", cell)}
    files = {path.stem for path in (LAYOUT.parent / "jobs").glob("*_driver.py")}
    assert {re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() for name in named} == files
