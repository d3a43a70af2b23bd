"""Retry-After, back-off and the stores' moments."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import schedule
from layercrawl.records import Visit

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "schedule.json").read_text("utf-8")
)
NOW = datetime(1994, 11, 6, 8, 48, tzinfo=UTC)


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


@cases("retry_after")
def test_retry_after(case: dict[str, Any]) -> None:
    assert schedule.retry_after(case["value"], NOW) == case["seconds"]


@cases("next_visit")
def test_next_visit(case: dict[str, Any]) -> None:
    due = schedule.next_visit(msgspec.convert(case["visits"], list[Visit]))
    assert (schedule.timestamp(due) if due else None) == case["due"]


def test_back_off_is_set_by_its_arguments_and_has_an_end() -> None:
    start = datetime(2026, 11, 30, tzinfo=UTC)
    failed = [Visit(schedule.timestamp(start + timedelta(n)), n, "failed") for n in range(16)]
    assert schedule.next_visit(failed[:1], retry_seconds=5) == start + timedelta(seconds=5)
    assert schedule.next_visit(failed[:1], tries=0) is None
    assert schedule.next_visit(failed, tries=16) == start + timedelta(days=15 + 30)


DATES = st.lists(
    st.sampled_from(["Sun,", "06", "Nov", "1994", "08:49:37", "GMT", "+9999", "-", "9" * 30, ":"])
)


@given(st.text() | DATES.map(" ".join))
def test_any_header_gives_seconds_or_none(value: str) -> None:
    seconds = schedule.retry_after(value, NOW)
    assert seconds is None or 0 <= seconds <= schedule.LONGEST_RETRY_AFTER


@given(st.datetimes(datetime(1000, 1, 1), timezones=st.just(UTC)))
def test_moments_come_back_to_the_second(moment: datetime) -> None:
    assert schedule.moment(schedule.timestamp(moment)) == moment.replace(microsecond=0)


def test_moments_are_written_in_utc() -> None:
    berlin = timezone(timedelta(hours=1))
    assert schedule.timestamp(datetime(2026, 1, 1, tzinfo=berlin)) == "2025-12-31T23:00:00Z"
    assert schedule.moment("2026-01-01T00:00:00+01:00").isoformat() == "2025-12-31T23:00:00+00:00"


@pytest.mark.parametrize("timestamp", ["", "soon", "2026-11-30T12:00:00"])
def test_what_is_no_moment_is_a_value_error(timestamp: str) -> None:
    with pytest.raises(ValueError, match=r"Invalid isoformat|no zone"):
        schedule.moment(timestamp)
