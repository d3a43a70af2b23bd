"""Pages of any tags nest no deeper than the limit, and keep their text."""

import json
import re
import time
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from layercrawl import nesting

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
    assert len(LexborHTMLParser(flat).css("*")) <= 20 * html.count("<") + 2 * nesting.LIMIT**2
