"""Pauses, patience and what a robots.txt's answer stands for."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from layercrawl import answers, manners, robots
from layercrawl.manners import GIVE_UP_AFTER, MAX_PAUSE, Origin, Pace
from layercrawl.records import Page, Target

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "manners.json").read_text("utf-8")
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
FAILED = Page(Target(), "failed")
OK = Page(Target(), "ok", status=200)


def page(fields: dict[str, Any]) -> Page:
    return msgspec.convert({"is": "page", "target": {}, **fields}, Page)


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


@cases("pauses")
def test_pauses(case) -> None:
    pace = Pace(case["delay"])
    for number, delay in enumerate(case.get("crawl_delays", [])):
        pace.origins[str(number)] = Origin(None, delay)
    for answer in case["answers"]:
        pace.heed(page(answer), 1, NOW)
    assert pace.pause() == case["pause"]
    given_up = pace.given_up(NOW)
    assert (list(given_up) if given_up else None) == case.get("given_up")


@cases("rules")
def test_what_a_robots_txt_stands_for(case) -> None:
    assert manners.rules_text(page(case["page"])) == case["rules"]


@cases("refusals")
def test_refusals(case) -> None:
    origin = manners.origin(case["robots"], "layercrawl/1.0")
    assert origin.refusal("http://a.example/x", "layercrawl/1.0") == case["refusal"]


def test_an_unreachable_origin_has_no_rules_for_an_hour() -> None:
    later = "2026-01-01T01:00:00Z"
    found = manners.unreachable(FAILED, NOW)
    assert found == Origin(None, 0.0, later, trouble=FAILED.reason)
    unknown = msgspec.structs.replace(FAILED, reason=answers.NO_SUCH_NAME)
    found = manners.unreachable(unknown, NOW)
    assert found == Origin(None, 0.0, later, missing=True, trouble=answers.NO_SUCH_NAME)


def test_what_an_origins_robots_txt_says() -> None:
    found = manners.origin("User-agent: *\nDisallow: /x\nCrawl-delay: 7", "layercrawl")
    assert (found.delay, found.not_before, found.missing) == (7.0, "", False)
    assert found.refusal("http://a.example/x", "layercrawl")


def test_a_robots_txt_of_other_letters_is_read_to_its_end() -> None:
    """What is not UTF-8 becomes escapes, three characters an octet; LIMIT octets are read of it."""
    line, last = b"Disallow: /" + b"\xe9" * 87 + b"\n", b"Disallow: /last\n"
    lines = line * ((robots.LIMIT - 100) // len(line))
    answer = {"outcome": "ok", "encoding": "utf-8"}
    body = base64.b64encode(b"User-agent: *\n" + lines + last).decode()
    text = manners.rules_text(page(answer | {"html": "?", "body_b64": body}))
    assert text is not None and len(text) > 2 * robots.LIMIT
    assert "/last" in manners.origin(text, "mybot").refusal("http://a.example/last", "mybot")


def test_a_host_is_given_up_after_so_many_failures_in_a_row() -> None:
    pace = Pace(1.0)
    for _ in range(GIVE_UP_AFTER - 1):
        pace.heed(FAILED, 1, NOW)
    assert pace.given_up(NOW) is None
    pace.heed(FAILED, 2, NOW)
    assert pace.given_up(NOW) is None, "second tries come in a row by themselves"
    pace.heed(FAILED, 1, NOW)
    assert pace.given_up(NOW) == ("host keeps failing", "2026-01-01T01:00:00Z")
    pace.heed(OK, 1, NOW)
    assert pace.given_up(NOW) is None


def test_pauses_stay_bounded_however_long_a_host_fails() -> None:
    pace = Pace(3.0)
    for _ in range(5000):
        pace.heed(FAILED, 1, NOW)
        assert pace.pause() <= MAX_PAUSE


def test_the_users_delay_may_be_longer_than_any_bound() -> None:
    assert Pace(300.0).pause() == 300.0
