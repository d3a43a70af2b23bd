"""Where a huge page is cut; cases in data/slicing.json."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.markup import slicing

CASES = json.loads((Path(__file__).parent / "data" / "slicing.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(slicing, "LONGEST", 10)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["description"]) for case in CASES])
def test_slices(case):
    assert list(slicing.slices("".join(case["slices"]))) == case["slices"]


@given(st.text("<>/!-='\" apscript", max_size=60))
def test_nothing_is_lost(page):
    parts = list(slicing.slices(page))
    assert "".join(parts) == page
    assert all(len(part) >= 10 for part in parts[:-1])


@pytest.mark.parametrize(
    "piece", ["<", "<!--", "<a", "<a =", "=", "<title>", "</title ", "<script", '<a ="', "<a ='>"]
)
def test_hostile_pages_are_cut(piece):
    page = piece * 200_000
    assert "".join(slicing.slices(page)) == page
