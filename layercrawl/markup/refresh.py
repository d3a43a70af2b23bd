"""Where `<meta http-equiv="refresh">` sends a visitor.

Source: HTML standard, 4.2.5.3 "Pragma directives", the shared declarative refresh steps.
"""

from __future__ import annotations

import re

_BLANKS = r"[ \t\n\f\r]*+"
_REFRESH = re.compile(
    rf"{_BLANKS}(?=[0-9.])(?P<seconds>[0-9]*+)[0-9.]*+(?=[;, \t\n\f\r]){_BLANKS}[;,]?+{_BLANKS}"
    rf"(?:url{_BLANKS}={_BLANKS})?+(?P<quote>[\"']?+)(?P<target>.*+)",
    re.IGNORECASE | re.DOTALL,
)


def refresh_target(content: str) -> str | None:
    """Return the address, still relative, in a refresh's `content`; None where there is none.

    >>> refresh_target("0; URL=\\n'next.html' and more"), refresh_target("1.5 next.html")
    ('next.html', 'next.html')
    >>> refresh_target("5"), refresh_target("5; url="), refresh_target("5x; url=a")
    (None, None, None)
    """
    match = _REFRESH.match(content)
    if match is None:
        return None
    target = match["target"]
    return (target.partition(match["quote"])[0] if match["quote"] else target) or None


def refresh_seconds(content: str) -> int:
    """Return after how many whole seconds a refresh happens, 0 where there is none.

    >>> refresh_seconds("5; url=a"), refresh_seconds(".9 a"), refresh_seconds("1.9 a")
    (5, 0, 1)
    """
    match = _REFRESH.match(content)
    return int(match["seconds"][:9] or 0) if match else 0
