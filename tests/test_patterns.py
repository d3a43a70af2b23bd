"""URLs that one script may answer have one pattern, and others do not."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import urls
from layercrawl.planning.patterns import pattern, varies

CASES = json.loads((Path(__file__).parent / "data" / "patterns.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_urls_have_the_pattern(case) -> None:
    assert {pattern(urls.normalise(url)) for url in case["urls"]} == {case["pattern"]}
    assert varies(case["pattern"]) or len({url.split("/", 3)[3] for url in case["urls"]}) == 1


@given(st.text("a%f0-;&=?/1", max_size=40), st.integers(0, 10**6), st.integers(0, 10**6))
def test_numbers_do_not_count(text, one, other) -> None:
    first, second = (f"http://a.example/{text}/{number}/x" for number in (one, other))
    assert pattern(first) == pattern(second)


@given(st.text("aB%2Ff0-;&=?/1", max_size=60))
def test_a_pattern_that_does_not_vary_is_the_urls_own_path(text) -> None:
    found = pattern(f"http://a.example/{text}")
    assert varies(found) or found == f"/{text}"


@pytest.mark.parametrize("text", [one * 10_000 for one in ("aa", "f0-", "%2", "a1", "&&")])
def test_no_url_takes_long(text) -> None:
    start = time.process_time()
    pattern(f"http://a.example/{text}?{text}")
    assert time.process_time() - start < 10
