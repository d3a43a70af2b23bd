"""Seeds as users write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import seeds

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "seeds.json").read_text("utf-8")
)


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


@cases("seeds")
def test_seeds(case: dict[str, Any]) -> None:
    assert seeds.seed(case["line"]) == case["url"]


@cases("refused")
def test_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=case["why"]):
        seeds.seed(case["line"])


def test_read_counts_lines_from_1() -> None:
    lines = ["# mine", "http://b.example/", "", "nonsense", "http://a.example/", "robots"]
    good, bad = seeds.read(lines)
    assert good == ["http://b.example/", "http://a.example/"]
    assert [number for number, _ in bad] == [4, 6]


@given(
    st.lists(
        st.text(max_size=30) | st.sampled_from(["http://a.example/", "#", "\ufeff ", "\ufeff#"])
    )
)
def test_every_line_is_read_told_of_or_left_out_for_good_reason(lines: list[str]) -> None:
    good, bad = seeds.read(lines)
    quiet = [line for line in lines if line.removeprefix("\ufeff").strip()[:1] in "#"]
    assert len(good) + len(bad) + len(quiet) == len(lines)
    assert seeds.read(good) == (good, [])
