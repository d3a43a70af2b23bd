"""One Target in, one Page out: the only module that asks the web for anything.

Whatever a server does becomes a Page with an outcome and a reason; the only errors that come out of
here are this program's own.
"""

from __future__ import annotations

import base64
import hashlib
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import requests
from requests.structures import CaseInsensitiveDict
from requests.utils import get_environ_proxies
from urllib3.exceptions import DecodeError, HTTPError, IncompleteRead
from urllib3.util.request import ACCEPT_ENCODING

from layercrawl import answers, charset, connection, schedule, urls
from layercrawl.config import Config
from layercrawl.records import Outcome, Page, Target

ROBOTS_BYTES = 512_000
_UTF8 = "text/plain; charset=utf-8"  # whatever robots.txt's header says (RFC 9309, 2.3)
_CHUNK = 1 << 16
_DRAINED = 1 << 16
_ERRORS = (requests.RequestException, HTTPError, OSError, ValueError)


class Fetcher:
    """Asks for pages with the manners of a Config; safe to use from many threads."""

    def __init__(self, config: Config, seed_hosts: frozenset[str]) -> None:
        self._config = config
        self._watch = connection.Watch()
        self._adapter = connection.adapter(
            2 * config.threads, self._watch, lambda host: config.allow_private or host in seed_hosts
        )
        extra = dict(line.split(":", 1) for line in config.header)
        self._headers = {
            "User-Agent": config.agent,
            "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
            "Accept-Encoding": ACCEPT_ENCODING,
            **{name.strip(): value.strip() for name, value in extra.items()},
        }

    def page(self, url: str, target: Target) -> Page:
        """The answer to one request for a page; a redirect is an answer."""

        def judge(answer: requests.Response, location: str) -> tuple[Outcome, str]:
            kind = answer.headers.get("content-type", "")
            return answers.classify(answer.status_code, kind, location, target.hops)

        return self._ask(url, target, judge, self._config.max_bytes, None)

    def robots(self, url: str, target: Target) -> Page:
        """The answer to a robots.txt request, up to five redirects followed (RFC 9309, 2.3.1.2)."""

        def judge(answer: requests.Response, location: str) -> tuple[Outcome, str]:
            if location and hops < answers.MAX_HOPS:
                return "redirect", ""
            return answers.classify_robots(answer.status_code)

        hops = 0
        page = self._ask(url, target, judge, ROBOTS_BYTES, _UTF8)
        while page.outcome == "redirect":
            hops += 1
            page = self._ask(page.location, target, judge, ROBOTS_BYTES, _UTF8)
        return page

    def _ask(
        self,
        url: str,
        target: Target,
        judge: Callable[[requests.Response, str], tuple[Outcome, str]],
        limit: int,
        content_type: str | None,
    ) -> Page:
        start, fetched = time.monotonic(), schedule.timestamp(datetime.now(UTC))
        with self._watch.limit(self._config.timeout) as deadline:
            try:
                answer: dict[str, Any] = self._answer(url, judge, limit, content_type, deadline)
            except _ERRORS as error:
                outcome, reason = ("failed", "timeout") if deadline.over else explain(error)
                answer = {"outcome": outcome, "reason": reason}
        elapsed = round(time.monotonic() - start, 3)
        return Page(target, **answer, fetched=fetched, elapsed=elapsed, attempts=1)

    def _answer(
        self, url: str, judge: Any, limit: int, content_type: str | None, deadline: Any
    ) -> dict[str, Any]:
        left = min(self._config.timeout, 30.0)
        with self._adapter.send(
            self._request(url), stream=True, timeout=(left, self._config.timeout),
            verify=not self._config.insecure, proxies=_proxies(urls.origin(url)),
        ) as answer:  # fmt: skip
            location, problem = _location(answer, url)
            outcome, reason = ("refused", problem) if problem else judge(answer, location)
            head = _head(answer) | {"outcome": outcome, "reason": reason}
            if outcome == "redirect":
                head["location"] = location
            if outcome != "ok":
                _drain(answer)
                return head
            body, truncated = _body(answer, limit, deadline)
            declared = content_type or answer.headers.get("content-type")
            return head | _kept(body, truncated, declared)

    def _request(self, url: str) -> requests.PreparedRequest:
        # Prepared by hand: requests would parse and spell the URL anew, which is the store's key.
        request = requests.PreparedRequest()
        request.method, request.url, request.hooks = "GET", url, {}
        request.headers = CaseInsensitiveDict(self._headers)
        return request


@lru_cache(maxsize=10_000)
def _proxies(origin: str) -> dict[str, str]:
    return dict(get_environ_proxies(origin))


def _location(answer: requests.Response, url: str) -> tuple[str, str]:
    """A redirect's target in normal form, or why it is no URL to crawl."""
    raw = answers.escape_location(answer.headers.get("location", ""))
    if not raw or answer.status_code not in answers.REDIRECTS:
        return "", ""
    try:
        return urls.normalise(raw, url), ""
    except ValueError as error:
        return "", f"Location: {error}"


def _head(answer: requests.Response) -> dict[str, Any]:
    version = {10: "1.0", 11: "1.1", 20: "2"}.get(answer.raw.version, "")
    return {
        "status": answer.status_code,
        "headers": list(answer.raw.headers.items()),
        "http_version": version,
    }


def _drain(answer: requests.Response) -> None:
    """Read a short rest, so that the connection can serve again; a longer one is dropped."""
    length = answer.headers.get("content-length", "")
    if length.isdigit() and int(length) <= _DRAINED and answer.status_code >= 300:
        answer.raw.read(_DRAINED, decode_content=False)
    else:
        answer.raw.close()


def _body(answer: requests.Response, limit: int, deadline: Any) -> tuple[bytes, bool]:
    """At most `limit` decoded bytes, and whether there were more."""
    chunks, size = [], 0
    while chunk := answer.raw.read(_CHUNK, decode_content=True):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            answer.raw.close()
            return b"".join(chunks)[:limit], True
        if deadline.over:
            raise TimeoutError
    if deadline.over:  # the watch shut the socket: the end of the stream is no end of the body
        raise TimeoutError
    return b"".join(chunks), False


def _kept(body: bytes, truncated: bool, content_type: str | None) -> dict[str, Any]:
    text, encoding = charset.decode(body, content_type)
    exact = charset.inverts(body, text, encoding)
    return {
        "html": text,
        "encoding": encoding,
        "body_b64": "" if exact else base64.b64encode(body).decode(),
        "digest": hashlib.sha256(body).hexdigest(),
        "truncated": truncated,
    }


def explain(error: BaseException) -> tuple[Outcome, str]:
    """Outcome and reason of a request without an answer, in words that are the same every time.

    >>> explain(requests.ConnectionError(ConnectionRefusedError(111, "Connection refused")))
    ('failed', 'connection refused')
    """
    for cause in _causes(error):
        if isinstance(cause, connection.ForbiddenAddress):
            return "refused", "private address"
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "failed", f"TLS: {cause.verify_message}"
        for kind, reason in _REASONS:
            if isinstance(cause, kind):
                return "failed", reason
    return "failed", "broken answer"


_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "name not found"),
    (ssl.SSLError, "TLS error"),
    (TimeoutError, "timeout"),
    (requests.Timeout, "timeout"),
    (ConnectionRefusedError, "connection refused"),
    (ConnectionResetError, "connection reset"),
    (IncompleteRead, "body cut short"),
    (DecodeError, "content coding broken"),
)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The errors behind an error, the outermost last: they say best what happened."""
    if error is not None:
        inner = [arg for arg in error.args if isinstance(arg, BaseException)]
        reason = getattr(error, "reason", None)
        inner += [reason] if isinstance(reason, BaseException) else []
        for cause in (*inner, error.__cause__):
            yield from _causes(cause)
        yield error
