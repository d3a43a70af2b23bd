"""What robots.txt allows, and why: by tables, by the definition, and against hostile files."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from layercrawl import robots
from layercrawl.robots.rules import Wildcard, path_of, pattern

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "data" / "robots.json").read_text("utf-8")
)
REASONS = (
    b"# comment\r\n\nUser-agent: *\rDisallow: /private\nUser-agent: *\n"
    b"ALLOW :  /private/open  # here\nSitemap: x\nDisallow: /\xc3\xbc\n"
    b"Disallow: /twice\nDisallow: /twice\nDisallow: /w*z\nDisallow: /w*z\n"
)


def cases(section: str) -> Any:
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["description"])


@cases("rules")
def test_rules(case: dict[str, Any]) -> None:
    parsed = robots.parse(case["robots"].encode("latin-1"))
    urls = case["allow"] + case["disallow"]
    allowed = [url for url in urls if parsed.allows(f"http://a.example{url}", case["agent"])]
    assert allowed == case["allow"]
    if "crawl_delay" in case:
        assert parsed.crawl_delay(case["agent"]) == case["crawl_delay"]
    assert list(parsed.sitemaps) == case.get("sitemaps", [])


@cases("why")
def test_why(case: dict[str, Any]) -> None:
    why = robots.parse(REASONS).why(case["url"], "mybot")
    assert why == (tuple(case["why"]) if case["why"] else None)


@cases("paths")
def test_paths(case: dict[str, Any]) -> None:
    assert path_of(case["url"]) == case["path"]


def test_what_lies_beyond_the_limit_is_ignored() -> None:
    start = b"User-agent: *\nDisallow: /a\n#".ljust(robots.LIMIT - 13, b"x") + b"\nDisallow: /b"
    assert len(start) == robots.LIMIT
    whole, cut = robots.parse(start), robots.parse(start + b"c\nDisallow: /d\n")
    assert not whole.allows("http://a.example/bcd", "mybot")
    assert cut.allows("http://a.example/bcd", "mybot")
    assert cut.allows("http://a.example/d", "mybot")
    assert not cut.allows("http://a.example/a", "mybot")


PATTERNS = st.text("/a*$", max_size=8).map(lambda text: "/" + text)
PATHS = st.text("/ab", max_size=8).map(lambda text: "/" + text)


def as_regex(octets: str) -> re.Pattern[str]:
    """RFC 9309's meaning of a pattern, the slow way."""
    anchored = octets.endswith("$")
    parts = map(re.escape, octets.removesuffix("$").split("*"))
    return re.compile(".*".join(parts) + (r"\Z" if anchored else ""), re.DOTALL)


@given(PATTERNS, PATHS)
@example("/a*$", "/a")
def test_wildcards_match_as_regular_expressions_do(octets: str, path: str) -> None:
    assert Wildcard(octets).matches(path) == bool(as_regex(octets).match(path))


@given(st.lists(st.tuples(st.booleans(), PATTERNS), max_size=8), PATHS)
def test_the_longest_rule_decides(rules: list[tuple[bool, str]], path: str) -> None:
    lines = [f"{'Allow' if allow else 'Disallow'}: {octets}" for allow, octets in rules]
    matching = [
        (len(pattern(octets)), allow)
        for allow, octets in rules
        if as_regex(pattern(octets)).match(path)
    ]
    parsed = robots.parse("\n".join(["User-agent: *", *lines]).encode())
    url = "http://a.example" + path
    assert parsed.allows(url, "mybot") is (not matching or max(matching)[1])
    why = parsed.why(url, "mybot")
    assert (why is None) is (not matching)
    assert why is None or lines[why[0] - 2] == why[1]


LINES = st.sampled_from(
    [
        "User-agent: *",
        "user-agent:mybot",
        "Disallow: /*a",
        "Allow",
        ":",
        "Crawl-delay: 1",
        "#",
        "\0",
    ]
)


@given(st.binary() | st.lists(LINES).map(lambda lines: "\n".join(lines).encode()), st.text())
def test_any_bytes_are_a_robots_txt(body: bytes, text: str) -> None:
    parsed = robots.parse(body)
    for agent in ("mybot", text):
        why = parsed.why("http://a.example/" + text, agent)
        assert why is None or why[1]
        assert parsed.allows("http://a.example/" + text, agent) in (True, False)
        assert (parsed.crawl_delay(agent) or 0) >= 0


HOSTILE = {
    "many rules": b"User-agent: *\n" + b"".join(b"Disallow: /dir%d/x\n" % i for i in range(25000)),
    "a thousand stars": b"User-agent: *\nDisallow: /" + b"a*" * 1000 + b"b$\n",
    "one endless pattern": b"User-agent: *\nDisallow: /" + b"*a" * 250_000,
    "many wildcards": b"User-agent: *\n" + b"".join(b"Allow: /*%d*b\n" % i for i in range(30000)),
    "many agents, many rules": b"".join(b"User-agent: a%d\n" % i for i in range(15000))
    + b"User-agent: mybot\n"
    + b"Allow: /a\n" * 25000,
    "one agent many times": b"User-agent: mybot\nCrawl-delay: 1\n" * 8000 + b"Allow: /a\n" * 25000,
    "escapes": b"User-agent: *\nDisallow: /" + b"%7e\xff" * 120_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_take_linear_time(body: bytes) -> None:
    start = time.process_time()
    robots.parse(body).allows("http://a.example/" + "a" * 2000, "mybot")
    assert time.process_time() - start < 10
