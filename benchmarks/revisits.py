"""How fresh copies of pages stay that change at random, by who is asked again in each round.

    python benchmarks/revisits.py [--pages 2000] [--rounds 400] [--share 0.1 …] [--plot curves.svg]

Pages change as Poisson processes, with rates log-uniform from .003 to .3 a round; a round is the
shortest period between two visits of a page, and in each a share of the pages is asked for. `worth`
is what a crawl with a budget does: those whose visit is worth most, by what their newest 16 visits
(or more) tell of their rates. `known rates` does the same by the true rates; `uniform` takes those
that waited longest; `x 0.8 / x 1.4` shortens a page's interval when it changed, and else lengthens
it. In each page is a clock: its digest is new every time, and its Simhash in one bit.

Printed: the mean share of fresh pages in the last quarter of the rounds, that over `known rates`,
the share of pages whose rate is told right within a factor of two, and CPU seconds.
"""

import argparse
import math
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from layercrawl import schedule
from layercrawl.planning import change_rate, fold, revisits
from layercrawl.records import Visit
from layercrawl.simulation import plot

START, ROUND = datetime(2026, 1, 1, tzinfo=UTC), change_rate.SHORTEST
SLOWEST, FASTEST = 0.003, 0.3


@dataclass
class Page:
    """A page on the web, and what is known of it."""

    rate: float
    chance: np.random.Generator
    visits: list[Visit] = field(default_factory=list)
    asked: int = 0
    prints: int = 0
    fresh: bool = False

    def live(self) -> None:
        """Change or not, in a round."""
        if self.chance.random() < -math.expm1(-self.rate):
            self.fresh = False

    def visit(self, number: int, kept: int) -> bool:
        """Be fetched in a round; whether it changed."""
        changed = not self.fresh
        if changed:
            self.prints = int(self.chance.integers(1, 1 << 62)) << 1
        when = schedule.timestamp(START + number * ROUND)
        shown = f"{self.prints | number & 1:016x}"
        self.visits = [*self.visits, Visit(when, number, "ok", f"{number}", shown)][-kept:]
        self.asked, self.fresh = number, True
        return changed


class Worth:
    """What OptimizerDriver does with a budget, by the newest visits."""

    def __init__(self, kept: int) -> None:
        self.kept = kept
        self._known: dict[int, tuple[int, change_rate.Weights, datetime]] = {}

    def score(self, page: Page, number: int) -> float:
        weights, early = self._of(page)
        if START + number * ROUND < early:
            return -1.0
        return change_rate.worth(weights, (number - page.asked) * ROUND.total_seconds())

    def told(self, page: Page, changed: bool) -> None:
        pass

    def rate(self, page: Page) -> float:
        """Changes a round."""
        return ROUND.total_seconds() / change_rate.period(self._of(page)[0])

    def _of(self, page: Page) -> tuple[change_rate.Weights, datetime]:
        held = self._known.get(id(page))
        if held is None or held[0] != page.asked:
            early = revisits.early(page.visits)
            held = self._known[id(page)] = page.asked, revisits.weights(page.visits), early
        return held[1:]


class Known(Worth):
    """The same by the true rates."""

    def score(self, page: Page, number: int) -> float:
        return change_rate.gain(page.rate, number - page.asked)

    def rate(self, page: Page) -> float:
        return page.rate


class Uniform(Worth):
    """Each page equally often."""

    def score(self, page: Page, number: int) -> float:
        return number - page.asked


class Adaptive(Worth):
    """Intervals by factors, those most overdue first."""

    def __init__(self, first: float) -> None:
        super().__init__(fold.KEPT_VISITS)
        self._first, self._intervals = first, dict[int, float]()

    def score(self, page: Page, number: int) -> float:
        return (number - page.asked) / self._intervals.get(id(page), self._first)

    def told(self, page: Page, changed: bool) -> None:
        before = self._intervals.get(id(page), self._first)
        self._intervals[id(page)] = min(max(before * (0.8 if changed else 1.4), 1), 400)


def simulate(policy: Worth, pages: int, rounds: int, most: int) -> tuple[list[float], float]:
    """The share of fresh pages after each round, and that of rates told right."""
    chance = np.random.default_rng(0)
    rates = np.exp(chance.uniform(math.log(SLOWEST), math.log(FASTEST), pages))
    web = [Page(rate, np.random.default_rng(n)) for n, rate in enumerate(rates.tolist())]
    for page in web:
        page.visit(0, policy.kept)
    fresh = []
    for number in range(1, rounds + 1):
        for page in web:
            page.live()
        scores = {n: policy.score(page, number) for n, page in enumerate(web)}
        ranked = sorted(scores, key=lambda n: (-scores[n], -web[n].chance.random()))
        for page in (web[n] for n in ranked[:most] if scores[n] >= 0):
            policy.told(page, page.visit(number, policy.kept))
        fresh.append(sum(page.fresh for page in web) / pages)
    right = sum(0.5 <= policy.rate(page) / page.rate <= 2 for page in web) / pages
    return fresh, right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--share", type=float, action="append")
    parser.add_argument("--long", type=int, default=64, help="visits of a longer history")
    parser.add_argument("--plot", type=Path, help="SVG of the last share's curves")
    options = parser.parse_args()
    print(
        f"{'policy':22} {'asked':>6} {'fresh':>6} {'of known':>9} {'rates right':>12} {'CPU s':>6}"
    )
    for share in options.share or (0.05, 0.1, 0.2):
        policies = {
            "known rates": Known(fold.KEPT_VISITS),
            f"worth, {fold.KEPT_VISITS} visits": Worth(fold.KEPT_VISITS),
            f"worth, {options.long} visits": Worth(options.long),
            "uniform": Uniform(fold.KEPT_VISITS),
            "x 0.8 / x 1.4": Adaptive(1 / share),
        }
        curves, known = {}, 0.0
        for name, policy in policies.items():
            start = time.process_time()
            most = round(share * options.pages)
            curves[name], right = simulate(policy, options.pages, options.rounds, most)
            mean = float(np.mean(curves[name][-(options.rounds // 4) :]))
            known = known or mean
            told = f"{right:12.1%}" if type(policy) is Worth else " " * 12
            taken = time.process_time() - start
            print(f"{name:22} {share:6.0%} {mean:6.3f} {mean / known:9.1%} {told} {taken:6.1f}",
                  flush=True)  # fmt: skip
    if options.plot:
        points = {name: plot.thinned(shares) for name, shares in curves.items()}
        title = f"Freshness, {share:.0%} of the pages asked for in a round"
        options.plot.write_text(plot.svg(title, "rounds", "pages that are fresh", points))


if __name__ == "__main__":
    main()
