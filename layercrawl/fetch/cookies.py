"""Cookies of the hosts that the user names; each goes back to the host that set it, and no other.

They last as long as the Fetcher: one task of one layer, which has all of a host's URLs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from http.cookiejar import CookieJar
from types import SimpleNamespace
from typing import Any
from urllib.request import Request

from layercrawl import urls

MOST = 50
"""Cookies of a host that are kept (RFC 6265, 6.1)."""
LONGEST = 4096
"""Characters of a cookie that is kept."""


class Cookies:
    """A jar for each of some hosts (spelt as in a URL); safe to use from many threads."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self._jars = {host: CookieJar() for host in hosts}
        self._lock = threading.Lock()

    def header(self, url: str) -> dict[str, str]:
        """The Cookie header of a request for `url`, or none."""
        jar = self._jars.get(urls.host(url)) if self._jars else None
        if jar is None:
            return {}
        request = Request(url)
        with self._lock:
            jar.add_cookie_header(request)
        cookies = request.get_header("Cookie")
        return {"Cookie": cookies} if cookies else {}

    def take(self, url: str, headers: Any) -> None:
        """Keep what an answer's headers (urllib3's) set."""
        jar = self._jars.get(urls.host(url)) if self._jars else None
        if jar is None:
            return
        answer: Any = SimpleNamespace(info=lambda: headers)
        with self._lock:
            for cookie in jar.make_cookies(answer, Request(url)):
                if len(cookie.name) + len(cookie.value or "") <= LONGEST:
                    jar.set_cookie_if_ok(cookie, Request(url))
            for cookie in list(jar)[MOST:]:
                jar.clear(cookie.domain, cookie.path, cookie.name)
