"""When a URL may be asked for again: what its server said, and what its past visits say.

Moments lie in the stores as ISO 8601 in UTC, to the second: `2026-11-30T12:00:00Z`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import takewhile

from layercrawl.records import Visit

LONGEST_RETRY_AFTER = 2.0**31
"""Seconds; more than can be meant counts as this (as for delta-seconds in RFC 9111, 1.2.2)."""
LONGEST_BACK_OFF = 30 * 86_400.0
"""Seconds; no failed URL waits longer for its next try, however often it failed."""

_DELTA_SECONDS = re.compile(r"[0-9]+")


def timestamp(moment: datetime) -> str:
    """An aware `moment` as the stores write it; parts of a second are cut off.

    >>> timestamp(datetime(2026, 11, 30, 12, tzinfo=UTC))
    '2026-11-30T12:00:00Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="seconds").removesuffix("+00:00") + "Z"


def moment(timestamp: str) -> datetime:
    """The aware moment that a timestamp names; ValueError when it names none, or has no zone.

    >>> moment("2026-11-30T12:00:00Z")
    datetime.datetime(2026, 11, 30, 12, 0, tzinfo=datetime.timezone.utc)
    """
    parsed = datetime.fromisoformat(timestamp)
    if parsed.tzinfo is None:
        raise ValueError(f"no zone in {timestamp!r}")
    return parsed.astimezone(UTC)


def retry_after(value: str, now: datetime) -> float | None:
    """Seconds to wait from the aware moment `now` on, never negative; None when `value` is no good.

    `value` is that of a Retry-After field: seconds, or a date in any of the three forms of HTTP
    (RFC 9110, 10.2.3 and 5.6.7).

    >>> retry_after("120", moment("2026-11-30T12:00:00Z"))
    120.0
    >>> retry_after("Mon Nov 30 12:00:30 2026", moment("2026-11-30T12:00:00Z"))
    30.0
    """
    value = value.strip(" \t")
    if _DELTA_SECONDS.fullmatch(value):
        return min(float(value), LONGEST_RETRY_AFTER)
    date = date_of(value)
    if date is None:
        return None
    return min(max((date - now).total_seconds(), 0.0), LONGEST_RETRY_AFTER)


def next_visit(
    visits: Sequence[Visit], retry_seconds: float = 3600.0, tries: int = 3
) -> datetime | None:
    """When a URL is due again whose visits brought no answer yet; None when it is not.

    After a failure it is due `retry_seconds` later, four times as long after each further one in
    a row, and not again after `tries` such tries; a deferred visit, which asked nothing, is due
    at its `not_before` without limit. A failure's `not_before`, where later, counts too. The
    order of `visits` does not matter.
    """
    newest_first = sorted(visits, reverse=True)
    if not newest_first:
        return None
    newest = newest_first[0]
    if newest.outcome == "deferred":
        return moment(newest.not_before or newest.time)
    failures = _failures(newest_first)
    if not 0 < failures <= tries:
        return None
    back_off = min(retry_seconds * 4.0 ** (failures - 1), LONGEST_BACK_OFF)
    due = moment(newest.time) + timedelta(seconds=back_off)
    return max(due, moment(newest.not_before)) if newest.not_before else due


def _failures(newest_first: Sequence[Visit]) -> int:
    """How many failures there were in a row; deferred visits neither count nor end the row."""
    asked = (visit for visit in newest_first if visit.outcome != "deferred")
    return sum(1 for _ in takewhile(lambda visit: visit.outcome == "failed", asked))


def date_of(value: str) -> datetime | None:
    """The moment that a date of HTTP names, None where it is none; 2 digits mean 1969 to 2068."""
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
