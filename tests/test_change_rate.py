"""What visits tell of how often a page changes, and who is visited next for that."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl.planning import change_rate
from layercrawl.planning.change_rate import LONGEST, SHORTEST, Interval, Weights

ROUND = SHORTEST.total_seconds()
INTERVALS = st.lists(st.tuples(st.floats(1, 1e8), st.booleans()), max_size=15)


@given(INTERVALS, st.randoms())
def test_no_interval_or_order_of_them_gives_other_than_chances(intervals, chance) -> None:
    shuffled = chance.sample(intervals, len(intervals))
    weights = change_rate.weights(intervals)
    assert math.fsum(weights) == pytest.approx(1) and min(weights) >= 0
    assert change_rate.weights(shuffled) == weights
    assert SHORTEST.total_seconds() <= change_rate.period(weights) <= LONGEST.total_seconds()


@given(INTERVALS, st.floats(0, 1e8), st.floats(0, 1e8))
def test_the_longer_a_page_waits_the_more_its_visit_is_worth(intervals, one, other) -> None:
    weights = change_rate.weights(intervals)
    less, more = sorted([one, other])
    assert 0 <= change_rate.worth(weights, less) <= change_rate.worth(weights, more)


@pytest.mark.parametrize("rounds", [2, 5, 20, 100])
def test_a_rate_is_found_by_what_it_brings(rounds) -> None:
    """The likely rate is that of a page which changes in as many intervals as such a page does."""
    share = 1 - math.exp(-1 / rounds)
    intervals = [(ROUND, n < 1000 * share) for n in range(1000)]
    assert change_rate.period(change_rate.weights(intervals)) == pytest.approx(
        rounds * ROUND, rel=0.1
    )


class Page:
    """A page that changes at random, and is asked for in rounds."""

    def __init__(self, rate: float, seed: int) -> None:
        self.rate, self.chance = rate, random.Random(seed)
        self.asked, self.fresh, self.told = 0, True, list[Interval]()
        self.weights: Weights = change_rate.weights([])

    def live(self) -> None:
        self.fresh &= self.chance.random() >= -math.expm1(-self.rate)

    def visit(self, number: int) -> None:
        self.told = [*self.told, ((number - self.asked) * ROUND, not self.fresh)][-15:]
        self.asked, self.fresh, self.weights = number, True, change_rate.weights(self.told)


def freshness(score: Callable[[Page, int], float], most: int) -> float:
    """The mean share of fresh pages in the last of 120 rounds."""
    rates = [0.003 * 100 ** (n / 149) for n in range(150)]
    pages, fresh = [Page(rate, seed) for seed, rate in enumerate(rates)], 0
    for number in range(1, 121):
        for page in pages:
            page.live()
        for page in sorted(pages, key=lambda page: -score(page, number))[:most]:
            page.visit(number)
        fresh += sum(page.fresh for page in pages) * (number > 80)
    return fresh / 40 / len(pages)


def worth(page: Page, number: int) -> float:
    return change_rate.worth(page.weights, (number - page.asked) * ROUND)


def by_true_rate(page: Page, number: int) -> float:
    return change_rate.gain(page.rate, number - page.asked)


def waited(page: Page, number: int) -> float:
    return number - page.asked


def test_visits_by_worth_keep_pages_fresher_than_the_same_for_all() -> None:
    ours, equal, best = (freshness(score, 15) for score in (worth, waited, by_true_rate))
    assert equal + 0.01 < ours < best + 0.01
    assert ours > 0.97 * best


def test_where_visits_are_shared_out_best_they_are_worth_the_same() -> None:
    """By trial: of all ways to share one visit a round between two pages, the freshest."""
    slow, fast = 0.2, 0.8

    def fresh(rate: float, visits: float) -> float:
        return (1 - math.exp(-rate / visits)) * visits / rate

    shares = [n / 1000 for n in range(1, 1000)]
    best = max(shares, key=lambda visits: fresh(slow, visits) + fresh(fast, 1 - visits))
    worth = change_rate.gain(slow, 1 / best), change_rate.gain(fast, 1 / (1 - best))
    assert worth[0] == pytest.approx(worth[1], rel=0.02)
