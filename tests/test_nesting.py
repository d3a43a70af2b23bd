"""Pages of any tags nest no deeper than the limit, and keep their text."""

import json
import re
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from layercrawl import nesting
from layercrawl.nesting.openelements import MOST_COPIES

CASES = json.loads((Path(__file__).parent / "data" / "nesting.json").read_text("utf-8"))
SLACK = 6  # html, body, a link or raw text beyond the limit, what tables imply
VOID = frozenset(
    ("area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input")
    + ("keygen", "link", "meta", "param", "source", "track", "wbr")
)
TAG = re.compile(r'<!--.*?-->|<(/?)([a-z][^ />]*)(?: [^ =]*="[^"]*")*>', re.DOTALL)
RAW = "script,style,xmp,iframe,noembed,noframes,plaintext"


def page(case: dict) -> str:
    numbers = count()
    body = [re.sub("%d", lambda _: str(next(numbers)), case["html"]) for _ in range(case["times"])]
    return case.get("before", "") + "".join(body)


def tree(html: str) -> LexborHTMLParser:
    parsed = LexborHTMLParser(html)
    nodes = parsed.css(RAW) + [n for f in parsed.template_fragments() for n in f.css(RAW)]
    for node in nodes:
        if node.first_child is not None and "<" in (node.text() or ""):
            node.inner_html = ""
    return parsed


def depth(html: str) -> int:
    deepest = now = 0
    for match in TAG.finditer(tree(html).html or ""):
        if match[1]:
            now -= 1
        elif match[2] and match[2] not in VOID:
            now += 1
            deepest = max(deepest, now)
    return deepest


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_case(case: dict) -> None:
    html = page(case)
    flat, changed = nesting.flatten(html)
    assert changed == case["changed"]
    assert changed or flat == html
    assert depth(flat) <= nesting.LIMIT + SLACK
    assert len(LexborHTMLParser(flat).css("*")) <= 20 * html.count("<") + 2 * MOST_COPIES


NAMES = """
a b i font nobr span x ruby rt p div section ul ol li dl dd dt h1 h2 table tbody tr td th caption
col colgroup form button select option optgroup input hr object marquee template svg math g title
desc foreignObject mi annotation-xml mglyph style script xmp noscript frameset body html br center
dialog address
"""
tags = st.builds(
    "<{}{}{}>".format,
    st.sampled_from(["", "", "/"]),
    st.shared(
        st.lists(st.sampled_from(NAMES.split()), min_size=2, max_size=7), key="names"
    ).flatmap(st.sampled_from),
    st.sampled_from(["", "", "", " id=1", " color=x", " encoding=text/html", "/"]),
)
units = st.lists(st.one_of(tags, st.just("t"), st.just("<!--x-->")), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(units.map("".join), units.map("".join))
def test_no_soup_of_tags_nests_deeper(start: str, unit: str) -> None:
    flat, _ = nesting.flatten(start + unit * 100)
    assert depth(flat) <= nesting.LIMIT + SLACK


@pytest.mark.parametrize(
    "unit", ["<a ", "<a", '<a x="', "<a x='<b y=\"", "<!--", "<script ", "<", "</", "<![CDATA["]
)
def test_unfinished_tags_end(unit: str) -> None:
    # Quadratic time would be hours here.
    html = unit * (2_000_000 // len(unit))
    flat, _ = nesting.flatten(html)
    assert len(flat) <= len(html)


def test_most_attributes_of_a_tag_are_left_out() -> None:
    attributes = " ".join(f'a{n}=">"' for n in range(20_000))
    flat, changed = nesting.flatten(f"<p {attributes}>b</p>")
    node = LexborHTMLParser(flat).css_first("p")
    assert changed
    assert len(node.attributes) == 1000
    assert node.text() == "b"


def test_huge_pages_keep_links_and_text(monkeypatch) -> None:
    monkeypatch.setattr(nesting, "_MOST_EFFORT", 2000)
    unit = "<div><a href=x>a</a><p>b<br>"
    flat, changed = nesting.flatten(unit * 3000)
    tree = LexborHTMLParser(flat)
    assert changed
    assert len(tree.css("a[href=x]")) == 3000
    assert tree.text() == "ab" * 3000
    assert depth(flat) <= nesting.LIMIT + SLACK
