"""The contract of a feature: a named part of the web that lives under /NAME/ on any host."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.web.answers import Answer, Link
from tests.web.site import Site


@dataclass(frozen=True, slots=True)
class Feature:
    """`entries` are the links of its first page, /NAME/; `answer` answers the rest of the path.

    `answer(site, rest)` gets the path after /NAME/, query included, in normal form; None is a 404.
    """

    name: str
    entries: Callable[[Site], Iterable[Link]]
    answer: Callable[[Site, str], Answer | None]
