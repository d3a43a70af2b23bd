"""What a host's robots.txt lets a crawler fetch (RFC 9309), and which line of it says so.

>>> robots = parse(b"User-agent: *\\nDisallow: /private\\nAllow: /private/$\\nCrawl-delay: 2")
>>> robots.allows("http://a.example/private/x", "layercrawl")
False
>>> robots.why("http://a.example/private/", "layercrawl")
(3, 'Allow: /private/$')
>>> robots.crawl_delay("layercrawl")
2.0
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from layercrawl.robots.rules import Rule, Rules, path_of, pattern

LIMIT = 500 * 1024
"""Octets of a robots.txt that are read; what follows is ignored (RFC 9309, 2.5)."""
LONGEST_DELAY = 86_400.0
"""Seconds; a longer crawl delay counts as this one."""

_DIRECTIVES = {
    "allow": "allow",
    "disallow": "disallow",
    "user-agent": "user-agent",
    "crawl-delay": "crawl-delay",
    "sitemap": "sitemap",
    # Misspelt often enough that the reference parser knows them.
    "dissallow": "disallow",
    "dissalow": "disallow",
    "disalow": "disallow",
    "diasllow": "disallow",
    "disallaw": "disallow",
    "useragent": "user-agent",
    "user agent": "user-agent",
    "site-map": "sitemap",
}
_BLANKS = " \t\v\f"  # str.strip() takes away A0 too, the last octet of an à
_TOKEN = re.compile(r"\*|[A-Za-z0-9_.-]+")
_DELAY = re.compile(r"(?=\.?\d)(\d*+(?:\.\d*+)?+(?:[eE][+-]?\d++)?+)(?![\w.])", re.ASCII)


@dataclass
class _Section:
    """What follows a run of User-agent lines.

    Sections share one list of rules when only a Crawl-delay stands between them: it must not end
    a group (RFC 9309, 2.2.4), though it is meant for the agents just named. An empty rule is kept
    in the list: it matches nothing, but it does end the group.
    """

    rules: list[Rule]
    delay: float | None = None


@dataclass(frozen=True)
class Robots:
    """A parsed robots.txt. `sitemaps` are the URLs it lists, as written, once each.

    An `agent` is a crawler's product token, in any case; of a longer User-Agent the first word.
    """

    sitemaps: tuple[str, ...] = ()
    _sections: dict[str, list[_Section]] = field(default_factory=dict)
    _arranged: dict[str, Rules] = field(default_factory=dict, compare=False)

    def allows(self, url: str, agent: str) -> bool:
        """Whether `agent` may fetch `url`; what no rule matches is allowed (RFC 9309, 2.2.2)."""
        rule = self._deciding(url, agent)
        return rule is None or rule.allow

    def why(self, url: str, agent: str) -> tuple[int, str] | None:
        """The number and text of the line that decides on `url`; None where no rule matches."""
        rule = self._deciding(url, agent)
        return (rule.line, rule.text) if rule else None

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds asked for between two requests, at most a day; None when nothing is asked.

        Crawl-delay is not in RFC 9309 but in many files; where a group has several the longest
        counts.
        """
        sections = self._sections.get(self._group(agent), ())
        return max((s.delay for s in sections if s.delay is not None), default=None)

    def _group(self, agent: str) -> str:
        token = product_token(agent)
        return token if token and token in self._sections else "*"

    def _deciding(self, url: str, agent: str) -> Rule | None:
        path = path_of(url)
        if path == "/robots.txt":
            return None
        rules = self._arranged.get(agent)
        if rules is None:
            rules = self._arranged[agent] = self._rules(agent)
        return rules.deciding(path)

    def _rules(self, agent: str) -> Rules:
        """The rules of all groups that name the agent, each list once."""
        sections = self._sections.get(self._group(agent), ())
        lists = {id(section.rules): section.rules for section in sections}
        return Rules(rule for rules in lists.values() for rule in rules)


def parse(body: bytes, limit: int = LIMIT) -> Robots:
    """The rules of a robots.txt; any bytes will do, lines that mean nothing are skipped.

    Its first `limit` octets are read.
    """
    sitemaps: dict[str, None] = {}
    sections: dict[str, list[_Section]] = {}
    section = _Section([])
    previous = ""
    for line, directive, value, text in _lines(body, limit):
        if directive == "sitemap":
            sitemaps[_readable(value)] = None
            continue
        if directive == "user-agent":
            if previous != directive:
                section = _Section([] if section.rules else section.rules)
            sections.setdefault(product_token(value), []).append(section)
        elif directive == "crawl-delay":
            section.delay = _longer(section.delay, value)
        else:
            rule = Rule(line, directive == "allow", pattern(value), _readable(text))
            section.rules.append(rule)
        previous = directive
    return Robots(tuple(sitemaps), sections)


def _lines(body: bytes, limit: int) -> Iterator[tuple[int, str, str, str]]:
    """Number, directive, value and text of each line that has a known directive.

    Octets are read as Latin-1, one character each, so that rules compare by octets.
    """
    lines = body[:limit].removeprefix(b"\xef\xbb\xbf").splitlines()
    if len(body) > limit:
        lines.pop()  # Cut off, it could mean anything.
    for number, raw in enumerate(lines, 1):
        text = raw.partition(b"#")[0].strip().decode("latin-1")
        name, colon, value = text.partition(":")
        if not colon:
            name, _, value = text.partition(" ")
        directive = _DIRECTIVES.get(name.strip(_BLANKS).lower())
        if directive:
            yield number, directive, value.strip(_BLANKS), text


def product_token(agent: str) -> str:
    """The product token of a User-Agent in lower case, `*`, or nothing (RFC 9309, 2.2.1).

    It is the name by which robots.txt, meta elements and X-Robots-Tag headers speak to a crawler.

    >>> product_token("LayerCrawl/1.0 (+http://a.example/)"), product_token("*"), product_token("")
    ('layercrawl', '*', '')
    """
    token = _TOKEN.match(agent)
    return token[0].lower() if token else ""


def _longer(known: float | None, value: str) -> float | None:
    """The longer of a delay and the one that `value` writes; what is no number is ignored."""
    delay = _DELAY.match(value)
    return max(known or 0.0, min(float(delay[1]), LONGEST_DELAY)) if delay else known


def _readable(octets: str) -> str:
    return octets.encode("latin-1").decode("utf-8", "replace")
