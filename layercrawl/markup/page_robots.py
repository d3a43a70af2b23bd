"""What a page tells robots to do with it: `noindex` and `nofollow`, in its head or its headers.

Source: Google's "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications", which is the
description that site owners follow; there is no RFC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from layercrawl.robots import product_token

# `noindex` addressed to the crawler that everybody knows means it for the unknown ones too, as
# Applebot reads it. Rules with a value look like names of agents: `max-snippet: 20`.
_META_NAMES = frozenset({"robots", "googlebot"})
_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
_RULE = re.compile(r"[\w-]+")
_AGENT = re.compile(r"\s*([\w.*-]+)\s*:(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Directives:
    """Whether a page is not to be kept (`noindex`), and its links not to be followed."""

    noindex: bool = False
    nofollow: bool = False


def meta_names(agent: str) -> frozenset[str]:
    """The names, in lower case, of the meta elements that speak to `agent`.

    >>> sorted(meta_names("MyBot/2.0 (+http://a.example/)"))
    ['googlebot', 'mybot', 'robots']
    """
    return _META_NAMES | {product_token(agent)} - {"", "*"}


def directives(rules: Iterable[str]) -> Directives:
    """Return what lists of rules, each separated by commas or blanks, amount to together.

    >>> directives(["NoIndex ,max-snippet:20"]), directives(["none"])
    (Directives(noindex=True, nofollow=False), Directives(noindex=True, nofollow=True))
    """
    found = {rule for text in rules for rule in _RULE.findall(text.lower())}
    return Directives(
        noindex=not found.isdisjoint({"noindex", "none"}),
        nofollow=not found.isdisjoint({"nofollow", "none"}),
    )


def robots_header(value: str, agent: str) -> Directives:
    """Return what one X-Robots-Tag header asks of the crawler whose product token is `agent`.

    A rule belongs to the agent named before it, if any, up to the next name.

    >>> robots_header("noarchive, otherbot: noindex, nofollow, mybot: nofollow", "MyBot/1.0")
    Directives(noindex=False, nofollow=True)
    >>> robots_header("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", "mybot")
    Directives(noindex=True, nofollow=False)
    """
    ours = {"*", "robots", product_token(agent)}
    addressed, rules = True, []
    for part in value.split(","):
        match = _AGENT.match(part)
        if match and match[1].lower() not in _WITH_VALUE:
            addressed, part = match[1].lower() in ours, match[2]
        if addressed:
            rules.append(part)
    return directives(rules)
