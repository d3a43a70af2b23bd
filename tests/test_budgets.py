"""What is held back of a host, by what it gave before."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layercrawl.config import Config
from layercrawl.planning import budgets
from layercrawl.planning.budgets import ALIKE, ALIKE_HOST, OVER_HOST, OVER_PATTERN, Budgets
from layercrawl.records import Visit

CHANCE = random.Random(1)
ERROR = CHANCE.getrandbits(64)


def fresh(count: int) -> list[int]:
    """Fingerprints of pages that have nothing in common."""
    return [CHANCE.getrandbits(64) for _ in range(count)]


def near(count: int) -> list[int]:
    """Fingerprints of pages near to one page, but for a word."""
    return [ERROR ^ (1 << CHANCE.randrange(64)) for _ in range(count)]


def asked(path: str, bits: int, outcome: str = "ok") -> bytes:
    visit = Visit("2026-01-01T00:00:00Z", 0, outcome, "d" * 64, f"{bits:016x}")
    return budgets.row(f"http://a.example{path}", [visit])


def numbered(fingerprints: list[int], path: str = "/p") -> list[bytes]:
    return [asked(f"{path}/{n}", bits) for n, bits in enumerate(fingerprints)]


def named(fingerprints: list[int]) -> list[bytes]:
    letters = str.maketrans("0123456789", "abcdefghij")
    return [asked(f"/{n}".translate(letters), bits) for n, bits in enumerate(fingerprints)]


def mixed(fingerprints: list[int]) -> list[bytes]:
    """Each under a path with a number, which is a pattern of its own."""
    letters = str.maketrans("0123456789", "abcdefghij")
    return [asked(f"/{str(n).translate(letters)}7/x", bits) for n, bits in enumerate(fingerprints)]


def spent(rows: list[bytes], **options: int) -> Budgets:
    budget = Budgets(Config(**options))
    for row in sorted(rows):
        budget.spend(row)
    return budget


def fate(rows: list[bytes], path: str, **options: int) -> str:
    return spent(rows, **options).refusal(f"http://a.example{path}")


@pytest.mark.parametrize(
    ("rows", "path", "reason"),
    [
        (numbered(near(101)), "/p/777", ""),
        (numbered(near(102)), "/p/777", ALIKE),
        (numbered([ERROR] * 102), "/p/777", ALIKE),
        (numbered(near(102)), "/p/777/more", ""),
        (numbered(near(102)), "/p/seven", ""),
        (numbered(fresh(1000)), "/p/777", ""),
        (numbered(near(500) + fresh(400)), "/p/777", ""),
        (numbered(near(500) + fresh(390)), "/p/777", ALIKE),
        (numbered([bits for bits in fresh(300) for _ in "ab"]), "/p/777", ""),
        (numbered([bits for bits in fresh(150) for _ in "abc"]), "/p/777", ALIKE),
        ([asked(f"/p/{n}", 0) for n in range(102)], "/p/777", ALIKE),
        ([asked(f"/p/{n}", ERROR, "gone") for n in range(500)], "/p/777", ""),
        (named(near(99)), "/new", ""),
        (named(near(101)), "/new", ALIKE_HOST),
        (named(near(101)), "/new/1", ""),
        (named(near(300) + fresh(150)), "/new", ALIKE_HOST),
        (named(near(300) + fresh(250)), "/new", ""),
        (named([bits for bits in fresh(300) for _ in "abc"]), "/new", ""),
        (numbered(near(300)) + named(fresh(10)), "/new", ""),
        (mixed(near(99)), "/new7/x", ""),
        (mixed(near(101)), "/new7/x", ALIKE_HOST),
        (mixed(near(101)), "/new", ""),
        (mixed(near(101)) + numbered(fresh(2)), "/p/777", ""),
        (mixed(near(300) + fresh(150)), "/new7/x", ALIKE_HOST),
        (mixed(near(300) + fresh(250)), "/new7/x", ""),
    ],
)
def test_near_equal_pages_end_a_pattern_when_they_outnumber_the_others(rows, path, reason) -> None:
    assert fate(rows, path) == reason
    assert fate(rows, path, max_alike=0) == ""


def test_a_pattern_has_so_many_pages_asked_and_to_ask_together() -> None:
    budget = spent(numbered(fresh(3)), max_per_pattern=5)
    found = [budget.refusal(f"http://a.example/p/{n}") for n in range(10, 14)]
    assert found == ["", "", OVER_PATTERN, OVER_PATTERN]
    assert budget.refusal("http://a.example/q/1") == ""
    names = [budget.refusal(f"http://a.example/{name}") for name in "abcdefgh"]
    assert names == [""] * 8


def test_a_host_has_so_many_pages_in_all() -> None:
    budget = spent(numbered(fresh(2)) + named(fresh(2)), max_host_pages=6)
    found = [budget.refusal(f"http://a.example/{name}") for name in "xyz"]
    assert found == ["", "", OVER_HOST]


@given(st.permutations(list(range(30))))
@settings(max_examples=20, deadline=None)
def test_the_order_in_which_pages_came_does_not_matter(order) -> None:
    rows = numbered(near(20) + fresh(10))
    shuffled = [rows[n] for n in order]
    for most in range(1, 20):
        assert fate(shuffled, "/p/777", max_alike=most) == fate(rows, "/p/777", max_alike=most)


def test_patterns_without_end_take_no_memory_without_end(monkeypatch) -> None:
    monkeypatch.setattr(budgets, "MOST_PATTERNS", 100)
    budget = spent([asked(f"/x{'y' * n}/1", 1) for n in range(1000)], max_per_pattern=5)
    assert len(budget._taken) <= 100
    pairs = [asked(f"/x{'y' * n}/{m}", n << 32 | m) for n in range(200) for m in range(2)]
    assert len(spent(pairs)._proven) <= 100
    rows = numbered(fresh(5)) + [asked(f"/x{'y' * n}/1", 1) for n in range(1000)]
    assert fate(rows, "/p/777", max_per_pattern=5) == OVER_PATTERN


def test_every_reason_names_an_option() -> None:
    assert set(budgets.REASONS.values()) == {
        "--max-per-pattern", "--max-host-pages", "--max-alike",
    }  # fmt: skip
