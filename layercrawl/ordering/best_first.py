"""Best-first: the pages that promise most of a topic come first (focused crawling).

ParserDriver says how well each page fits the topic, and what each of its links promises (see
`relevance`). Of the links to a page the best counts, not their sum: a page that many others link to
is no more about the topic for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, repeat

from layercrawl.ordering.order import MessageOrder
from layercrawl.records import Outlinks, UrlState


class BestFirst(MessageOrder):
    """The more a page promises, the sooner; seeds before all others.

    What a redirect leads to promises what was promised of the redirect.
    """

    seed = 1 << 20
    needs_topic = True

    def messages(self, page: Outlinks) -> Iterable[int]:
        return chain(page.relevances, repeat(self.passed(page)))

    def passed(self, page: Outlinks) -> int:
        return page.target.score if page.outcome == "redirect" else page.relevance

    def score(self, state: UrlState) -> int:
        return state.message
