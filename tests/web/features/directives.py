"""Robots directives of pages: meta elements, X-Robots-Tag, rel=nofollow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.web.answers import Answer, Headers, Link, dead, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site


@dataclass(frozen=True, slots=True)
class Directive:
    """Source of the head, header fields, and whether the page's links may be followed."""

    head: str = ""
    headers: Headers = ()
    follow: bool = False
    form: str = "a"


def _tag(value: str) -> Headers:
    return (("X-Robots-Tag", value),)


_PAGES = {
    "meta-nofollow": Directive('<meta name="robots" content="nofollow">'),
    "meta-none": Directive('<meta name="robots" content="none">'),
    "meta-odd-case": Directive('<META CONTENT="NoIndex , NOFOLLOW" NAME="ROBOTS">'),
    "meta-noindex": Directive('<meta name="robots" content="noindex">', follow=True),
    "meta-all": Directive('<meta name="robots" content="index, follow">', follow=True),
    "header-nofollow": Directive(headers=_tag("nofollow")),
    "header-none": Directive(headers=_tag("none")),
    "header-noindex": Directive(headers=_tag("noindex"), follow=True),
    "header-for-us": Directive(headers=_tag("layercrawl: nofollow")),
    "header-for-other": Directive(headers=_tag("otherbot: nofollow"), follow=True),
    "header-twice": Directive(headers=_tag("noarchive") + _tag("nofollow")),
    "rel-nofollow": Directive(form="nofollow"),
}


def entries(site: Site) -> Iterator[Link]:
    for name in _PAGES:
        yield link(site.url(f"/directives/{name}"))


def answer(site: Site, rest: str) -> Answer | None:
    if rest.startswith("after/") and rest[6:] in _PAGES:
        return page(site, f"/directives/{rest}")
    directive = _PAGES.get(rest)
    if directive is None:
        return None
    links = [dead(f"/unseen/{rest}", directive.form)]
    if directive.follow:
        links = [link(site.url(f"/directives/after/{rest}"))]
    head = f'<meta charset="utf-8">{directive.head}'
    return page(site, f"/directives/{rest}", links, head=head, headers=directive.headers)


FEATURE = Feature("directives", entries, answer)
