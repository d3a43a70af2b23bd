"""What later stages learn of a Page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.outlinks import outlinks
from layercrawl.records import Page, Target
from layercrawl.rules import Rules
from tests import planning

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "outlinks.json").read_text("utf-8")
)
DEFAULT_RULES = Rules("site", frozenset({"a.example"}))


def rules(case: dict[str, Any]) -> Rules:
    given_rules = {"scope": "site", "places": ["a.example"], **case.get("rules", {})}
    places = frozenset(given_rules.pop("places"))
    return Rules(
        places=places, **{k: v if k == "scope" else tuple(v) for k, v in given_rules.items()}
    )


def page_of(case: dict[str, Any]) -> Page:
    return msgspec.convert({"is": "page", "target": {}, "outcome": "ok", **case["page"]}, Page)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_outlinks(case) -> None:
    url = case.get("url", "http://a.example/dir/page")
    agent, unfollowed = case.get("agent", "layercrawl/1.0"), case.get("unfollowed", ["nofollow"])
    found = outlinks(url, page_of(case), rules(case), agent, unfollowed)
    expected = {"links": [], "cuts": {}, **case["found"]}
    expected["links"] = [tuple(link) for link in expected["links"]]
    assert {name: getattr(found, name) for name in expected} == expected


def test_a_page_keeps_what_tells_of_its_visit() -> None:
    page = Page(
        Target(depth=2), "ok", "why", 200, "2026-01-01T00:00:00Z", digest="d", html="words",
        headers=[("ETag", '"e"'), ("Last-Modified", "m"), ("Content-Length", "5")],
        not_before="2026-01-02T00:00:00Z",
    )  # fmt: skip
    found = outlinks("http://a.example/", page, DEFAULT_RULES, "layercrawl")
    assert (found.target, found.outcome, found.reason, found.status) == (
        page.target,
        "ok",
        "why",
        200,
    )
    assert (found.fetched, found.digest, found.not_before) == (page.fetched, "d", page.not_before)
    assert (found.etag, found.last_modified, found.length) == ('"e"', "m", 5)
    assert len(found.simhash) == 16


@pytest.mark.parametrize("length", ["", "-1", "+5", "1_0", "5, 5", "\u0665", "9" * 30])
def test_a_length_that_is_none(length) -> None:
    page = Page(Target(), "gone", headers=[("Content-Length", length)])
    assert outlinks("http://a.example/", page, DEFAULT_RULES, "layercrawl").length is None


HREFS = st.lists(
    st.sampled_from(
        ["/", "/x", "?q=1", "//b.example/", "#top", "mailto:a", "http://[", " ", "/x.png"]
    )
)


@planning.few
@given(HREFS, st.booleans())
def test_every_link_is_followed_cut_or_seen_before(hrefs, nofollow) -> None:
    rel = " rel=nofollow" if nofollow else ""
    page = Page(Target(), "ok", html="".join(f'<a href="{href}"{rel}>x</a>' for href in hrefs))
    found = outlinks("http://a.example/", page, DEFAULT_RULES, "layercrawl")
    assert len(dict(found.links)) == len(found.links)
    assert all(DEFAULT_RULES.cut(url, "http://a.example/") is None for url, _ in found.links)
    assert all(found.cuts.values()) and not (nofollow and found.links)
    assert "http://a.example/" not in dict(found.links)
