"""Links in many spellings: relative, escaped, with entities, in odd markup, and what each means."""

from __future__ import annotations

from collections.abc import Iterator

from tests.web.answers import Answer, Link, dead, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site

_WRITTEN = {
    "at/relative": "at/relative",
    "./at/dot": "at/dot",
    "../spellings/at/parent": "at/parent",
    "../../../spellings/at/above-root": "at/above-root",
    "/spellings/at/absolute-path": "at/absolute-path",
    "//{authority}/spellings/at/scheme-relative": "at/scheme-relative",
    "HTTP://{upper}/spellings/at/upper": "at/upper",
    "http:/spellings/at/one-slash": "at/one-slash",
    "http://{host}.:{port}/spellings/at/host-dot": "at/host-dot",
    "http://{host}:0{port}/spellings/at/port": "at/port",
    "?page=2": "?page=2",
    "at/fragment#top": "at/fragment",
    "at/fragment#end": "at/fragment",
    "#here": "",
    "": "",
    "  at/blanks \n": "at/blanks",
    "at/line\nend": "at/lineend",
    "at/t\tab": "at/tab",
    "at/some space": "at/some%20space",
    "at\\backslash": "at/backslash",
    "at/%2e%2E/at/escaped-dots": "at/escaped-dots",
    "at/../x/../at/dots": "at/dots",
    "at//double": "at//double",
    "at/%7euser": "at/~user",
    "at/%7Euser": "at/~user",
    "at/~user": "at/~user",
    "at/%c3%a9t%C3%a9": "at/%C3%A9t%C3%A9",
    "at/été": "at/%C3%A9t%C3%A9",
    "at/caf&eacute;": "at/caf%C3%A9",
    "at/numeric&#x2f;entity&#47;": "at/numeric/entity/",
    "at/and?a=1&amp;b=2": "at/and?a=1&b=2",
    "at/and?a=1&b=2": "at/and?a=1&b=2",
    "at/copy?a=1&copy=2": "at/copy?a=1&copy=2",
    "at/slash%2fescaped": "at/slash%2Fescaped",
    "at/percent%25": "at/percent%25",
    "at/percent%2541": "at/percent%2541",
    "at/stray%": "at/stray%25",
    "at/no-value?variable": "at/no-value?variable",
    "at/order?b=1&a=2": "at/order?b=1&a=2",
    "at/plus+sign?q=a+b": "at/plus+sign?q=a+b",
    "at/colon:semi;comma,": "at/colon:semi;comma,",
    "at/Case": "at/Case",
    "at/case": "at/case",
}
"""The source of an attribute on /spellings/ → what it means below /spellings/."""

_FORMS = ("iframe", "area", "single", "unquoted", "refresh")
_UNFOLLOWED = ("canonical", "comment", "form", "script", "img", "nofollow")
_NO_LINKS = (
    "javascript:void(0)",
    "mailto:a@example.com",
    "tel:+49123",
    "data:text/html,<p>x</p>",
    "ftp://{host}/file",
    "about:blank",
    "http://[broken",
    "http://user:secret@{authority}/unseen/password",
)


def entries(site: Site) -> Iterator[Link]:
    names = {
        "authority": site.authority,
        "upper": site.authority.upper(),
        "host": site.host,
        "port": str(site.web.port),
    }
    for written, rest in _WRITTEN.items():
        yield Link(_home(site, rest), written.format(**names))
    for form in _FORMS:
        yield Link(_home(site, f"form/{form}"), f"form/{form}", form)
    for form in _UNFOLLOWED:
        yield dead(f"/unseen/{form}", form)
    for written in _NO_LINKS:
        yield dead(written.format(**names))
    for rest in ("frames", "based"):
        yield link(_home(site, rest))


def _home(site: Site, rest: str) -> str:
    return site.url(f"/spellings/{rest}")


def _frames(site: Site) -> tuple[Link, ...]:
    return tuple(
        Link(_home(site, f"form/frame-{side}"), f"form/frame-{side}", "frame")
        for side in ("left", "right")
    )


def _based(site: Site) -> tuple[Link, ...]:
    """Links that a base element moves to another folder."""
    return (
        dead("/spellings/folder/page", "base"),
        Link(_home(site, "folder/one"), "one"),
        Link(_home(site, "two"), "../two"),
        Link(_home(site, "folder/page?three"), "?three"),
    )


def answer(site: Site, rest: str) -> Answer | None:
    path = f"/spellings/{rest}"
    if rest == "frames":
        return page(site, path, _frames(site))
    if rest == "based":
        return page(site, path, _based(site))
    return page(site, path) if rest in _LEAVES else None


_LEAVES = (
    frozenset(_WRITTEN.values())
    | {f"form/{form}" for form in (*_FORMS, "frame-left", "frame-right")}
    | {"folder/one", "two", "folder/page?three"}
)
FEATURE = Feature("spellings", entries, answer)
