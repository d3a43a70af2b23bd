"""Statuses that are an answer in themselves."""

from __future__ import annotations

from collections.abc import Iterator

from tests.web.answers import HTML, Answer, Headers, Link, failure, link
from tests.web.features.feature import Feature
from tests.web.site import Site

_RETRY: Headers = (("Retry-After", "0"),)

_PAGES = {
    "204": Answer("refused", 204),
    "205": Answer("refused", 205),
    "304": Answer("refused", 304, (("ETag", '"unasked"'), *HTML)),
    "400": failure("refused", 400),
    "401": failure("denied", 401, (("WWW-Authenticate", 'Basic realm="web"'),)),
    "403": failure("denied", 403),
    "404": failure("gone", 404),
    "406": failure("refused", 406),
    "408": failure("failed", 408),
    "410": failure("gone", 410),
    "418": failure("refused", 418),
    "425": failure("failed", 425),
    "426": failure("refused", 426),
    "429": failure("failed", 429, _RETRY),
    "451": failure("denied", 451),
}


def entries(site: Site) -> Iterator[Link]:
    for name in _PAGES:
        yield link(site.url(f"/statuses/{name}"))


def answer(site: Site, rest: str) -> Answer | None:
    return _PAGES.get(rest)


FEATURE = Feature("statuses", entries, answer)
