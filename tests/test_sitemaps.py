"""What sitemaps list: by cases, by random and hostile bytes, and at the limits."""

from __future__ import annotations

import base64
import gzip
import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import sitemaps, urls
from layercrawl.sitemaps import MAX_BYTES, MAX_URLS, Sitemap, entries, parse
from layercrawl.sitemaps.content import Content
from layercrawl.sitemaps.entries import LONGEST
from tests.planning import few

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "sitemaps.json").read_text("utf-8")
)
URL = "http://a.example/sitemap.xml"
ONE = b"<urlset><url><loc>http://a.example/x</loc></url></urlset>"
PIECES = [
    "<urlset>", "<sitemapindex>", "<feed>", "<rss>", "<url>", "</url>", "<url/>", "<sitemap>",
    "<entry>", "</entry>", "<item>", "<loc>", "</loc>", "<lastmod>", "</lastmod>", "<link>",
    "<link href='/y'/>", "<image:image>", "</image:image>", "/x", "http://a.example/z", "2020",
    "Mon, 1 Jan", "<!--", "-->", "<![CDATA[", "]]>", "<!DOCTYPE", "<", ">", "&", "&amp;", "&#x1;",
    "\n", "\0", "é",
]  # fmt: skip


def locs(sitemap: Sitemap) -> list[str]:
    return [location.loc for location in sitemap.urls]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_cases(case: dict[str, Any]) -> None:
    body = base64.b64decode(case["b64"]) if "b64" in case else case["text"].encode()
    found = parse(body, case.get("url", URL))
    assert [list(location) for location in found.urls] == case.get("urls", [])
    assert list(found.sitemaps) == case.get("sitemaps", [])
    assert found.skipped == case.get("skipped", 0)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_unicodes_encodings(encoding: str) -> None:
    text = "<?xml version='1.0'?><urlset><url><loc>/é</loc></url></urlset>"
    assert locs(parse(text.encode(encoding), URL)) == ["http://a.example/%C3%A9"]


def test_a_declared_encoding() -> None:
    text = "<?xml version='1.0' encoding='iso-8859-2'?><urlset><url><loc>/ž</loc></url></urlset>"
    assert locs(parse(text.encode("iso-8859-2"), URL)) == ["http://a.example/%C5%BE"]


@pytest.mark.parametrize("url", ["", "/sitemap.xml", "ftp://a.example/", "http://["])
def test_a_sitemap_has_a_url(url: str) -> None:
    with pytest.raises(ValueError):
        parse(ONE, url)


# gzip, told by its first bytes


def test_gzip_in_one_or_more_members() -> None:
    assert locs(parse(gzip.compress(ONE), URL)) == ["http://a.example/x"]
    assert locs(parse(gzip.compress(ONE[:20]) + gzip.compress(ONE[20:]), URL)) == [
        "http://a.example/x"
    ]
    assert locs(parse(gzip.compress(b"http://a.example/y"), URL)) == ["http://a.example/y"]


def test_a_name_does_not_make_it_gzip() -> None:
    assert locs(parse(ONE, "http://a.example/s.xml.gz")) == ["http://a.example/x"]


def test_gzip_with_text_behind_it() -> None:
    found = parse(gzip.compress(ONE) + b"<!-- cached -->", URL)
    assert (locs(found), found.skipped) == (["http://a.example/x"], 0)


def test_gzip_that_is_cut_short_gives_what_it_holds() -> None:
    numbers = "".join(f"<url><loc>/{n * 7919 % 10007}</loc></url>" for n in range(10_000))
    packed = gzip.compress(f"<urlset>{numbers}".encode())
    found = parse(packed[: len(packed) // 2], URL)
    assert 1000 < len(found.urls) < 9000 and found.skipped
    assert locs(found) == locs(parse(f"<urlset>{numbers}".encode(), URL))[: len(found.urls)]
    assert parse(b"\x1f\x8b", URL) == parse(b"\x1f\x8bnonsense", URL) == Sitemap(skipped=1)


def test_a_text_that_is_cut_short_does_not_end_in_half_a_url() -> None:
    lines = "".join(f"http://a.example/{n * 7919 % 10007}/end\n" for n in range(10_000))
    packed = gzip.compress(lines.encode())
    found = parse(packed[: len(packed) // 2], URL)
    assert found.skipped == 1 and all(loc.endswith("/end") for loc in locs(found))
    assert len(found.urls) > 1000


# Limits


def test_more_urls_than_a_sitemap_may_hold() -> None:
    lines = "".join(f"http://a.example/{n}\n" for n in range(MAX_URLS + 3))
    found = parse(lines.encode(), URL)
    assert (len(found.urls), found.skipped) == (MAX_URLS, 1), "all that is beyond counts once"
    entries = "<sitemap><loc>/x</loc></sitemap>" * MAX_URLS + "<url><loc>/y</loc></url>"
    found = parse(f"<sitemapindex>{entries}".encode(), URL)
    assert (len(found.sitemaps), found.urls, found.skipped) == (MAX_URLS, (), 1)


def test_a_bomb_is_read_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    start = b"<urlset><url><loc>/x</loc></url>"
    bomb = gzip.compress(start + b" " * MAX_BYTES + b"<url><loc>/y</loc></url>")
    found = parse(bomb, URL)
    assert (locs(found), found.skipped) == (["http://a.example/x"], 1)
    monkeypatch.setattr(sitemaps, "MAX_BYTES", len(start))
    found = parse(start + b"<url><loc>/y</loc></url>", URL)
    assert (locs(found), found.skipped) == (["http://a.example/x"], 1)


def test_a_bomb_takes_little_memory() -> None:
    start = "<urlset><url><loc>/x</loc></url>\U0001f600".encode()
    bomb = gzip.compress(start + b" " * MAX_BYTES, 1)
    tracemalloc.start()
    try:
        found = parse(bomb, URL)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert (locs(found), found.skipped) == (["http://a.example/x"], 1)


def test_more_markup_than_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MOST_TOKENS", 8)
    found = parse(b"<urlset><url><loc>/x</loc></url>" + b"<a>" * 9, URL)
    assert (locs(found), found.skipped) == (["http://a.example/x"], 1)


@few
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.data())
def test_slices_say_what_the_whole_says(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=9)))
    slices = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert list(entries.read(slices)) == list(entries.read([text]))


@pytest.mark.parametrize(
    ("start", "end"),
    [("<!-- <loc>", "-->"), ("<![CDATA[", "]]>"), ("<!DOCTYPE x [", ">"), ("<?x ", ">"),
     ("<a ", "/>"), ("<", "<!---->"), ("", "<!---->")],
)  # fmt: skip
def test_what_is_longer_than_anything_that_is_read_ends_where_it_ends(start: str, end: str) -> None:
    text = ["<urlset><url>", start, *["xxx-" * (LONGEST // 8)] * 5, end[0], end[1:]]
    after = "<loc>/x</loc></url><url><loc>/y</loc></url>"
    assert [entry.loc for entry in entries.read([*text, after])] == ["/x", "/y"]
    whole = b"".join(piece.encode() for piece in [*text, after])
    assert locs(parse(whole, URL)) == ["http://a.example/x", "http://a.example/y"]


def test_an_address_that_is_too_long_is_none() -> None:
    entry = "<url><loc>/" + "x" * LONGEST + "</loc></url>"
    found = parse(f"<urlset>{entry}<url><loc>/y</loc></url>".encode(), URL)
    assert (locs(found), found.skipped) == (["http://a.example/y"], 1)
    lines = f"http://a.example/{'x' * 9 * LONGEST}\r\nhttp://a.example/y"
    found = parse(lines.encode(), URL)
    assert (locs(found), found.skipped) == (["http://a.example/y"], 1)


def test_a_character_beyond_those_that_tell_the_encoding() -> None:
    lines = "http://a.example/\n" * 70_000 + "http://a.example/é\n"
    content = Content(lines.encode(), MAX_BYTES)
    assert "".join(content) == lines and content.whole


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<![CDATA[", "<a", "<", "<url>", "</url>", "<a>", "<url><loc>", "&#", "<link href='",
     "<link a b=", "<?", "<!DOCTYPE [", "\n", "x\n", "x", "<link href=x ",
     "<link " + " href=" * 99],
)  # fmt: skip
def test_time_grows_with_the_length_alone(piece: str) -> None:
    def seconds(size: int) -> float:
        start = "" if piece == "x" else "<urlset><url>"
        body = (start + piece * (size // len(piece))).encode()
        begun = time.process_time()
        parse(body, URL)
        return time.process_time() - begun

    assert seconds(320_000) < 16 * max(seconds(40_000), 0.005)


@few
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.data())
def test_any_soup_gives_normal_urls_and_no_error(text: str, data: st.DataObject) -> None:
    body = text.encode()
    found = parse(body[: data.draw(st.integers(0, len(body)))], URL)
    for loc in (*locs(found), *found.sitemaps):
        assert urls.normalise(loc) == loc


@few
@given(st.binary(max_size=200))
def test_any_bytes_give_no_error(body: bytes) -> None:
    for start in (b"", b"\x1f\x8b", b"<urlset><url><loc>", b"<feed><entry><updated>"):
        parse(start + body, URL)
    assert parse(gzip.compress(body), URL) == parse(body, URL)
