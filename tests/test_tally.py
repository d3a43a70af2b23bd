"""Tallies: equal for equal sets, however they are split over tasks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from layercrawl.download.tally import Tally

RECORDS = st.lists(st.tuples(st.text(), st.sampled_from(["page", "robots", "sitemap"])))


def totals(records: list[tuple[str, str]]) -> dict[str, int]:
    tally = Tally()
    for url, kind in records:
        tally.add(url, kind)
    return tally.totals()


@given(RECORDS.flatmap(lambda records: st.tuples(st.just(records), st.permutations(records))))
def test_order_does_not_count(both: tuple[list[tuple[str, str]], list[tuple[str, str]]]) -> None:
    assert totals(both[0]) == totals(both[1])


@given(RECORDS, RECORDS)
def test_tasks_add_up(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> None:
    parts = [totals(one), totals(other)]
    assert totals(one + other) == {name: sum(p[name] for p in parts) for name in parts[0]}


@given(RECORDS, st.text())
def test_one_more_or_another_shows(records: list[tuple[str, str]], url: str) -> None:
    page, robots = totals([*records, (url, "page")]), totals([*records, (url, "robots")])
    assert page["records"] == robots["records"] == len(records) + 1
    assert page["checksum"] != robots["checksum"]


def test_nothing_is_nothing() -> None:
    assert Tally().totals() == {"records": 0, "checksum": 0}
