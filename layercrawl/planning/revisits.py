"""When an answered URL is due again, and what its server is asked then, by its visits. Pure.

A page is the same as at the visit before when the server says so, or when the fingerprints differ
in at most `SAME` bits: a clock or a counter is no change. So each pair of visits tells whether the
page changed in the time between them, and all together how often it does (see `change_rate`). It
is due after the time of one change: pages that never change come to the longest period, those that
always do to the shortest.

With a budget for each layer, it is the budget that sets the pace: then a page may be asked for as
soon as a part of its period is over, and of these those come first whose visit is worth most.

A server that gives no validators may be asked by HEAD: a page of the same length, or not modified
since the last answer, is the same. Whatever says that a page is the same is believed `FULL_EVERY`
times in a row.

A page that was gone twice in a row counts as gone for good, and is tried again after `LONGEST`; one
that was gone once, after `SHORTEST`. A failure is no answer and deletes nothing: the page is tried
again as `schedule` has it, then by its period.

What a sitemap lists as changed since is due at once, but not sooner than `SHORTEST` after it was
asked for, since some sitemaps call all pages new each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from typing import Any

from layercrawl import schedule, simhash
from layercrawl.planning import change_rate
from layercrawl.planning.change_rate import LONGEST, SHORTEST, Weights
from layercrawl.records import ANSWERED, Target, Visit

SAME = 3
"""Bits of 64 by which the fingerprints of an unchanged page may differ."""
EARLY = 1 / 16
"""The part of a page's period after which it may be asked for: about the chance of a change."""
FULL_EVERY = 8
"""So often in a row a server may say that a page is the same; then it is fetched all the same."""


def due(visits: Sequence[Visit], lastmod: str = "") -> datetime | None:
    """When a URL with these visits is to be asked for again; None without any answer yet.

    `lastmod` is when it changed, as a sitemap has it. The order of `visits` does not matter.
    """
    return _after(visits, 1.0, lastmod)


def early(visits: Sequence[Visit], lastmod: str = "") -> datetime | None:
    """When a URL may be asked for again where a budget sets the pace; as `due`, but sooner."""
    return _after(visits, EARLY, lastmod)


def worth(visits: Sequence[Visit], now: datetime) -> int:
    """The seconds that a visit now is worth, by the visits so far; 0 or more."""
    waited = (now - schedule.moment(_asked(visits))).total_seconds()
    return change_rate.worth(weights(visits), max(0.0, waited))


def weights(visits: Sequence[Visit]) -> Weights:
    """How likely each rate of change is, by the visits so far."""
    pairs = pairwise(_answers(visits))
    return change_rate.weights((_seconds(one, other), changed(one, other)) for one, other in pairs)


def _after(visits: Sequence[Visit], part: float, lastmod: str) -> datetime | None:
    answers = _answers(visits)
    if not answers:
        return None
    asked = _asked(visits)
    usual = schedule.moment(asked) + timedelta(minutes=round(_period(answers, part) / 60))
    if lastmod <= asked:
        return usual
    return min(usual, max(schedule.moment(lastmod), schedule.moment(asked) + SHORTEST))


def _answers(visits: Sequence[Visit]) -> list[Visit]:
    return sorted(visit for visit in visits if visit.outcome in ANSWERED)


def _asked(visits: Sequence[Visit]) -> str:
    """When a URL was asked for last; it was at least once."""
    return max(visit.time for visit in visits if visit.outcome != "deferred")


def gone(visits: Sequence[Visit]) -> bool:
    """Whether a URL is gone for good: its last two answers say so."""
    return gone_for_good([answer.outcome for answer in _answers(visits)])


def gone_for_good(answers: Sequence[str]) -> bool:
    """Whether outcomes of answers, the oldest first, end with `gone` twice.

    >>> gone_for_good(["ok", "gone", "gone"]), gone_for_good(["gone", "ok", "gone"])
    (True, False)
    """
    return list(answers)[-2:] == ["gone", "gone"]


def _period(answers: Sequence[Visit], part: float) -> float:
    """Seconds until a page with these answers is asked for again, after a part of its period."""
    if answers[-1].outcome == "gone":
        return (LONGEST if gone(answers) else SHORTEST).total_seconds()
    return max(part * change_rate.period(weights(answers)), SHORTEST.total_seconds())


def _seconds(one: Visit, other: Visit) -> float:
    return max(1.0, (schedule.moment(other.time) - schedule.moment(one.time)).total_seconds())


def changed(one: Visit, other: Visit) -> bool:
    """Whether two answers in a row are of a page that changed.

    >>> page = Visit("2026-11-30T12:00:00Z", 0, "ok", "8a", "00000000000000ff")
    >>> clock = Visit("2026-12-01T12:00:00Z", 1, "ok", "8b", "00000000000000fe")
    >>> other = Visit("2026-12-01T12:00:00Z", 1, "ok", "8c", "00000000ffff0000")
    >>> changed(page, clock), changed(page, other)
    (False, True)
    """
    return distance(one, other) > SAME


def distance(one: Visit, other: Visit) -> int:
    """By how many bits of 64 two answers differ: all, where they are not both pages."""
    if other.outcome == "not_modified" or one.digest and one.digest == other.digest:
        return 0
    if one.simhash.strip("0") and other.simhash.strip("0"):
        return simhash.distance(int(one.simhash, 16), int(other.simhash, 16))
    return 0 if one.outcome == other.outcome != "ok" else 64


def conditions(visits: Sequence[Visit]) -> dict[str, Any]:
    """The validators with which a Target asks whether its page has changed; none to have it all."""
    answers = sorted((v for v in visits if v.outcome in ("ok", "not_modified")), reverse=True)
    if not answers:
        return {}
    newest, same = answers[0], len(list(_same(answers)))
    if same >= FULL_EVERY or not newest.simhash:
        return {}
    return {
        "etag": newest.etag,
        "last_modified": newest.last_modified,
        "simhash": newest.simhash,
    }


def checks(visits: Sequence[Visit]) -> dict[str, Any]:
    """The same for a server that gives no validators, but may tell length and date on HEAD.

    The Target brings the length as of the last answer, and when that was (see `unchanged`).
    """
    asked = conditions(visits)
    if not asked or asked["etag"] or asked["last_modified"]:
        return asked
    newest = max(visit for visit in visits if visit.outcome in ("ok", "not_modified"))
    length = None if newest.length < 0 else newest.length
    return asked | {"length": length, "fetched": newest.time}


def unchanged(target: Target, length: int | None, modified: datetime | None) -> bool:
    """Whether a page is as its Target knows it, by what HEAD tells of it, perhaps nothing.

    Its length is that of the last answer, and it was not modified since. Of what is not told,
    nothing is concluded; but something has to be.

    >>> target = Target(length=7, fetched="2026-01-02T00:00:00Z")
    >>> before = schedule.moment("2026-01-01T00:00:00Z")
    >>> unchanged(target, 7, None), unchanged(target, None, before), unchanged(target, 7, before)
    (True, True, True)
    >>> unchanged(target, 8, before), unchanged(target, None, None), unchanged(Target(), 7, None)
    (False, False, False)
    """
    known = target.length is not None and length is not None
    if known and length != target.length:
        return False
    if modified is None or not target.fetched:
        return known
    return modified < schedule.moment(target.fetched)


def _same(newest_first: Sequence[Visit]) -> Iterator[Visit]:
    return takewhile(lambda visit: visit.outcome == "not_modified", newest_first)
