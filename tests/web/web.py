"""The web itself: which answer belongs to a URL, computed from the seed when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.web import robots, sitemaps, truth
from tests.web.answers import Answer, Link, failure, link, page
from tests.web.features import ANSWERING, EXTRAS, living_on, plain
from tests.web.features.feature import Feature
from tests.web.site import GROUP, Site


def loopback(count: int) -> tuple[str, ...]:
    """Addresses 127.1.0.1, 127.1.0.2, …: Linux routes all of 127/8 to the loopback device."""
    return tuple(f"127.1.{number // 250}.{number % 250 + 1}" for number in range(count))


@dataclass(frozen=True)
class Web:
    """A web on `hosts` (addresses or names, all on one `port`); its answers depend on URLs alone.

    Each host has `depth` levels of plain pages, level k of degree · k pages with `degree` links
    each, and its share of the features. `extras` names features to add (`EXTRAS`).
    """

    seed: int = 1
    hosts: Sequence[str] = field(default_factory=lambda: loopback(8))
    port: int = 8765
    degree: int = 5
    depth: int = 3
    extras: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "hosts", tuple(self.hosts))
        object.__setattr__(self, "extras", tuple(self.extras))
        if not self.hosts or self.degree < 1 or not set(self.extras) <= set(EXTRAS):
            raise ValueError("a web needs a host, a degree of at least 1 and known extras")

    @property
    def seeds(self) -> tuple[str, ...]:
        """The front page of the first host of each group."""
        starts = range(0, len(self.hosts), GROUP)
        return tuple(Site(self, index).url("/") for index in starts)

    def answer(self, host: str, path: str) -> Answer:
        """The answer for `path` (query included, as requested) on `host`; 421 for other hosts."""
        if host not in self.hosts:
            return failure("refused", 421)
        return answer(Site(self, self.hosts.index(host)), path)

    def truth(
        self,
        depth: int,
        scope: truth.Scope = "any",
        include_robots: bool = False,
        sitemaps: bool = False,
    ) -> dict[str, truth.Fact]:
        """What a right crawl from the seeds finds: see `tests.web.truth`."""
        return truth.crawl(self, depth, scope, include_robots, sitemaps)


def answer(site: Site, path: str) -> Answer:
    """The answer of one host."""
    if path == "/":
        return page(site, path, _front(site))
    if path in ("/robots.txt", robots.MOVED):
        return _robots(site, path)
    name, _, rest = path[1:].partition("/")
    if name == "unseen":
        return page(site, "/unseen")
    if name == "sitemaps":
        return sitemaps.answer(site, rest) or failure("gone", 404)
    feature = ANSWERING.get(name)
    found = feature and _within(site, feature, rest)
    return found or failure("gone", 404)


def _front(site: Site) -> Iterator[Link]:
    """Links to the group's other hosts, to the features and to the first plain pages."""
    if site.place == 0:
        yield from (link(other.url("/")) for other in site.group() if other != site)
    yield from (link(site.url(f"/{feature.name}/")) for feature in living_on(site))
    yield from plain.links(site, 0, 0)


def _robots(site: Site, path: str) -> Answer:
    own = robots.of(site)
    if path == robots.MOVED:
        return own.moved or failure("gone", 404)
    return own.answer


def _within(site: Site, feature: Feature, rest: str) -> Answer | None:
    if rest == "":
        return page(site, f"/{feature.name}/", feature.entries(site))
    return feature.answer(site, rest)
