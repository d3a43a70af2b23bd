"""Backlink count: the pages that most fetched pages link to come first.

A site's own menu links to a few of its pages from all others; what other hosts link to is harder to
come by, and says more.
"""

from collections.abc import Iterable, Iterator

from layercrawl import urls
from layercrawl.ordering.order import WeightOrder
from layercrawl.records import Outlinks


class Backlink(WeightOrder):
    """Each page that links to a URL counts once; a page's link to itself does not."""

    def weights(self, pages: Iterable[tuple[str, Outlinks]]) -> Iterator[tuple[str, int]]:
        for url, page in pages:
            for link in {target for target, _ in page.links}:
                if self.counts(url, link):
                    yield link, 1

    def counts(self, url: str, link: str) -> bool:
        """Whether a page's link to a URL counts."""
        return url != link


class BacklinkOtherHosts(Backlink):
    """Only links from other hosts count."""

    def counts(self, url: str, link: str) -> bool:
        return _host(url) != _host(link)


def _host(name: str) -> str:
    """The host of a URL; a graph's page that has no URL is one of its own."""
    return urls.host(name) if "://" in name else name
