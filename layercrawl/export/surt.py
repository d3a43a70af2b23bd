"""Keys by which web archives sort and find URLs: SURT, and what replay tools take as the same URL.

A host's labels come in reverse (Sort-friendly URI Reordering Transform), so that pages of a domain
stand together. Replay tools look up the key of the URL that a reader asks for; so what they leave
out is left out here too: scheme, `www`, the case of letters, session ids, the order of parameters.
"""

from __future__ import annotations

import re
from posixpath import normpath
from urllib.parse import unquote_to_bytes

_WWW = re.compile(r"^www\d*\.")
_UNSAFE = re.compile(rb"[^!-\"$&-~]")
_SESSION_IN_PATH = re.compile(r"/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)(?=/[^?]+\.aspx)")
_SESSIONS = [
    re.compile(f"(.*){name}(?:&|$)")
    for name in (
        "jsessionid=[0-9a-z]{32}", "phpsessid=[0-9a-z]{32}", "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}", "cfid=[^&]+&cftoken=[^&]+",
    )
]  # fmt: skip


def surt(url: str) -> str:
    """Return the key of `url`, which is in normal form.

    >>> surt("https://www.a.example:8443/Docs/?b=2&a=1")
    'example,a:8443)/docs?a=1&b=2'
    """
    authority, _, rest = url.partition("://")[2].partition("/")
    path, query = (_unescaped(part).lower() for part in rest.partition("?")[::2])
    path = _SESSION_IN_PATH.sub("", normpath("/" + path.lstrip("/")), count=1)
    for session in _SESSIONS:
        query = session.sub(r"\1", query, count=1)
    fields = sorted(query.split("&"), key=lambda field: field.split("=", 1))
    return f"{_reversed(authority)}){path}{'?' if query else ''}{'&'.join(fields)}"


def _reversed(authority: str) -> str:
    host = _WWW.sub("", authority)
    if host.startswith("["):
        return host.replace("[", "").replace("]", "")
    name, colon, port = host.partition(":")
    return ",".join(reversed(name.split("."))) + colon + port


def _unescaped(text: str) -> str:
    """The text without its escapes, and without those that this makes; but what must be escaped."""
    octets = text.encode()
    while (fewer := unquote_to_bytes(octets)) != octets:
        octets = fewer
    return _UNSAFE.sub(lambda found: b"%%%02x" % found[0][0], octets).decode()
