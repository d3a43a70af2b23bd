"""The features of the web, one file each; a host's front page links to those that live there."""

from __future__ import annotations

from tests.web import robots
from tests.web.features import (
    bodies,
    broken,
    charsets,
    codings,
    directives,
    duplicates,
    endless,
    heads,
    mistaken,
    plain,
    redirects,
    rules,
    slow,
    spellings,
    statuses,
    timeout,
    traps,
)
from tests.web.features.feature import Feature
from tests.web.site import CRAWL_DELAY, UNREACHABLE, Site

FEATURES: dict[str, Feature] = {
    module.FEATURE.name: module.FEATURE
    for module in (
        traps,
        directives,
        spellings,
        bodies,
        charsets,
        broken,
        redirects,
        codings,
        statuses,
        duplicates,
        slow,
    )
}
"""Those that live on one host of each group, in turn: the first on the seed's, nearest by."""

EXTRAS: dict[str, Feature] = {
    module.FEATURE.name: module.FEATURE for module in (timeout, heads, endless, mistaken)
}
"""Those that a web has only when it is asked to."""

ANSWERING: dict[str, Feature] = {
    **FEATURES,
    **EXTRAS,
    plain.FEATURE.name: plain.FEATURE,
    rules.FEATURE.name: rules.FEATURE,
}
"""Every host answers all of them: redirects and duplicates cross hosts."""


def living_on(site: Site) -> list[Feature]:
    """The features that the front page of `site` links to."""
    places = [x.place for x in site.group() if x.place not in (UNREACHABLE, CRAWL_DELAY)]
    asked = [EXTRAS[name] for name in site.web.extras]
    found = [
        feature
        for number, feature in enumerate([*FEATURES.values(), *asked])
        if places[number % len(places)] == site.place
    ]
    return [*found, rules.FEATURE] if site.place in robots.WITH_RULES else found
