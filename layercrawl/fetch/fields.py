"""The header fields of a request: the crawler's own, and those that the user adds for some hosts.

A field of `--header` goes to the hosts of all seeds, by http too; so what lets somebody in has to
name its origin, and is never sent to another host, nor by http where https was said.
"""

from __future__ import annotations

from collections.abc import Mapping

from layercrawl import codings, urls
from layercrawl.config import Config
from layercrawl.config.checks import header_parts


class Fields:
    """The fields that go to each URL; `seed_hosts` are spelt as in a URL."""

    def __init__(self, config: Config, seed_hosts: frozenset[str]) -> None:
        self._seed_hosts = seed_hosts
        self._usual = {
            "User-Agent": config.agent,
            "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
            "Accept-Encoding": codings.ACCEPTED,
        }
        self._added: dict[str, dict[str, str]] = {"": {}}  # by origin; "": any of a seed's host
        for origin, name, value in map(header_parts, config.header):
            place = urls.origin(urls.normalise(origin)) if origin else ""
            self._added.setdefault(place, {})[name] = value

    def of(self, url: str) -> dict[str, str]:
        """The fields of a request for `url`, which is in normal form."""
        general = self._added[""] if urls.host(url) in self._seed_hosts else {}
        return _with(_with(self._usual, general), self._added.get(urls.origin(url), {}))


def _with(fields: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    """Both, where what is added replaces a field of the same name, whatever its case."""
    names = {name.lower() for name in added}
    return {name: value for name, value in fields.items() if name.lower() not in names} | {**added}
