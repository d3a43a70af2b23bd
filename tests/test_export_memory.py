"""An export streams: its memory is bounded, however much the stores hold."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from layercrawl.records import Outlinks, Page, Record, Target, XmlPage
from layercrawl.stores import Stores
from tests import laying

LIMIT, STORE = 160 << 20, 200 << 20
PAGE, LINKS = 200_000, 800
TARGETS = [
    ("xml", "folder"), ("xml", "pages.zip"), ("xml", "pages.xml"), ("warc", "crawl.warc.gz"),
    ("text", "pages.jsonl"), ("links", "links.csv"), ("links", "links.parquet"),
]  # fmt: skip


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


def many(record: Record) -> Iterator[tuple[str, Record]]:
    for number in range(STORE // PAGE):
        yield f"http://a.example/{number}", record


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stores of 200 MB each."""
    crawl = Stores(tmp_path_factory.mktemp("large") / "crawl")
    text = "<p>" + "some words " * (PAGE // 11)
    page = Page(
        Target(), "ok", status=200, fetched="2026-11-30T12:00:00Z", html=text, encoding="utf-8"
    )
    links = [(f"http://a.example/{number}", "some words " * 18) for number in range(LINKS)]
    laying.lay(crawl.layer("doc", 0), many(page))
    laying.lay(crawl.merged, many(page))
    laying.lay(crawl.layer("out", 0), many(Outlinks(Target(), "ok", links=links)))
    laying.lay(crawl.xml, many(XmlPage(f"<page><p>{text[3:]}</p></page>")))
    return crawl.root


@pytest.mark.slow
@pytest.mark.parametrize(("form", "target"), TARGETS)
def test_an_export_takes_the_same_memory_for_any_crawl(
    form: str, target: str, root: Path, tmp_path: Path
) -> None:
    if target.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    words = ["-m", "layercrawl.cli", "export", form, str(tmp_path / target), "--root", str(root)]
    done = subprocess.run(
        [sys.executable, *words], preexec_fn=limit, capture_output=True, text=True, check=False,
        env=os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"},  # the others reserve a lot
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-2] == str(STORE // PAGE * (LINKS if form == "links" else 1))
