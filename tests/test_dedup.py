"""Which page stands for equal ones, through both passes of MergeDriver."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import dedup, records
from layercrawl.records import Outlinks, Page, Target
from tests import planning

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "dedup.json").read_text("utf-8")
)
URLS = ["http://a.example/", "http://a.example/x", "http://b.example/x", "http://a.example/x/y"]
Visit = tuple[str, Page, bool]
VISITS = st.lists(
    st.tuples(
        st.sampled_from(URLS),
        st.builds(
            Page,
            target=st.builds(
                Target, depth=st.integers(0, 2), kind=st.sampled_from(["page", "robots"])
            ),
            outcome=st.sampled_from(["ok", "ok", "ok", "gone", "failed", "not_modified"]),
            status=st.just(200),
            fetched=planning.times(),
            digest=st.sampled_from(["d1", "d2", "d3"]),
        ),
        st.booleans(),
    ).map(lambda visit: (visit[0], records.replace(visit[1], html=visit[1].digest), visit[2])),
    max_size=12,
)


def light(page: Page, noindex: bool) -> Outlinks:
    return Outlinks(
        page.target, page.outcome, fetched=page.fetched, digest=page.digest, noindex=noindex
    )


def merged(visits: list[Visit], most: int | None = 3) -> dict[str, Page]:
    """Both passes, shuffled as Streaming does; a URL must not come out twice."""
    found = decisions([(url, light(page, noindex)) for url, page, noindex in visits], most)
    messages = [(url.encode(), b"0 " + value(url, page)) for url, page in found]
    messages += [
        (url.encode(), b"1 " + value(url, page))
        for url, page, _ in visits
        if page.outcome == "ok" and page.target.kind == "page"
    ]
    joined = [
        (url.decode(), page)
        for groups in planning.grouped(messages)
        for url, values in groups
        for page in dedup.joined(values)
    ]
    assert len(joined) == len(dict(joined)) == len(standing(found))
    return dict(joined)


def decisions(links: list[tuple[str, Outlinks]], most: int | None = 3) -> list[tuple[str, Page]]:
    """The first pass."""
    messages = [message for url, page in links for message in dedup.visited(url, page)]
    for step in (lambda _, visits: dedup.newest(dedup.read(visits)), *dedup.steps(most)):
        groups = [group for part in planning.grouped(messages) for group in part]
        messages = [message for key, values in groups for message in step(key, values)]
    return [p for part in planning.grouped(messages) for _, v in part for p in dedup.fallen(v)]


def standing(found: list[tuple[str, Page]]) -> dict[str, Page]:
    """What stands by the decisions, which must have the page of each URL that they name, once."""
    by_url: dict[str, list[Page]] = {}
    for url, page in found:
        by_url.setdefault(url, []).append(page)
    assert all(sum(1 for one in said if one.fetched) == 1 for said in by_url.values())
    return {url: page for url, said in by_url.items() if (page := dedup.decided(said))}


def value(url: str, page: Page) -> bytes:
    return records.encode(url, page).partition(b"\t")[2]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_merging(case) -> None:
    visits = []
    for url, depth, fetched, digest, *rest in case["visits"]:
        outcome = "ok" if rest in ([], ["noindex"]) else rest[0]
        page = Page(Target(depth=depth), outcome, status=200, fetched=fetched, digest=digest)
        visits.append((url, page, rest == ["noindex"]))
    pages = merged(visits)
    found = {
        url: [page.digest, [name for name, _, _ in page.duplicates]] for url, page in pages.items()
    }
    assert found == case["merged"]
    assert [url for url, page in pages.items() if page.gone] == case.get("gone", [])


@planning.few
@given(VISITS)
def test_every_good_url_is_in_one_place(visits) -> None:
    pages = merged(visits)
    newest: dict[str, list[tuple[str, bool]]] = {}
    for url, page, noindex in visits:
        if page.outcome == "ok" and page.target.kind == "page":
            newest.setdefault(url, []).append((page.fetched, noindex))
    listed = Counter([*pages, *(name for page in pages.values() for name, _, _ in page.duplicates)])
    surely = {
        url for url, seen in newest.items() if not any(no for at, no in seen if at == max(seen)[0])
    }
    never = {
        url for url, seen in newest.items() if all(no for at, no in seen if at == max(seen)[0])
    }
    assert surely <= listed.keys() <= newest.keys() - never
    assert set(listed.values()) <= {1}


@planning.few
@given(VISITS, st.randoms())
def test_pages_are_whole_and_the_same_in_any_order(visits, chance) -> None:
    pages = merged(visits)
    fetched = [(url, page) for url, page, _ in visits]
    for url, page in pages.items():
        assert (url, records.replace(page, duplicates=[], gone=False)) in fetched
    digests = [page.digest for page in pages.values()]
    assert len(digests) == len(set(digests))
    shuffled = visits[:]
    chance.shuffle(shuffled)
    assert merged(shuffled) == pages


def test_pages_of_urls_that_do_not_stand_are_dropped() -> None:
    page = Page(Target(), "ok", status=200, fetched="2026-01-01T00:00:00Z", digest="d")
    assert list(dedup.joined([b"1 " + value(URLS[0], page)])) == []
