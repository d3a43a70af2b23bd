"""One host of the seeded web: its name, its neighbours and the randomness that belongs to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.web import Web

GROUP = 8
"""Hosts come in groups of eight: the first is a seed and links to the others, and a host's place
in its group says which robots.txt it has (`tests.web.robots`) and which features it links to."""

UNREACHABLE, CRAWL_DELAY = 3, 4
"""The places of the host whose robots.txt is 503, and of the one that asks for a Crawl-delay."""


def draw(count: int, *key: object) -> bytes:
    """`count` bytes that depend on `key` alone, the same on every Python and machine.

    >>> draw(4, 1, "words").hex()
    '4c8f6eb4'
    """
    return hashlib.shake_128("\0".join(map(str, key)).encode()).digest(count)


@dataclass(frozen=True, slots=True)
class Site:
    """Host number `index` of `web`."""

    web: Web
    index: int

    @property
    def host(self) -> str:
        return self.web.hosts[self.index]

    @property
    def place(self) -> int:
        """The place in its group, 0..7."""
        return self.index % GROUP

    @property
    def authority(self) -> str:
        """Host and port as a URL in normal form has them: no default port."""
        return self.host if self.web.port == 80 else f"{self.host}:{self.web.port}"

    def url(self, path: str) -> str:
        """The URL of `path` here; `path` starts with a slash and is in normal form already."""
        return f"http://{self.authority}{path}"

    def group(self) -> Iterator[Site]:
        """All hosts of this host's group."""
        first = self.index - self.place
        for index in range(first, min(first + GROUP, len(self.web.hosts))):
            yield Site(self.web, index)

    def neighbour(self) -> Site:
        """The next quick and reachable host of the group; itself when there is none."""
        sites = [site for site in self.group() if site.place not in (UNREACHABLE, CRAWL_DELAY)]
        return sites[(sites.index(self) + 1) % len(sites)] if self in sites else sites[0]
