"""What an HTTP answer's head means for a crawl: its outcome, and whether its body is wanted. Pure.

Outcomes are those of the stores' contract; status codes are RFC 9110's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from layercrawl.records import Kind, Outcome

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", ""})
_LISTS = ("xml", "gzip", "octet-stream")
REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_HOPS = 5
BODILESS = frozenset({204, 205})
NO_METHOD = frozenset({405, 501})
"""What a server says that does not know a method, here or at all."""
NO_SUCH_NAME = "name not found"
"""Why a request failed whose host DNS knows nothing of."""
ENDED = "kept connection ended"
"""Why a request failed that went out as its kept connection was closed: it may be made again."""
_DENIED = frozenset({401, 403, 451})
_PASSING = frozenset({408, 425, 429})
_BLANKS = " \t\r\n"
_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+[ \t]*(?:;|$)", re.ASCII)


def media_type(content_type: str) -> str:
    """The type of a Content-Type header, in lower case.

    >>> media_type('Text/HTML; charset="utf-8"')
    'text/html'
    """
    return content_type.partition(";")[0].strip(_BLANKS).lower()


def content_type(values: Sequence[str]) -> str:
    """The Content-Type that counts of those an answer has: the last that names a type (Fetch, 3.1).

    Servers send several as several headers, and in one with commas between.

    >>> content_type(["text/plain", "text/html; charset=gbk, */*", "none"])
    'text/html; charset=gbk'
    """
    parts = [part.strip(_BLANKS) for part in ",".join(values).split(",")]
    good = [part for part in parts if _TYPE.match(part)]
    return good[-1] if good else ""


def classify(
    status: int, content_type: str, location: str, hops: int, wanted: Kind = "page"
) -> tuple[Outcome, str]:
    """The outcome of an answer to a page's or sitemap's request, and the reason where it is none.

    `ok` means that the body is wanted; `hops` are the redirects that led here.

    >>> classify(200, "image/png", "", 0)
    ('refused', 'type image/png')
    >>> classify(200, "application/rss+xml", "", 0, "sitemap")
    ('ok', '')
    >>> classify(302, "", "/x", 5)
    ('refused', 'more than 5 redirects')
    >>> classify(503, "text/html", "", 0)
    ('failed', 'status 503')
    """
    if status in REDIRECTS:
        return _redirect(status, location, hops)
    if 200 <= status < 300 and status not in BODILESS:
        kind = media_type(content_type)
        good = kind in HTML_TYPES if wanted == "page" else _may_list(kind)
        return ("ok", "") if good else ("refused", f"type {kind[:80]}")
    return _failure(status), f"status {status}"


def _may_list(kind: str) -> bool:
    """Whether a sitemap may have this type: XML, text, gzip, or none in particular."""
    return not kind or kind.startswith("text/") or kind.endswith(_LISTS)


def _redirect(status: int, location: str, hops: int) -> tuple[Outcome, str]:
    if not location:
        return "refused", f"status {status} without Location"
    if hops >= MAX_HOPS:
        return "refused", f"more than {MAX_HOPS} redirects"
    return "redirect", ""


def _failure(status: int) -> Outcome:
    if status in (404, 410):
        return "gone"
    if status in _DENIED:
        return "denied"
    if status in _PASSING or status >= 500 or status < 200:
        return "failed"
    return "refused"


def classify_robots(status: int, location: str, hops: int) -> tuple[Outcome, str]:
    """The outcome of an answer to a robots.txt request (RFC 9309, 2.3.1), as `classify` has it.

    `failed` means unreachable, so that nothing of the host may be asked for; other failures allow
    everything.

    >>> classify_robots(404, "", 0), classify_robots(500, "", 0), classify_robots(302, "/x", 5)
    (('gone', 'status 404'), ('failed', 'status 500'), ('refused', 'more than 5 redirects'))
    """
    if status in REDIRECTS:
        return _redirect(status, location, hops)
    return ("ok", "") if 200 <= status < 300 else (_failure(status), f"status {status}")


def length(value: str) -> int | None:
    """What a Content-Length header says; None where that is no number."""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 16 else None


def escape_location(value: str) -> str:
    """A Location header as it was sent: each byte beyond ASCII as a percent-escape.

    `value` is the header as http.client gives it, a character per byte.

    >>> escape_location("/fa/\\u00d8\\u00a7?q=\\u00e9")
    '/fa/%D8%A7?q=%E9'
    """
    return "".join(c if c < "\x80" else f"%{ord(c) & 255:02X}" for c in value.strip(_BLANKS))
