"""The time of day, or the one that SOURCE_DATE_EPOCH sets, so that runs can be repeated.

All that the stores tell of moments comes from here: when a stage ran and when a page was fetched
must be told by one clock, or what was asked for just now would be due for ever.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

VARIABLE = "SOURCE_DATE_EPOCH"
"""The environment's name for it: seconds since 1970."""


def now() -> datetime:
    """The moment, in UTC; ValueError where SOURCE_DATE_EPOCH is no time."""
    fixed = os.environ.get(VARIABLE)
    try:
        return datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        cure = "give seconds since 1970, or unset it"
        raise ValueError(f"{VARIABLE} {fixed!r} is no time: {cure}") from None
