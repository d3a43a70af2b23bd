"""How often a page changes, by its visits, and what another visit would be worth. Pure.

A page that changes at random, r times a second, changed in t seconds with the chance 1 - exp(-r t).
What all its intervals between two visits say, changed or not, is weighed for rates from one change
in `LONGEST` to one in `SHORTEST`, all equally likely before anything is known. So the rate needs
no state of its own: it is the same for the same visits.

A visit that comes t seconds after the last makes a page fresh, on average of all its rates, for
(1 - (1 + r t) exp(-r t)) / r seconds more than none would: its *worth*. That is what Cho and
Garcia-Molina ("Effective page refresh policies for web crawlers", ACM TODS 28, 2003) find to be the
same for all pages where visits are shared out best. It grows with t, and less for what changes
so fast that it is soon stale again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import timedelta

SHORTEST = timedelta(hours=6)
LONGEST = timedelta(days=90)
STEP = 1.25
"""How many times as high as the last each rate is that is weighed."""

Interval = tuple[float, bool]
"""Seconds between two visits, and whether the page changed in them."""
Weights = Sequence[float]
"""How likely each of the rates is; in all 1."""

_STEPS = math.ceil(math.log(LONGEST / SHORTEST, STEP))
_RATES = [STEP**step / LONGEST.total_seconds() for step in range(_STEPS + 1)]
_LOGS = [math.log(rate) for rate in _RATES]


def weights(intervals: Iterable[Interval]) -> Weights:
    """How likely each rate is after some intervals.

    >>> weights([]) == [1 / len(_RATES)] * len(_RATES)
    True
    """
    told = list(intervals)
    same = math.fsum(seconds for seconds, changed in told if not changed)
    changes = [seconds for seconds, changed in told if changed]
    chances = [_chance(rate, same, changes) for rate in _RATES]
    most = max(chances)
    likely = [math.exp(chance - most) for chance in chances]
    total = math.fsum(likely)
    return [one / total for one in likely]


def _chance(rate: float, same: float, changes: Sequence[float]) -> float:
    """The logarithm of the chance of no change in `same` seconds, and of one in each of others."""
    return math.fsum(math.log(-math.expm1(-rate * seconds)) for seconds in changes) - rate * same


def period(weights: Weights) -> float:
    """Seconds from one change to the next, by the mean of the rates' logarithms; within bounds."""
    mean = math.fsum(weight * log for weight, log in zip(weights, _LOGS, strict=True))
    return min(max(math.exp(-mean), SHORTEST.total_seconds()), LONGEST.total_seconds())


def worth(weights: Weights, waited: float) -> int:
    """Seconds that a visit after `waited` seconds keeps a page fresh for longer than none would.

    >>> daily, yearly = weights([(86_400.0, True)] * 9), weights([(9e6, False)] * 9)
    >>> worth(daily, 0.0), worth(yearly, 86_400.0) < worth(daily, 86_400.0)
    (0, True)
    >>> worth(yearly, 90 * 86_400.0) > worth(daily, 90 * 86_400.0)
    True
    """
    gains = (gain(rate, waited) for rate in _RATES)
    return round(math.fsum(weight * gain for weight, gain in zip(weights, gains, strict=True)))


def gain(rate: float, waited: float) -> float:
    """The same for one known rate, in whatever unit of time.

    >>> gain(0.5, 0.0), round(gain(0.5, 2.0), 3), round(gain(0.5, 100.0), 3)
    (0.0, 0.528, 2.0)
    """
    events = rate * waited
    return (1 - (1 + events) * math.exp(-events)) / rate
