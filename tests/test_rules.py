"""Which links of a page are followed."""

import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.rules import MAX_SEGMENTS, NOT_HTML, Rules

CASES = json.loads((Path(__file__).parent / "data/rules.json").read_text("utf-8"))
PAGE = "http://a.example/"


def rules(scope="any", places=(), **patterns):
    return Rules(scope, frozenset(places), **{name: tuple(v) for name, v in patterns.items()})


@pytest.mark.parametrize("case", CASES["cut"], ids=lambda case: case["description"])
def test_cut(case):
    made = rules(**case.get("rules", {}))
    assert made.cut(case["url"], case.get("page", PAGE)) == case["cut"]


@pytest.mark.parametrize("option", ["include", "exclude"])
def test_a_bad_pattern_is_named(option):
    with pytest.raises(ValueError, match=rf"{option}: .*'a\(b'"):
        rules(**{option: ["fine", "a(b"]})


def test_an_unknown_scope_is_named():
    with pytest.raises(ValueError, match="'planet'"):
        rules(scope="planet")


def test_parameters_are_dropped_by_name():
    url = PAGE + "?a&sid=1&utm_x=2"
    assert rules().without_params(url) == url
    assert rules(drop_params=["sid", "utm_*"]).without_params(url) == PAGE + "?a"


def test_rules_are_values_that_survive_the_way_to_a_worker():
    made = rules("site", ["a.example"], include=["/x"], drop_params=["sid"])
    again = pickle.loads(pickle.dumps(made))
    assert again == made and hash(again) == hash(made)
    assert again.cut(PAGE, PAGE) == "include"


def test_pages_are_no_files():
    pages = {
        "html",
        "htm",
        "xhtml",
        "shtml",
        "php",
        "asp",
        "aspx",
        "jsp",
        "cgi",
        "xml",
        "txt",
        "md",
    }
    assert not NOT_HTML & pages
    assert all(extension.isalnum() and extension.islower() for extension in NOT_HTML)


@given(st.lists(st.sampled_from(["a", "b", "c", "www.a.example"]), min_size=1, max_size=40))
def test_links_that_wind_themselves_up_come_to_an_end(segments):
    """A site that answers below every path, with relative links: paths stay short."""
    url = PAGE + "/".join(segments)
    if rules().cut(url, PAGE) is None:
        assert len(segments) <= min(MAX_SEGMENTS, 4 * 5)


def test_a_loop_of_one_relative_link_ends_within_ten_pages():
    url, fetched = PAGE + "de/privacy/", 0
    while rules().cut(url, PAGE) is None:
        url, fetched = url + "www.a.example/policies/partners/", fetched + 1
    assert fetched < 10
