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
from typing import NamedTuple

LIMIT = 500 * 1024
"""Octets of a robots.txt that are read; what follows is ignored (RFC 9309, 2.5)."""
LONGEST_DELAY = 86_400.0
"""Seconds; a crawl delay above it counts as this one."""

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
    "crawldelay": "crawl-delay",
    "site-map": "sitemap",
}
_TOKEN = re.compile(r"[A-Za-z0-9_.-]+")
_DELAY = re.compile(r"(\d{1,9}(?:\.\d*)?|\.\d+)(?![\w.])")
_AFTER_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*([^#]*)|([^#]*)")
_UNUSUAL = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~:/?#\[\]@!&'()+,;=%-]")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")


class Rule(NamedTuple):
    """An Allow or Disallow line; `pattern` is in the form that paths are compared in."""

    line: int
    allow: bool
    pattern: str
    text: str

    @property
    def rank(self) -> tuple[int, bool]:
        """The longest rule decides, and among equals an Allow (RFC 9309, 2.2.2)."""
        return len(self.pattern), self.allow


class Group:
    """The rules of one product token, arranged for look-up.

    Rules without wildcards are found by hashing the path's beginnings, one look-up per length that
    occurs; those with wildcards are tried from the highest rank down.
    """

    def __init__(self) -> None:
        self.delay: float | None = None
        self._literal: dict[str, Rule] = {}
        self._wild: list[Rule] = []
        self._lengths: list[int] | None = None

    def add(self, rule: Rule) -> None:
        """Adds a rule; the first of several equal ones is kept."""
        self._lengths = None
        if "*" in rule.pattern or rule.pattern.endswith("$"):
            self._wild.append(rule)
        else:
            known = self._literal.get(rule.pattern)
            if known is None or rule.allow > known.allow:
                self._literal[rule.pattern] = rule

    def deciding(self, path: str) -> Rule | None:
        """The rule that decides on `path`, which is in the form that rules are compared in."""
        if self._lengths is None:
            self._lengths = sorted({len(pattern) for pattern in self._literal}, reverse=True)
            self._wild.sort(key=lambda rule: rule.rank, reverse=True)
        best = self._longest_literal(path)
        for rule in self._wild:
            if best and rule.rank <= best.rank:
                break
            if _matches(rule.pattern, path):
                return rule
        return best

    def _longest_literal(self, path: str) -> Rule | None:
        for length in self._lengths or ():
            if rule := self._literal.get(path[:length]):
                return rule
        return None


@dataclass(frozen=True)
class Robots:
    """A parsed robots.txt. `sitemaps` are the URLs it lists, as written.

    An `agent` is a crawler's product token; of a longer User-Agent the first word counts.
    """

    sitemaps: tuple[str, ...] = ()
    _groups: dict[str, Group] = field(default_factory=dict)

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

        Crawl-delay is no part of RFC 9309, but of many files; the longest of a group counts.
        """
        group = self._group(agent)
        return group.delay if group else None

    def _group(self, agent: str) -> Group | None:
        return self._groups.get(_token(agent)) or self._groups.get("*")

    def _deciding(self, url: str, agent: str) -> Rule | None:
        group = self._group(agent)
        if group is None:
            return None
        path = _path(url)
        return None if path == "/robots.txt" else group.deciding(path)


def parse(body: bytes) -> Robots:
    """The rules of a robots.txt; any bytes are good, lines that mean nothing are skipped."""
    sitemaps: dict[str, None] = {}
    groups: dict[str, Group] = {}
    current: list[Group] = []
    names_agents = False
    for line, directive, value, text in _lines(body):
        if directive == "sitemap":
            sitemaps[value.encode("latin-1").decode("utf-8", "replace")] = None
            continue
        if directive == "user-agent":
            current = current if names_agents else []
            current.append(groups.setdefault(_token(value), Group()))
        else:
            _add(current, directive, value, line, text)
        names_agents = directive == "user-agent"
    return Robots(tuple(sitemaps), groups)


def _lines(body: bytes) -> Iterator[tuple[int, str, str, str]]:
    """Number, directive, value and text of each line that has a known directive.

    Octets are read as Latin-1, one character each, so that rules compare by octets.
    """
    lines = body[:LIMIT].removeprefix(b"\xef\xbb\xbf").splitlines()
    if len(body) > LIMIT and lines:
        lines.pop()  # cut off, it could mean anything
    for number, raw in enumerate(lines, 1):
        text = raw.partition(b"#")[0].strip().decode("latin-1")
        name, colon, value = text.partition(":")
        if not colon:
            name, _, value = text.partition(" ")
        directive = _DIRECTIVES.get(name.strip().lower())
        if directive:
            yield number, directive, value.strip(), text


def _add(groups: list[Group], directive: str, value: str, line: int, text: str) -> None:
    if directive == "crawl-delay":
        delay = _delay(value)
        for group in groups:
            group.delay = max(group.delay or 0.0, delay) if delay is not None else group.delay
    elif value:
        readable = text.encode("latin-1").decode("utf-8", "replace")
        rule = Rule(line, directive == "allow", _pattern(value), readable)
        for group in groups:
            group.add(rule)


def _token(agent: str) -> str:
    """The product token in lower case; `*` where there is none (RFC 9309, 2.2.1).

    >>> _token("LayerCrawl/1.0 (+http://a.example/)"), _token("*")
    ('layercrawl', '*')
    """
    token = _TOKEN.match(agent)
    return token[0].lower() if token else "*"


def _delay(value: str) -> float | None:
    delay = _DELAY.match(value)
    return min(float(delay[1]), LONGEST_DELAY) if delay else None


def _path(url: str) -> str:
    """Path and query of `url` in the form that rules are compared in.

    >>> _path("http://a.example?q=*#f"), _path("http://a.example/%7ea/%c3%bc/ü%2f")
    ('/?q=%2A', '/~a/%C3%BC/%C3%BC%2F')
    """
    found = _AFTER_AUTHORITY.match(url)
    path = (found[1] or found[2] or "") if found else ""
    octets = path if path.isascii() else path.encode("utf-8", "replace").decode("latin-1")
    return _comparable(octets if octets.startswith("/") else "/" + octets)


def _pattern(value: str) -> str:
    """A rule's pattern in the form that paths are compared in; `*` and a final `$` stay."""
    literal = value.removesuffix("$")
    end = "$" if literal != value else ""
    return "*".join(map(_comparable, re.split(r"\*+", literal))) + end


def _comparable(path: str) -> str:
    """`path` percent-encoded but for reserved and unreserved characters (RFC 9309, 2.2.2)."""
    return _UNUSUAL.sub(_encoded, path)


def _encoded(found: re.Match[str]) -> str:
    text = found[0]
    if len(text) == 1:
        return f"%{ord(text):02X}"
    character = chr(int(text[1:], 16))
    return character if _UNRESERVED.match(character) else text.upper()


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern with wildcards matches; linear, as each part is sought but once.

    >>> _matches("/*.php$", "/a.php"), _matches("/*.php$", "/a.php?b"), _matches("/$", "/")
    (True, False, True)
    """
    anchored = pattern.endswith("$")
    first, *parts = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    last = parts.pop() if parts and anchored else None
    for part in parts:
        position = path.find(part, position)
        if position < 0:
            return False
        position += len(part)
    if last is not None:
        return path.endswith(last) and len(path) - len(last) >= position
    return not anchored or position == len(path)
