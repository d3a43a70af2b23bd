"""How well pages fit a topic, what links promise, and a crawl that goes by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import driver
from layercrawl import records
from layercrawl.outlinks import outlinks
from layercrawl.records import Page, Target
from layercrawl.relevance import SCALE, Topic
from layercrawl.rules import Rules
from tests import crawling
from tests.test_small_webs import served

RULES = Rules("any", frozenset())
JAZZ = """Jazz is music with swing and improvisation, played by the saxophone and the trumpet.

The blues is the music of which jazz was made, with the guitar and a singer."""
URL = "http://a.example/"


def test_what_is_about_the_topic_fits_more_than_what_is_not() -> None:
    topic = Topic(JAZZ)
    near, far = (
        topic.relevance("A trumpet plays jazz music."),
        topic.relevance("Tax is due in May."),
    )
    assert 1 > near > 0.3 > far >= 0
    assert topic.relevance("") == topic.relevance("?!") == 0
    assert Topic("jazz trumpet").relevance("Trumpet: JAZZ") == pytest.approx(1)


def test_what_all_documents_say_counts_less_than_what_one_does() -> None:
    topic = Topic("jazz drums\n \nblues drums\n\nswing drums")
    assert topic.relevance("other words and swing") > 0
    assert topic._weight("swing") > topic._weight("drums")


def test_what_one_document_says_alone_is_less_of_the_topic_than_what_more_say() -> None:
    topic = Topic("jazz swing\n\nswing blues\n\nswing march")
    assert topic._topic["swing"] > 2 * topic._topic["blues"] > 0


def test_long_words_say_more_than_short_ones() -> None:
    topic = Topic("the trumpet")
    assert topic.relevance("trumpet") > topic.relevance("the")


def test_scripts_that_write_no_blanks_have_words_too() -> None:
    topic = Topic("爵士音樂史")
    assert topic.relevance("關於音樂") > 0 == topic.relevance("天氣預報")


@pytest.mark.parametrize("text", ["", " \n\n ", "?!…", "---"])
def test_a_topic_without_words_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="no words"):
        Topic(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_fits_between_not_at_all_and_wholly(about: str, text: str) -> None:
    try:
        topic = Topic(about)
    except ValueError:
        return
    assert 0 <= topic.relevance(text) <= 1 + 1e-9
    assert topic.relevance(" ".join(reversed(text.split()))) == topic.relevance(text)


def test_a_link_promises_more_for_its_words_or_its_urls_but_not_for_both() -> None:
    topic = Topic(JAZZ)
    bare = topic.link(100, f"{URL}7", "more")
    said, named = topic.link(100, f"{URL}7", "jazz"), topic.link(100, f"{URL}J%61zz_7", "")
    assert bare == 100 < named < said <= 100 + SCALE
    assert topic.link(100, f"{URL}jazz", "jazz") == said
    assert topic.link(100, "http://jazz.example/", "") == 100


def test_outlinks_have_what_each_link_promises_and_nothing_without_a_topic() -> None:
    html = "<title>Jazz</title>A trumpet and <a href=/t>tax</a>, <a href=/j>jazz</a><a href=/x>"
    page = Page(Target(), "ok", html=html)
    plain = outlinks(URL, page, RULES, "x")
    judged = outlinks(URL, page, RULES, "x", topic=Topic(JAZZ))
    assert b"relevance" not in records.encode(URL, plain)
    assert records.replace(judged, relevance=0, relevances=[]) == plain
    tax, jazz, other = judged.relevances
    assert 0 < judged.relevance == tax == other < jazz
    for outcome in ("gone", "redirect", "not_modified"):
        found = outlinks(URL, Page(Target(), outcome), RULES, "x", topic=Topic(JAZZ))
        assert (found.relevance, found.relevances) == (0, [])


PAGES = {
    "/robots.txt": "",
    "/tax": "Tax is due in May. <a href=/tax/more>more</a>",
    "/moved": "-> /blues",
    "/blues": "The blues is music for guitar. <a href=/blues/more>more</a>",
    "/": "<a href=/tax>this</a> <a href=/moved>the blues</a> <a href=/a>that</a>",
}


def crawl(root: Path, url: str, *words: str) -> int:
    options = [f"--root={root}", "--runner=inline", "--depth=3", "--delay=0", "--quiet"]
    return driver.main([*options, "--budget=1", "--allow-private", *words, url])


def test_a_crawl_goes_where_the_topic_is(tmp_path, capsys) -> None:
    (tmp_path / "jazz.txt").write_text(JAZZ, "utf-8")
    words = ["--order=best-first", f"--topic={tmp_path / 'jazz.txt'}"]
    with served(PAGES) as site:
        assert crawl(tmp_path / "crawl", site.url(), *words, "--max-pages=4") == 0
        pages = [path for path in site.asked if path != "/robots.txt"]
        assert pages[:4] == ["/", "/moved", "/blues", "/blues/more"]
        before = crawling.tree(tmp_path / "crawl")
        words[1] = "--topic=taxes in May"
        assert crawl(tmp_path / "crawl", site.url(), *words) == 2
    assert "--topic taxes in May cannot be set within a crawl" in capsys.readouterr().err
    assert crawling.tree(tmp_path / "crawl") == before
