"""A crawl ends where a web does not: its budgets hold traps back, and say so."""

from __future__ import annotations

from collections import Counter

import pytest

from layercrawl import cli
from layercrawl.planning.patterns import pattern
from tests import crawling
from tests.web import Web, loopback, serve

ALIKE = 30
ROOM = 20 * ALIKE
"""Pages of a pattern: what a layer holds beyond the budget before it is read comes on top."""


def endless(web: Web, root, *words: str) -> tuple[str, dict[str, dict]]:
    """What a crawl says that no depth would end, and all its pages."""
    code, said = crawling.crawl(
        root, "--depth", "40", "--max-alike", str(ALIKE), *words, *web.seeds
    )
    assert code == 0, said
    return said, crawling.answers(root)


@pytest.mark.slow
def test_traps_end_within_their_budget_and_all_else_is_fetched(tmp_path, capsys) -> None:
    with serve(Web(hosts=loopback(1), degree=2, depth=2, port=0, extras=("endless",))) as web:
        said, found = endless(web, tmp_path, "--include", "/plain/|/endless/")
        ordinary = Web(web.seed, web.hosts, web.port, web.degree, web.depth).truth(4)
    fates = Counter(pattern(url) for url in found if "/endless/" in url)
    traps = {rest: fates[f"/endless/{rest}"] for rest in (
        "calendar?month", "session?sid", "list?colour&size&sort", "lost/#"
    )}  # fmt: skip
    assert all(ALIKE < count < ROOM for count in traps.values()), traps
    assert {u for u in found if "/plain/" in u} == {u for u in ordinary if "/plain/" in u}
    counts = crawling.totals(max((tmp_path / "in").glob("layer-*")))
    held = counts["urls: pattern gives near-equal pages"]
    assert f"held back: {held} URLs, pattern gives near-equal pages (--max-alike)" in said
    month = next(u for u in held_links(tmp_path, found) if "calendar" in u)
    assert cli.main(["why", month, "--root", str(tmp_path)]) == 0
    assert "left out: pattern gives near-equal pages (--max-alike)" in capsys.readouterr().out


def held_links(root, found):
    """URLs that are linked to and were not fetched."""
    for folder in sorted((root / "out").glob("layer-*")):
        for _, record in crawling.records(folder):
            yield from (url for url, _ in record.get("links", []) if url not in found)


@pytest.mark.slow
def test_a_host_that_sends_its_errors_as_pages_is_left_alone(tmp_path) -> None:
    web = Web(hosts=loopback(1), degree=1, depth=1, port=0, extras=("mistaken",))
    with serve(web) as web:
        said, found = endless(web, tmp_path, "--include", "/mistaken/|/plain/")
    assert ALIKE < sum("/mistaken/" in url for url in found) < ROOM
    assert "host gives near-equal pages (--max-alike)" in said


@pytest.mark.slow
def test_a_budget_is_exact_and_a_greater_one_frees_what_was_held_back(tmp_path) -> None:
    def months(pages: int) -> int:
        words = ["--max-per-pattern", str(pages), "--include", "/endless/calendar|/endless/$"]
        said, found = endless(web, tmp_path, "--max-alike", "0", *words)
        assert "over the pattern's budget (--max-per-pattern)" in said
        return sum("/calendar" in url for url in found)

    with serve(Web(hosts=loopback(1), degree=1, depth=1, port=0, extras=("endless",))) as web:
        assert months(5) == 5
        assert months(20) == 20
