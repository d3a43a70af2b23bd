"""Redirects: statuses, spellings of Location, chains, loops, other hosts, dead ends, a refresh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.web.answers import HTML, Answer, Link, failure, link, page, redirect
from tests.web.features.feature import Feature
from tests.web.site import Site

LIMIT = 5
"""Hops that a crawler follows: the URL reached by the fifth may not redirect again."""

STATUSES = (301, 302, 303, 307, 308)
CHAINS = (3, LIMIT, LIMIT + 2)
ZIGZAG = 4

_LOCATIONS = {
    "relative": "../at/relative",
    "parent": "../../redirects/at/parent",
    "absolute-path": "/redirects/at/absolute-path",
    "query": "?at=query",
    "fragment": "/redirects/at/fragment#middle",
    "raw-utf8": "/redirects/at/café",
    "dots": "/redirects/x/./y/../../at/dots",
    "scheme-relative": "//{authority}/redirects/at/scheme-relative",
    "full": "http://{authority}/redirects/at/full",
    "three-slashes": "http:///{authority}/redirects/at/three-slashes",
    "spaced": " \t/redirects/at/spaced ",
}
"""Location as sent → leads to /redirects/at/NAME, but for those in `_LEADS_TO`."""

_LEADS_TO = {"query": "to/query?at=query", "raw-utf8": "at/caf%C3%A9"}

_DEAD_ENDS = {
    "no-location": None,
    "empty": "",
    "ftp": "ftp://{host}/file",
    "file": "file:///etc/passwd",
    "javascript": "javascript:alert(1)",
    "mailto": "mailto:a@example.com",
    "no-url": "http://[broken/",
}


def _home(site: Site, rest: str) -> str:
    return site.url(f"/redirects/{rest}")


def entries(site: Site) -> Iterator[Link]:
    heads = [f"status/{status}" for status in STATUSES]
    heads += [f"to/{name}" for name in _LOCATIONS] + [f"dead/{name}" for name in _DEAD_ENDS]
    heads += [f"chain/{length}/0" for length in CHAINS] + ["zigzag/0"]
    heads += ["loop/a", "self", "away", "away-front", "linked-too", "at/linked-too", "refresh"]
    for rest in heads:
        yield link(_home(site, rest))


def answer(site: Site, rest: str) -> Answer | None:
    if rest == "to/query?at=query":
        return page(site, f"/redirects/{rest}")
    kind, _, name = rest.partition("/")
    family = _FAMILIES.get(kind, _single)
    return family(site, name if kind in _FAMILIES else rest)


def _at(site: Site, name: str) -> Answer:
    """A page behind a redirect: its relative link counts from here, not from the redirect."""
    rest = f"at/next/{name}"
    links = () if name.startswith("next/") else (Link(_home(site, rest), f"next/{name}"),)
    return page(site, f"/redirects/at/{name}", links)


def _single(site: Site, rest: str) -> Answer | None:
    if rest == "refresh":
        return page(
            site, "/redirects/refresh", [Link(_home(site, "at/refresh"), "at/refresh", "moved")]
        )
    targets = {
        "self": _home(site, "self"),
        "away": site.neighbour().url("/redirects/at/away"),
        "away-front": site.neighbour().url("/"),
        "linked-too": _home(site, "at/linked-too"),
    }
    return redirect(302, targets[rest], targets[rest]) if rest in targets else None


def _loop(site: Site, name: str) -> Answer | None:
    other = {"a": "b", "b": "a"}.get(name)
    return redirect(302, other, _home(site, f"loop/{other}")) if other else None


def _status(site: Site, name: str) -> Answer | None:
    if name not in map(str, STATUSES):
        return None
    target = _home(site, f"at/{name}")
    return redirect(int(name), target, target)


def _location(site: Site, name: str) -> Answer | None:
    if name not in _LOCATIONS:
        return None
    sent = _LOCATIONS[name].format(authority=site.authority)
    return redirect(302, sent, _home(site, _LEADS_TO.get(name, f"at/{name}")))


def _dead(site: Site, name: str) -> Answer | None:
    if name not in _DEAD_ENDS:
        return None
    answer, sent = failure("refused", 302), _DEAD_ENDS[name]
    if sent is None:
        return answer
    return replace(answer, headers=(*HTML, ("Location", sent.format(host=site.host))))


def _chain(site: Site, name: str) -> Answer | None:
    """/chain/LENGTH/STEP: LENGTH hops on one host, then a page."""
    steps = {f"{length}/{step}": (length, step) for length in CHAINS for step in range(length)}
    if name in steps:
        length, step = steps[name]
        after = f"{length}/{step + 1}" if step + 1 < length else f"{length}/end"
        return redirect(301, f"/redirects/chain/{after}", _home(site, f"chain/{after}"))
    if name in [f"{length}/end" for length in CHAINS]:
        return page(site, f"/redirects/chain/{name}")
    return None


def _zigzag(site: Site, name: str) -> Answer | None:
    """A chain of four hops, each to another host of the group."""
    if name not in map(str, range(ZIGZAG + 1)):
        return None
    step = int(name)
    if step == ZIGZAG:
        return page(site, f"/redirects/zigzag/{step}")
    target = site.neighbour().url(f"/redirects/zigzag/{step + 1}")
    return redirect(307, target, target)


_FAMILIES = {
    "at": _at,
    "status": _status,
    "to": _location,
    "dead": _dead,
    "chain": _chain,
    "loop": _loop,
    "zigzag": _zigzag,
}
FEATURE = Feature("redirects", entries, answer)
