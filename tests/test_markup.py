"""Pages as `layercrawl.markup` reads them; cases in data/markup.json."""

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layercrawl import markup, urls
from layercrawl.markup import slicing
from layercrawl.markup.refresh import refresh_target

CASES = json.loads((Path(__file__).parent / "data" / "markup.json").read_text("utf-8"))
URL = CASES["url"]
FIELDS = ("base", "title", "lang", "canonical", "refresh", "unusable", "text")


def each(name):
    return [pytest.param(case, id=case["description"]) for case in CASES[name]]


def seen(document):
    """What a case may say about a page."""
    return {name: getattr(document, name) for name in FIELDS} | {
        "links": [link.url for link in document.links],
        "texts": [link.text for link in document.links],
        "nofollowed": [link.url for link in document.links if "nofollow" in link.rel],
    }


@pytest.mark.parametrize("case", each("pages"))
def test_page(case):
    document = markup.parse(case["html"], URL)
    found = seen(document)
    told = {name: value for name, value in case.items() if name in found}
    assert told == {name: found[name] for name in told}
    assert document.noindex == case.get("noindex", False)
    assert document.nofollow == case.get("nofollow", False)


@pytest.mark.parametrize("case", each("headers"))
def test_robots_header(case):
    wanted = markup.Directives(case["noindex"], case["nofollow"])
    assert markup.robots_header(case["value"], case["agent"]) == wanted


@pytest.mark.parametrize("case", each("refresh"))
def test_refresh_target(case):
    assert refresh_target(case["content"]) == case["target"]


def test_queries_are_written_in_the_encoding_of_the_page():
    page = '<base href="/é/?é"><a href="ü?ü">x</a><meta http-equiv=refresh content="0;r?ü">'
    document = markup.parse(page, URL, "windows-1252")
    assert document.base == "http://a.example/%C3%A9/?%E9"
    assert [link.url for link in document.links] == ["http://a.example/%C3%A9/%C3%BC?%FC"]
    assert document.refresh == "http://a.example/%C3%A9/r?%FC"


@pytest.mark.parametrize("labels", [2000, 2100, 6000])
def test_a_base_of_any_length_is_one_or_none(labels):
    page = f"<base href='http://{'ü.' * labels}'><a href=/x>x</a>"
    assert [link.url for link in markup.parse(page, URL).links] in ([], ["http://a.example/x"])


def test_link_text_has_a_longest_length():
    document = markup.parse(f"<a href=1>{'x ' * 300}</a><a href=2>{'x' * 300}</a>", URL)
    assert [link.text for link in document.links] == [("x " * 100).strip(), "x" * 200]


def test_a_page_needs_a_url():
    with pytest.raises(ValueError):
        markup.parse("<p>x", "no url")


def test_documents_compare_by_what_they_say():
    one, same = markup.parse("<p>x", URL), markup.parse("<p>x", URL)
    assert one == same
    assert one != dataclasses.replace(same, title="y")


def test_source_text_is_the_text_with_white_space_as_it_comes():
    document = markup.parse("<p>a  \n b", URL)
    assert (document.source_text.strip(), document.text) == ("a  \n b", "a b")


def test_pages_are_flattened_first(monkeypatch):
    monkeypatch.setattr(markup.nesting, "flatten", lambda html: (html.replace("<b>", ""), True))
    assert not markup.parse("<b>x" * 1000, URL).flattened  # too few to take long
    document = markup.parse("<a href=1><b>x" * 600, URL)
    assert document.flattened
    assert document.text.replace(" ", "") == "x" * 600


def test_a_huge_page_says_the_same_in_slices(monkeypatch):
    page = (
        "<html lang=de><title>T</title><base href=/b/><link rel=canonical href=c>"
        + "".join(
            f"<p>{n} <a href={n}>link {n}</a><a href=mailto:{n}>m</a><a href=1>1</a>"
            for n in range(50)
        )
        + "<meta name=robots content=none><title>U</title><link rel=canonical href=c#x>"
        + "<meta http-equiv=refresh content='0;r'><meta http-equiv=refresh content='0;s'>"
    )
    whole = markup.parse(page, URL)
    monkeypatch.setattr(slicing, "LONGEST", 100)
    sliced = markup.parse(page, URL)
    assert whole.unusable == 50 and whole.noindex and whole.canonical and whole.refresh
    assert seen(sliced) == seen(whole)
    assert dataclasses.replace(sliced, source_text=whole.source_text) == whole


def test_canonical_urls_of_two_slices_contradict_each_other(monkeypatch):
    monkeypatch.setattr(slicing, "LONGEST", 10)
    page = "<link rel=canonical href=/c><link rel=canonical href=/d>"
    assert markup.parse(page, URL).canonical is None


def test_lone_surrogates_are_data():
    document = markup.parse('<a href="/\ud800">\udfff x</a>', URL)
    assert document.links[0].url.startswith("http://a.example/")
    document.text.encode()


def test_anchors_in_anchors_cost_no_more_than_their_page():
    page = "".join(f"<a href={n}><table><tr><td>" for n in range(50)) + "x" * 10_000
    texts = [link.text for link in markup.parse(page, URL).links]
    assert len(texts) == 50
    assert texts.count("x" * 200) == 3  # more than twice the page: the rest stay without


@pytest.mark.parametrize(
    "page",
    [
        "<" * 1_000_000,
        "<!--" * 250_000,
        f'<a href="{"x" * 5_000_000}" title="{"y" * 5_000_000}">x</a>',
        "".join(f"<a href=/{n}>x</a>" for n in range(20_000)),
        '<meta http-equiv=refresh content="1;url=mailto:x">' * 10_000,
        "<p>" + "<b>x</b>" * 100_000,
        "<p>" + "<b>x" * 20_000,
        "<nav>" * 100 + "<aside>x</aside>" * 10_000,
    ],
    ids=[
        "angle brackets",
        "comments",
        "attributes",
        "links",
        "refreshes",
        "inline",
        "nested",
        "landmarks",
    ],
)
def test_hostile_pages_are_read(page):
    markup.parse(page, URL).text.encode()


ATTRIBUTES = st.sampled_from(["href", "src", "rel=nofollow", "content", "name=robots"])
TAGS = st.sampled_from(["a", "area", "iframe", "base", "meta", "link", "title", "svg", "nav", "/p"])
TAG = st.builds(
    lambda tag, attribute, value: f"<{tag} {attribute}='{value}'>",
    TAGS,
    ATTRIBUTES,
    st.text(max_size=8) | st.sampled_from(["http://b.example/x", "//", "?", "#", "none", "\0"]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(TAG | st.text(max_size=8), max_size=12).map("".join))
def test_any_page_gives_usable_links_once_each(page):
    document = markup.parse(page, URL)
    found = [link.url for link in document.links]
    assert len(found) == len(set(found))
    assert [urls.normalise(url) for url in found] == found
    assert document.text == " ".join(document.text.split())


HREF = st.text("ab/.:?#% \t\x01\\é", max_size=8)


@settings(max_examples=300, deadline=None)
@given(HREF, st.sampled_from([URL, "ftp://a.example/x", "mailto:x"]))
def test_links_are_what_normalise_makes_of_them(href, base):
    try:
        wanted = [urls.normalise(href, base)]
    except ValueError:
        wanted = []
    page = f"<base href='{base}'><a href='{href}'>x</a>"
    assert [link.url for link in markup.parse(page, URL).links] == wanted
