"""Seeds as the user writes them: one URL a line, `#` comments, blank lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from layercrawl import urls


def seed(line: str) -> str | None:
    """The URL of a line, in normal form; None for a comment or a blank line.

    Raises ValueError for anything else. A `#` starts a comment at the line's start or after white
    space, since URLs may hold one.

    >>> seed("HTTP://A.example  # the front page")
    'http://a.example/'
    >>> seed("# a comment")
    """
    text = line.removeprefix("\ufeff").strip()  # a byte order mark, which some editors write
    if not text or text.startswith("#"):
        return None
    words = text.split()
    if len(words) > 1 and not words[1].startswith("#"):
        raise ValueError(f"more than one word: {text[:80]!r}")
    url = urls.normalise(words[0])
    if url == urls.robots_url(url):
        raise ValueError("robots.txt is no page")
    return url


def read(lines: Iterable[str]) -> tuple[list[str], list[tuple[int, str]]]:
    """The URLs of lines, and (line number, why) of each line that has none.

    >>> read(["a.example", "http://a.example/"])
    (['http://a.example/'], [(1, "not a URL: 'a.example'")])
    """
    good, bad = [], []
    for number, line in enumerate(lines, 1):
        try:
            url = seed(line)
        except ValueError as error:
            bad.append((number, str(error)))
        else:
            good += [url] if url else []
    return good, bad
