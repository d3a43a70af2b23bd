"""The Allow and Disallow rules of one crawler, and which of them decides on a path.

Rules and paths are compared by octets in one percent-encoded form (RFC 9309, 2.2.2). The longest
rule that matches decides; of two equally long ones an Allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_UNUSUAL = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~:/?#\[\]@!&'()+,;=-]")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_AFTER_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*([^#]*)|([^#]*)")


class Rule(NamedTuple):
    """An Allow or Disallow line: its number, its pattern as `pattern` gives it, and its text."""

    line: int
    allow: bool
    pattern: str
    text: str

    @property
    def rank(self) -> tuple[int, bool]:
        return len(self.pattern), self.allow


class Wildcard:
    """A pattern with `*` or a final `$`, cut up for matching in time linear in the path.

    >>> Wildcard("/*.php$").matches("/a.php"), Wildcard("/*.php$").matches("/a.php?b")
    (True, False)
    >>> Wildcard("/a*a$").matches("/a"), Wildcard("/$").matches("/")
    (False, True)
    """

    __slots__ = ("_first", "_last", "_middle", "_whole")

    def __init__(self, pattern: str) -> None:
        self._first, *parts = pattern.removesuffix("$").split("*")
        self._whole = pattern.endswith("$") and not parts
        self._last = parts.pop() if parts and pattern.endswith("$") else ""
        self._middle = [part for part in parts if part]

    def matches(self, path: str) -> bool:
        """Whether the pattern matches; each part is sought once, the leftmost place being best."""
        if not path.startswith(self._first):
            return False
        position = len(self._first)
        for part in self._middle:
            position = path.find(part, position)
            if position < 0:
                return False
            position += len(part)
        if self._whole:
            return position == len(path)
        return path.endswith(self._last) and position + len(self._last) <= len(path)


class Rules:
    """Rules arranged for look-up.

    Those without wildcards are found by hashing the path's beginnings, one look-up per length that
    occurs; those with wildcards are tried from the highest rank down.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._literal: dict[str, Rule] = {}
        wild: dict[tuple[str, bool], Rule] = {}
        for rule in rules:
            if "*" in rule.pattern or rule.pattern.endswith("$"):
                wild.setdefault((rule.pattern, rule.allow), rule)
            elif rule.pattern:
                known = self._literal.setdefault(rule.pattern, rule)
                if rule.allow and not known.allow:
                    self._literal[rule.pattern] = rule
        self._lengths = sorted({len(pattern) for pattern in self._literal}, reverse=True)
        self._wild = [
            (rule.rank, Wildcard(rule.pattern).matches, rule)
            for rule in sorted(wild.values(), key=lambda rule: rule.rank, reverse=True)
        ]

    def deciding(self, path: str) -> Rule | None:
        """The rule that decides on `path`, which is in the form that `path_of` gives."""
        best = self._longest_literal(path)
        least = best.rank if best else (0, False)
        for rank, matches, rule in self._wild:
            if rank <= least:
                break
            if matches(path):
                return rule
        return best

    def _longest_literal(self, path: str) -> Rule | None:
        for length in self._lengths:
            if rule := self._literal.get(path[:length]):
                return rule
        return None


def pattern(octets: str) -> str:
    """A rule's path in the form that rules and paths are compared in; `*` and a final `$` stay.

    >>> pattern("/a-%2a/**/%7ejoe$"), pattern("/$x")
    ('/a-%2A/*/~joe$', '/%24x')
    >>> pattern("/100%/%%7e")  # a percent sign that starts no escape, as URLs' normal form has it
    '/100%25/%25~'
    """
    literal = octets.removesuffix("$")
    end = "$" if literal != octets else ""
    return "*".join(map(_comparable, re.split(r"\*+", literal))) + end


def path_of(url: str) -> str:
    """Path and query of `url` in the form that rules and paths are compared in.

    >>> path_of("http://a.example?q=*#f"), path_of("http://a.example/%7ea/%c3%bc/ü%2f")
    ('/?q=%2A', '/~a/%C3%BC/%C3%BC%2F')
    """
    found = _AFTER_AUTHORITY.match(url)
    path = (found[1] or found[2] or "") if found else ""
    octets = path if path.isascii() else path.encode("utf-8", "replace").decode("latin-1")
    return _comparable(octets if octets.startswith("/") else "/" + octets)


def _comparable(octets: str) -> str:
    """Percent-encodes all but reserved and unreserved characters; one character is one octet."""
    return _UNUSUAL.sub(_encoded, octets)


def _encoded(found: re.Match[str]) -> str:
    text = found[0]
    if len(text) == 1:
        return f"%{ord(text):02X}"
    character = chr(int(text[1:], 16))
    return character if _UNRESERVED.match(character) else text.upper()
