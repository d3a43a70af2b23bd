"""One Target in, one Page out: what asks the web, by way of `connection` alone.

Whatever a server does becomes a Page with an outcome and a reason; the only errors that come out of
here are this program's own.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import http.client
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import requests
from requests.utils import get_environ_proxies
from urllib3.exceptions import HTTPError

from layercrawl import answers, charset, clock, codings, records, schedule, sitemaps, urls
from layercrawl.config import Config
from layercrawl.download.handover import Room
from layercrawl.download.spool import Hop
from layercrawl.fetch import bodies, connection
from layercrawl.fetch.bodies import Body
from layercrawl.fetch.cookies import Cookies
from layercrawl.fetch.fields import Fields
from layercrawl.planning import revisits
from layercrawl.records import Kind, Outcome, Page, Target

OK, NOT_MODIFIED = 200, 304
ROBOTS_BYTES = 512_000
_UTF8 = "text/plain; charset=utf-8"  # whatever robots.txt's header says (RFC 9309, 2.3)
_CONNECTIONS = 256  # kept: hosts take turns, and far more of them wait than are asked at a time
_CHUNK = 1 << 16
_DRAINED = 1 << 16
_INSTANT = 0.001
_ERRORS = (requests.RequestException, HTTPError, OSError, codings.BrokenCoding)
_VERSIONS = {10: "1.0", 11: "1.1"}

Judge = Callable[[int, str, str], tuple[Outcome, str]]
"""Outcome and reason for a status, a Content-Type, and a Location in normal form."""


class Fetcher:
    """Asks for pages with the manners of a Config; safe to use from many threads.

    Hosts in `seed_hosts` may have private addresses. A body takes `room`, which whoever asks for it
    gives back.
    """

    def __init__(
        self, config: Config, seed_hosts: frozenset[str], room: Room | None = None
    ) -> None:
        self._room = room or Room()
        self._timeout = config.timeout
        self._limits: dict[Kind, int] = {
            "page": config.max_bytes, "robots": ROBOTS_BYTES, "sitemap": sitemaps.MAX_BYTES,
        }  # fmt: skip
        self._adapter = connection.Adapter(
            max(_CONNECTIONS, 2 * config.threads),
            lambda host: config.allow_private or host in seed_hosts,
            not config.insecure,
        )
        self._fields = Fields(config, seed_hosts)
        self._cookies = Cookies(config.cookies)

    def page(self, url: str, target: Target) -> Page:
        """The answer to one request for a page or sitemap (its URL in normal form).

        A redirect is an answer too.
        """

        def judge(status: int, content_type: str, location: str) -> tuple[Outcome, str]:
            if status == NOT_MODIFIED and _conditions(target):
                return "not_modified", ""
            return answers.classify(status, content_type, location, target.hops, target.kind)

        return self._ask(url, target, judge, self._timeout)

    def head(self, url: str, target: Target) -> Page:
        """The answer to a HEAD: `not_modified` where it tells what is known already.

        Whatever else it is, it decides nothing.
        """

        def judge(status: int, content_type: str, location: str) -> tuple[Outcome, str]:
            return "refused", f"HEAD: status {status}"

        page = self._ask(url, target, judge, self._timeout, "HEAD")
        told = answers.length(page.header("content-length"))
        modified = schedule.date_of(page.header("last-modified"))
        if page.status != OK or not revisits.unchanged(target, told, modified):
            return page
        return records.replace(page, outcome="not_modified", reason="HEAD: length or date the same")

    def robots(self, url: str, target: Target, hop: Hop | None = None) -> Page:
        """The answer to one request of a robots.txt's look-up, perhaps a redirect to follow.

        `hop` says how many redirects led to it: five are followed (RFC 9309, 2.3.1.2), and all
        of them together may take as long as one answer.
        """
        url, hops, spent = hop or (url, 0, 0.0)

        def judge(status: int, content_type: str, location: str) -> tuple[Outcome, str]:
            return answers.classify_robots(status, location, hops)

        return self._ask(url, target, judge, max(self._timeout - spent, _INSTANT))

    def address(self, host: str) -> str:
        """The least of a host's IP addresses; empty where it has none, or a proxy asks for us."""
        return "" if _proxies(f"http://{host}") else self._adapter.address(host, self._timeout)

    def _ask(
        self, url: str, target: Target, judge: Judge, seconds: float, method: str = "GET"
    ) -> Page:
        start, fetched = time.monotonic(), schedule.timestamp(clock.now())
        try:
            answer = self._answer(method, url, target, judge, seconds)
        except _ERRORS as error:
            outcome, reason = explain(error)
            answer = {"outcome": outcome, "reason": reason}
        elapsed = round(time.monotonic() - start, 3)
        return Page(target, **answer, fetched=fetched, elapsed=elapsed, attempts=1)

    def _answer(
        self, method: str, url: str, target: Target, judge: Judge, seconds: float
    ) -> dict[str, Any]:
        kind = target.kind
        proxies = _proxies(urls.origin(url))
        headers = self._fields.of(url) | self._cookies.header(url) | _conditions(target)
        with self._adapter.ask(method, url, headers, seconds, proxies) as answer:
            self._cookies.take(url, answer.raw.headers)
            head, declared = _head(answer, url, judge)
            if head["outcome"] != "ok":
                _drain(answer)
                return head
            coding = answer.raw.headers.get("content-encoding", "")
            body = bodies.received(answer.raw, self._limits[kind], coding)
        return head | self._kept(kind, body, declared)

    def _kept(self, kind: Kind, body: Body, declared: str) -> dict[str, Any]:
        """The fields of a Page that its body fills."""
        if kind == "sitemap":
            body = bodies.packed(body)
        self._room.take(body.size)
        content = body.content()
        if kind == "sitemap" and content.startswith(sitemaps.GZIP):  # a file: bytes, no text
            return _as_it_is(content) | {"truncated": body.cut}
        declared = _UTF8 if kind == "robots" else declared
        return _text(content, declared) | {"truncated": body.cut}


def _conditions(target: Target) -> dict[str, str]:
    """The fields that ask for a page only if it has changed (RFC 9110, 13.1)."""
    asked = {"If-None-Match": target.etag, "If-Modified-Since": target.last_modified}
    return {name: value for name, value in asked.items() if value.isascii() and value}


@lru_cache(maxsize=10_000)
def _proxies(origin: str) -> dict[str, str]:
    return dict(get_environ_proxies(origin))


def _head(answer: requests.Response, url: str, judge: Judge) -> tuple[dict[str, Any], str]:
    """The fields of a Page that its head fills, and its Content-Type."""
    raw, status = answer.raw, answer.status_code
    declared = answers.content_type(raw.headers.getlist("content-type"))
    location, problem = _location(raw, url)
    outcome, reason = ("refused", problem) if problem else judge(status, declared, location)
    head = {
        "outcome": outcome,
        "reason": reason,
        "status": status,
        "headers": list(raw.headers.items()),
        "http_version": _VERSIONS[raw.version],
        "location": location if outcome == "redirect" else "",
    }
    return head, declared


def _location(raw: Any, url: str) -> tuple[str, str]:
    """A redirect's target in normal form, or why it is no URL to crawl."""
    sent = raw.headers.getlist("location") if raw.status in answers.REDIRECTS else []
    location = answers.escape_location(sent[0]) if sent else ""
    if not location:
        return "", ""
    try:
        return urls.normalise(location, url), ""
    except ValueError as error:
        return "", f"Location: {error}"


def _drain(answer: requests.Response) -> None:
    """Read a short rest, so that the connection can serve again; a longer one is dropped."""
    raw, status = answer.raw, answer.status_code
    size = _DRAINED if raw.chunked else raw.length_remaining
    if size is None or size > _DRAINED:
        return
    if size and 200 <= status < 300 and status not in answers.BODILESS:
        return
    try:
        while size > 0 and (chunk := raw.read(_CHUNK, decode_content=False)):
            size -= len(chunk)
        raw.read(1, decode_content=False)
    except _ERRORS:
        pass  # the answer is known already


def _text(body: bytes, content_type: str) -> dict[str, Any]:
    text, encoding = charset.decode(body, content_type)
    kept = {"html": text, "encoding": encoding}
    if charset.inverts(body, text, encoding):
        return kept | {"digest": hashlib.sha256(body).hexdigest()}
    return kept | _as_it_is(body)


def _as_it_is(body: bytes) -> dict[str, Any]:
    digest = hashlib.sha256(body).hexdigest()
    return {"body_b64": base64.b64encode(body).decode(), "digest": digest}


def explain(error: BaseException) -> tuple[Outcome, str]:
    """Outcome and reason of a request without an answer, in words that are the same every time.

    >>> explain(requests.ConnectionError(ConnectionRefusedError(111, "Connection refused")))
    ('failed', 'connection refused')
    """
    causes = list(_causes(error))
    if any(isinstance(cause, connection.StaleConnection) for cause in causes):
        return "failed", answers.ENDED
    for cause in causes:
        if isinstance(cause, connection.ForbiddenAddress):
            return "refused", "private address"
        if reason := _reason(cause):
            return "failed", reason
    return "failed", "broken answer"


def _reason(cause: BaseException) -> str:
    if isinstance(cause, codings.BrokenCoding):
        return str(cause)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"TLS: {cause.verify_message}"
    if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_AGAIN:
        return "name server failed"
    if isinstance(cause, OSError) and cause.errno in _UNREACHABLE:
        return "host unreachable"
    return next((reason for kind, reason in _REASONS if isinstance(cause, kind)), "")


_UNREACHABLE = (errno.EHOSTUNREACH, errno.ENETUNREACH)
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, answers.NO_SUCH_NAME),
    (UnicodeError, answers.NO_SUCH_NAME),  # no host name in IDNA's eyes
    (ssl.SSLError, "TLS error"),
    (TimeoutError, "timeout"),
    (requests.Timeout, "timeout"),
    (ConnectionRefusedError, "connection refused"),
    (http.client.RemoteDisconnected, "closed without an answer"),
    (ConnectionError, "connection reset"),
    (http.client.IncompleteRead, "body cut short"),
    (requests.exceptions.InvalidProxyURL, "proxy cannot be used"),
    (requests.exceptions.ProxyError, "proxy failed"),
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
