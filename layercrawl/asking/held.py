"""Which budget of its host held a URL back in a layer's plan: the same sum, done for one host."""

from __future__ import annotations

from layercrawl import stores, urls
from layercrawl.config import Config
from layercrawl.planning import budgets, fold
from layercrawl.planning.budgets import REASONS, Budgets
from layercrawl.records import Outlinks, Target, Visit
from layercrawl.stores import Stores


def held_back(crawl: Stores, layer: int, url: str, settings: Config) -> str:
    """Reason and option, by what was asked of the host before `layer`, and what its plan takes.

    Empty when no budget holds the URL back.
    """
    host, budget = urls.host(url), Budgets(settings)
    visits: dict[str, list[Visit]] = {}
    for number in crawl.layers("out")[:layer]:
        for key, page in stores.read(crawl.layer("out", number), Outlinks):
            if page.target.kind == "page" and urls.host(key) == host:
                visits.setdefault(key, []).append(fold.visit(page, number))
    for row in sorted(budgets.row(key, sorted(made)) for key, made in visits.items()):
        budget.spend(row)
    for key, target in stores.read(crawl.layer("in", layer), Target):
        if target.kind == "page" and urls.host(key) == host:
            budget.refusal(key)
    reason = budget.refusal(url)
    return f"{reason} ({REASONS[reason]})" if reason else ""
