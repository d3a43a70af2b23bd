"""URLs: parsing, the normal form, its parts, and the links of one page."""

import json
import re
from pathlib import Path

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from layercrawl import urls

CASES = json.loads((Path(__file__).parent / "data/urls.json").read_text("utf-8"))


def cases(group):
    return pytest.mark.parametrize("case", CASES[group], ids=lambda case: case["description"])


def arguments(case):
    return case["url"], case.get("base"), case.get("encoding", "utf-8")


@cases("normalise")
def test_normalise(case):
    assert urls.normalise(*arguments(case)) == case["expected"]


@cases("refuse")
def test_normalise_says_why_not(case):
    with pytest.raises(ValueError, match=case["why"]):
        urls.normalise(*arguments(case))


@cases("parse")
def test_parse(case):
    assert urls.parse(*arguments(case)) == case["expected"]


@cases("parts")
def test_parts(case):
    url = case["url"]
    assert urls.host(url) == case["host"]
    assert urls.site(url) == case["site"]
    assert urls.origin(url) == case["origin"]
    assert urls.robots_url(url) == case["origin"] + "/robots.txt"


@cases("drop_params")
def test_drop_params(case):
    assert urls.drop_params(case["url"], frozenset(case["names"])) == case["expected"]


@pytest.mark.parametrize("label", ["ü", "a.ü。", "xn--tda"])
@pytest.mark.parametrize("length", [100, 16_000, 20_000, 60_000])
def test_what_was_parsed_can_be_parsed_again(label, length):
    try:
        href = urls.parse("http://" + ".".join([label] * (length // len(label))))
    except ValueError:
        assert length > 10_000
    else:
        assert urls.parse(href) == href
        assert urls.Resolver(href)


TEXT = """
http: https: HTTP: // / /// .. ../ ./ . %2e %2E%2e %41 %7e % %zz %c3%a9 %2f ? ?a=b # x foo.html &a=1
;s=1 \\ | { ' " ~ _ $ ^ ` : :: :8080 :80 @ u:p@ mailto: javascript:x data: a.example A.Example
a.example. b..example [::1] 1.2.3.4 0x7f xn--a é 日本
"""
PIECES = [*TEXT.split(), " ", "\t", "\n", "\x00", "\x7f", "\ud800", "\xa0"]
HREFS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
BASES = st.sampled_from(
    [
        "http://a.example/c/d/e?q=1#f",
        "http://a.example/1/2/3/4/5/6/7/8/9/10/11",
        "https://b.example:8443",
        "http://[::1]:81/a//b/%7e/c",
        "http://h.example./%41/./x/../|",
        "http://u:p@h.example/x/",
        "http://under..dots/x",
        "file:///a/b",
        "mailto:x@y",
    ]
)
ENCODINGS = st.sampled_from(["utf-8", "UTF-8", "shift_jis", "iso-2022-jp", "windows-1252", "?"])


def attempt(call, *args):
    try:
        return call(*args)
    except ValueError:
        return None


@settings(max_examples=1500, deadline=None)
@given(HREFS, BASES, ENCODINGS)
def test_a_resolver_gives_what_normalise_gives(href, base, encoding):
    resolver = urls.Resolver(base, encoding)
    assert attempt(resolver.normalise, href) == attempt(urls.normalise, href, base, encoding)


@given(
    st.integers(0, 14), st.sampled_from(["", "x", "x/y.html", "?q", "%41", "./x", "a/../x"]), BASES
)
def test_a_resolver_climbs_as_normalise_does(height, rest, base):
    href = "../" * height + rest
    assert attempt(urls.Resolver(base).normalise, href) == attempt(urls.normalise, href, base)


@settings(max_examples=500, deadline=None)
@given(HREFS, ENCODINGS)
def test_the_normal_form_keeps_its_promises(href, encoding):
    url = attempt(urls.normalise, href, "http://a.example/b/c", encoding)
    if url is None:
        return
    assert urls.normalise(url) == url == urls.parse(url)
    assert urls.Resolver("http://b.example/").normalise(url) == url
    assert re.fullmatch(r"https?://[a-z0-9_.:\[\]-]+/[!$%&'()*+,./0-9:;=?@A-Z_a-z~-]*", url)
    assert url.startswith(urls.origin(url) + "/") and urls.host(url).endswith(urls.site(url))


@settings(max_examples=200, deadline=None)
@given(HREFS)
def test_http_clients_send_the_normal_form_as_it_is(href):
    url = attempt(urls.normalise, href, "http://a.example/b/c")
    if url is not None:
        assert requests.Request("GET", url).prepare().url == url


def test_a_base_must_parse():
    with pytest.raises(ValueError, match="not a URL"):
        urls.Resolver("nothing")


def test_hostile_links_are_read_in_linear_time():
    """Quadratic work on these would take minutes."""
    size = 100_000
    resolver = urls.Resolver("http://a.example/" + "a/" * size)
    for piece in (
        "../",
        "./",
        "%2",
        "/",
        "a:",
        "a/",
        "a.",
        "?",
        "http://",
        "http://a.",
        "&;=",
        "[",
        "é",
    ):
        attempt(resolver.normalise, piece * size + "\x00")
        attempt(resolver.normalise, "/?" + piece * size)
    assert resolver.normalise("../x").endswith("/a/x")
