"""Inputs to start from: the cases of the tests, and what the web on loopback answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.web import Web
from tests.web.answers import Answer

DATA = Path(__file__).parents[1] / "data"


def cases(name: str, *keys: str) -> list[str]:
    """The texts that stand under one of `keys` anywhere in the cases of `name`."""
    return list(_texts(json.loads((DATA / f"{name}.json").read_text("utf-8")), keys))


def _texts(found: Any, keys: tuple[str, ...]) -> Iterator[str]:
    if isinstance(found, list):
        for item in found:
            yield from _texts(item, keys)
    elif isinstance(found, dict):
        for key, value in found.items():
            if key in keys and isinstance(value, str):
                yield value
            elif key in keys and isinstance(value, list):
                yield "".join(part for part in value if isinstance(part, str))
            yield from _texts(value, keys)


@cache
def web_answers(longest: int = 20_000) -> tuple[Answer, ...]:
    """The answers of a small web, one of each URL that a crawl of it meets; short ones only."""
    web = Web(port=8080, degree=2, depth=1)
    found = []
    for url in web.truth(2, "any", include_robots=True):
        host, _, path = url.removeprefix("http://").partition("/")
        answer = web.answer(host.partition(":")[0], "/" + path)
        if len(answer.payload()) <= longest:
            found.append(answer)
    return tuple(found)


def octets(text: str) -> bytes:
    """A case's text as bytes: one a character where it can be so, else UTF-8."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
