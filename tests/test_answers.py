"""What heads of answers mean for a crawl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import answers
from layercrawl.records import Outcome

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "answers.json").read_text("utf-8")
)


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


@cases("classify")
def test_classify(case: dict[str, Any]) -> None:
    found = answers.classify(
        case["status"], case.get("type", ""), case.get("location", ""), case.get("hops", 0),
        case.get("wanted", "page"),
    )  # fmt: skip
    assert found == (case["outcome"], case["reason"])


@cases("robots")
def test_classify_robots(case: dict[str, Any]) -> None:
    found = answers.classify_robots(case["status"], case.get("location", ""), case.get("hops", 0))
    assert found == (case["outcome"], case["reason"])


@cases("content_type")
def test_content_type(case: dict[str, Any]) -> None:
    assert answers.content_type(case["values"]) == case["type"]


@cases("escape_location")
def test_escape_location(case: dict[str, Any]) -> None:
    assert answers.escape_location(case["value"]) == case["escaped"]


@given(st.integers(100, 999), st.text(max_size=9), st.sampled_from(["", "/x"]), st.integers(0, 6))
def test_every_answer_has_an_outcome(status: int, kind: str, location: str, hops: int) -> None:
    for outcome, reason in (
        answers.classify(status, kind, location, hops),
        answers.classify_robots(status, location, hops),
    ):
        assert outcome in get_args(Outcome)
        assert bool(reason) is (outcome not in ("ok", "redirect"))


@given(st.binary(max_size=40))
def test_a_location_is_escaped_byte_for_byte(sent: bytes) -> None:
    escaped = answers.escape_location(sent.decode("latin-1"))
    assert escaped.isascii()
    expected = "".join(f"%{byte:02X}" if byte > 127 else chr(byte) for byte in sent)
    assert escaped == expected.strip(" \t\r\n")
