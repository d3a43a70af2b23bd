"""Backlink count: the pages that most fetched pages link to come first."""

from collections.abc import Iterable, Iterator

from layercrawl.ordering.order import WeightOrder
from layercrawl.records import Outlinks


class Backlink(WeightOrder):
    """Each page that links to a URL counts once; a page's link to itself does not."""

    def weights(self, pages: Iterable[tuple[str, Outlinks]]) -> Iterator[tuple[str, int]]:
        for url, page in pages:
            for link in {target for target, _ in page.links} - {url}:
                yield link, 1
