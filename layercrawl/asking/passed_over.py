"""Why a layer's plan left out a URL that was known then: told by the plan and its settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from layercrawl import schedule, stores, urls
from layercrawl.asking import lookup
from layercrawl.asking.held import held_back
from layercrawl.config import Config
from layercrawl.planning import selection
from layercrawl.records import Target, UrlState
from layercrawl.running.report import many
from layercrawl.stores import Stores


@dataclass
class _Plan:
    """A layer's plan: its clock and settings, and what it took in all and of one host."""

    now: datetime
    settings: Config
    depth: int | None = None
    taken: int = 0
    of_host: int = 0
    holds: bool = False


def passed_over(crawl: Stores, url: str, state: UrlState) -> Iterator[str]:
    """A line for each run of layers that left the URL out for the same reason."""
    reasons = _reasons(crawl, url, state)
    for reason, layers in groupby(reasons, itemgetter(1)):
        numbers = [number for number, _ in layers]
        several = len(numbers) > 1
        named = f"layers {numbers[0]} to {numbers[-1]}" if several else f"layer {numbers[0]}"
        if reason:
            yield f"{named}: left out: {reason}"


def _reasons(crawl: Stores, url: str, state: UrlState) -> Iterator[tuple[int, str]]:
    for layer in crawl.layers("in"):
        known = not state.via or state.first < layer
        asked = any(visit.layer == layer for visit in state.visits)
        if known and not asked:
            plan = _plan(crawl, layer, url)
            yield layer, "" if plan.holds else _reason(crawl, layer, url, state, plan)


def _plan(crawl: Stores, layer: int, url: str) -> _Plan:
    folder, host = crawl.layer("in", layer), urls.host(url)
    plan = _Plan(schedule.moment(stores.marker(folder).now), lookup.settings(folder))
    for key, target in stores.read(folder, Target):
        if target.kind != "robots":
            depth = selection.distance(target)
            plan.depth = depth if plan.depth is None else min(plan.depth, depth)
            plan.taken += 1
            plan.of_host += urls.host(key) == host
            plan.holds |= key == url
    return plan


def _reason(crawl: Stores, layer: int, url: str, state: UrlState, plan: _Plan) -> str:
    visits = [visit for visit in state.visits if visit.layer < layer]
    if state.kind == "sitemap" and not plan.settings.sitemaps:
        return "a sitemap, without --sitemaps"
    if not visits and selection.distance(state) > plan.settings.depth:
        return f"beyond --depth {plan.settings.depth}"
    rules = lookup.rules(crawl, plan.settings)
    if not visits and state.depth and (reason := rules.cut_of(state.kind, url, state.via)):
        return f"cut by the rules of that layer: {reason}"
    due = schedule.next_visit(visits)
    if visits and due is None:
        return ""
    if due and due > plan.now:
        return f"not due before {schedule.timestamp(due)}"
    return _rank(crawl, layer, url, state, plan)


def _rank(crawl: Stores, layer: int, url: str, state: UrlState, plan: _Plan) -> str:
    """Why a URL that was due did not come first."""
    host = lookup.state(crawl, urls.robots_url(url), layer)
    if host and host.not_before and schedule.moment(host.not_before) > plan.now:
        return f"its host is left alone until {host.not_before}"
    page = state.depth and state.kind == "page"
    if page and (held := held_back(crawl, layer, url, plan.settings)):
        return held
    nearer = plan.depth is not None and selection.distance(state) > plan.depth
    if nearer and not plan.settings.budget:
        return f"pages of depth {plan.depth} come first"
    share = selection.share(plan.settings, host.delay or 0.0 if host else 0.0)
    if plan.of_host >= share:
        return f"over its host's share, which is {many(share, 'page')}"
    return f"others come first in the layer, which holds {many(plan.taken, 'page')}"
