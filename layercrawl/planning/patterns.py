"""The pattern of a URL: what it has in common with others that one script may answer. Pure.

Calendars, session ids, sort orders and page numbers make any number of URLs of one pattern.
"""

from __future__ import annotations

import re

_ESCAPE_ENDS = r"(?<!%)(?<!%[0-9A-F])"  # the digits of an escape are no number: %E4 is a letter
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_ID = r"(?<![0-9A-Za-z])(?=[A-Za-z]*+[0-9])(?:[0-9A-Fa-f]{8,}|[0-9A-Za-z]{16,})(?![0-9A-Za-z])"
_VALUE = re.compile(f"{_ESCAPE_ENDS}(?:{_UUID}|{_ID}|[0-9]+)")
_NUMBER = re.compile("[0-9]+")
_SPECIAL = re.compile("%|[0-9A-Za-z]{8}")


def pattern(url: str) -> str:
    """Return the pattern of `url` (in normal form): equal for URLs that differ in values only.

    In the path and in the names of parameters `#` stands for a run of digits, a UUID, a run of 8 or
    more hexadecimal digits, and one of 16 or more letters and digits, if a digit is among them. Of
    the query the names count, once each and sorted; of scheme, host and port nothing does.

    >>> pattern("http://a.example/2024/01-31/photo7.html?to=b&from=a&to=c")
    '/#/#-#/photo#.html?from&to'
    >>> pattern("http://a.example/s/9f86d081884c7d65;jsessionid=0AAB6C8DE415E2AB")
    '/s/#;jsessionid=#'
    >>> pattern("http://a.example/%E4%B8%AD/7"), pattern("http://a.example/")
    ('/%E4%B8%AD/#', '/')
    """
    path, mark, query = url[url.index("/", 8) :].partition("?")
    if not mark:
        return _general(path)
    names = {_general(field.partition("=")[0]) for field in query.split("&")}
    return f"{_general(path)}?{'&'.join(sorted(names))}"


def varies(pattern: str) -> bool:
    """Whether more than one URL of an origin can have the pattern."""
    return "#" in pattern or "?" in pattern


def _general(text: str) -> str:
    if not _NUMBER.search(text):
        return text
    return (_VALUE if _SPECIAL.search(text) else _NUMBER).sub("#", text)  # mostly the quicker one
