"""What robots.txt files say is looked up in bounded memory: parsed, or parsed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from layercrawl import records
from layercrawl.download import rulebook
from layercrawl.download.rulebook import Rulebook
from layercrawl.download.spool import Spool
from layercrawl.manners import Origin
from layercrawl.records import Page, Target

URL = "http://a.example/robots.txt"


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spool:
    monkeypatch.chdir(tmp_path)
    return Spool()


def noted(spool: Spool, path: str) -> int:
    page = Page(Target(kind="robots"), "ok", html=f"User-agent: *\nDisallow: {path}")
    return spool.append(records.encode(URL, page))


def forbids(origin: Origin, path: str) -> bool:
    return bool(origin.refusal(f"http://a.example{path}", "layercrawl"))


def test_each_place_has_its_own_rules_however_little_is_kept(spool: Spool) -> None:
    places = [noted(spool, f"/{n}/") for n in range(9)]
    for most in (0, 1200, 100_000):
        book = Rulebook(spool, "layercrawl", most)
        for _ in range(2):
            for n, place in enumerate(places):
                assert forbids(book.origin(place), f"/{n}/x")
                assert not forbids(book.origin(place), "/9/")


def test_those_used_last_are_not_parsed_again(spool: Spool) -> None:
    one, two, three = (noted(spool, f"/{n}") for n in range(3))
    book = Rulebook(spool, "layercrawl", 1200)
    first, second = book.origin(one), book.origin(two)
    assert book.origin(one) is first
    book.origin(three)
    assert book.origin(one) is first
    assert book.origin(two) is not second


def test_rules_that_were_known_and_those_that_were_fetched() -> None:
    known = Page(Target(kind="robots", rules="known"), "not_modified")
    assert rulebook.rules_text(known) == "known"
    fetched = Page(Target(kind="robots", rules=None), "ok", html="fetched")
    assert rulebook.rules_text(fetched) == "fetched"
    assert rulebook.rules_text(Page(Target(kind="robots"), "failed")) is None
