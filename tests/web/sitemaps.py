"""The sitemaps of each group's first host, and the pages that nothing but them leads to.

robots.txt names one that moved, an index of what is named in `_FILES`, and a list in plain text.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator

from tests.web.answers import Answer, link, page, redirect
from tests.web.site import Site

PLACE = 0
"""The place of the host that has sitemaps: a seed, so that they are met before anything else."""

CHANGED = "2026-03-01T10:30:00Z"
_URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
_INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'
_RSS = '<rss version="2.0"><channel><link>http://unseen.example/</link>{}</channel></rss>'
_FILES = ("packed.xml.gz", "feed.rss", "nested.xml", "gone.xml")
_LISTED = {
    "packed.xml.gz": ("/sitemaps/page/packed", "/plain/3/0", "/", "/rules/private/letter"),
    "feed.rss": ("/sitemaps/page/feed",),
    "deeper.xml": ("/sitemaps/page/deeper",),
    "list.txt": ("/sitemaps/page/list",),
}
"""What each file lists: among it what links lead to as well, further away or nearer."""


def lines(site: Site) -> str:
    """What the host's robots.txt says of sitemaps; one of them is written as a path."""
    if site.place != PLACE:
        return ""
    return f"Sitemap: {site.url('/sitemaps/moved.xml')}\nSitemap: /sitemaps/list.txt\n"


def listed(site: Site) -> Iterator[str]:
    """The URLs that the sitemaps of `site` list."""
    if site.place == PLACE:
        yield from (site.url(path) for paths in _LISTED.values() for path in paths)


def answer(site: Site, rest: str) -> Answer | None:
    """The answer for a path below /sitemaps/."""
    if site.place != PLACE:
        return None
    if match := re.fullmatch(r"page/(\w+)(/next)?", rest):
        onward = [] if match[2] else [link(site.url(f"/sitemaps/page/{match[1]}/next"))]
        return page(site, f"/sitemaps/{rest}", onward)
    if rest == "moved.xml":
        return redirect(301, "index.xml", site.url("/sitemaps/index.xml"))
    return _file(site, rest)


def _file(site: Site, name: str) -> Answer | None:
    urls = [site.url(path) for path in _LISTED.get(name, ())]
    files = {
        "index.xml": ("application/xml", _index(site, *_FILES)),
        "nested.xml": ("text/xml", _index(site, "deeper.xml")),
        "packed.xml.gz": ("application/x-gzip", gzip.compress(_urlset(urls), mtime=0)),
        "deeper.xml": ("text/xml", _urlset(urls)),
        "feed.rss": ("application/rss+xml", _feed(urls)),
        "list.txt": ("text/plain", "\n".join(urls).encode()),
    }
    if name not in files:
        return None
    kind, body = files[name]
    return Answer("refused", 200, (("Content-Type", kind),), body)


def _index(site: Site, *names: str) -> bytes:
    locs = (site.url(f"/sitemaps/{name}") for name in names)
    return _INDEX.format("".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)).encode()


def _urlset(urls: list[str]) -> bytes:
    entry = "<url><loc>{}</loc><lastmod>2026-03-01T12:30+02:00</lastmod></url>"
    broken = "<url><loc>https://[</loc></url><url/>"
    return _URLSET.format("".join(map(entry.format, urls)) + broken).encode()


def _feed(urls: list[str]) -> bytes:
    return _RSS.format("".join(f"<item><link>{url}</link></item>" for url in urls)).encode()
