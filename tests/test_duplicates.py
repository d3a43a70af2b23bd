"""`layercrawl duplicates`, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from layercrawl import cli
from layercrawl.records import Outcome, Page, Target
from layercrawl.stores import Stores
from tests import laying

A = "http://a.example/"
WORDS = [f"word{number:02}" for number in range(40)]
CHANGED = [*WORDS[:20], "instead", *WORDS[21:]]


def page(words: list[str], outcome: Outcome = "ok", **fields: Any) -> Page:
    html = f"<p>{' '.join(words)}" if words else ""
    return Page(
        Target(), outcome, status=200, fetched="2026-11-30T12:00:00Z", html=html,
        encoding="utf-8", **fields,
    )  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> str:
    crawl = Stores(tmp_path / "crawl")
    pair = [(f"{A}x2", "exact", 0)]
    three = [
        (f"{A}copy", "exact", 0), (f"{A}moved", "redirect", 0), (f"{A}near", "near", 3),
        (f"{A}other", "text", 0), ("https://a.example/", "canonical", 11),
    ]  # fmt: skip
    merged = [
        (f"{A}alone", page(WORDS)), (f"{A}x", page([], duplicates=pair)),
        (f"{A}w", page([], duplicates=pair)), (A, page(WORDS, duplicates=three)),
    ]  # fmt: skip
    laying.lay(crawl.merged, merged)
    laying.lay(crawl.layer("doc", 0), [(A, page(WORDS)), (f"{A}near", page(CHANGED))])
    laying.lay(crawl.layer("doc", 1), [(A, page([], "not_modified")), (f"{A}r", page([], "gone"))])
    return str(crawl.root)


def told(capsys: pytest.CaptureFixture[str], root: str, *urls: str) -> list[str]:
    assert cli.main(["duplicates", *urls, "--root", root]) == 0
    return capsys.readouterr().out.splitlines()


def test_groups_come_largest_first_with_kinds_and_distances(
    root: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, root) == [
        f"6 {A}",
        f"  exact      0 {A}copy",
        f"  redirect   0 {A}moved",
        f"  near       3 {A}near",
        f"  text       0 {A}other",
        "  canonical 11 https://a.example/",
        f"2 {A}w",
        f"  exact      0 {A}x2",
        f"2 {A}x",
        f"  exact      0 {A}x2",
    ]


def test_two_pages_stand_side_by_side_where_they_differ(
    root: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = told(capsys, root, A, f"{A}near")
    columns = [(line[:48].split(), line[49:50], line[51:].split()) for line in lines]
    changed = [(left, right) for left, bar, right in columns if bar == "|"]
    assert changed == [(["word20"], ["instead"])]
    same = [(left, right) for left, bar, right in columns if bar != "|"]
    assert all(left == right for left, right in same)
    words = [word for left, _ in same for word in left]
    assert words == [
        *WORDS[:8], "[…", "4", "words", "…]", *WORDS[12:20],
        *WORDS[21:29], "[…", "3", "words", "…]", *WORDS[32:],
    ]  # fmt: skip


def test_of_a_page_that_has_not_changed_the_last_good_copy_counts(
    root: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, root, A, A)  # whose newest answer has no body


def test_what_was_never_good_has_no_text(root: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["duplicates", A, f"{A}r", "--root", root]) == 2
    assert "no good page of it lies here" in capsys.readouterr().err
