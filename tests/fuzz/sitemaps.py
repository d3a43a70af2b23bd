"""Sitemaps: any bytes, packed or not, list URLs or none; what is bad is skipped and counted."""

from __future__ import annotations

import gzip
import re

from layercrawl import sitemaps, urls
from tests.fuzz import samples

SKIPPED = ""
TOKENS = (
    b"<urlset>", b"<sitemapindex>", b"<sitemap>", b"<url>", b"<loc>", b"</loc>", b"<lastmod>",
    b"</url>", b"<rss>", b"<feed>", b"<rdf:RDF>", b"<item>", b"<entry>", b"<link href=", b"<link>",
    b"<guid>", b"<pubDate>", b"<updated>", b" rel='self'", b"/>", b"<![CDATA[", b"]]>", b"<!--",
    b"<?xml version='1.0' encoding='utf-16'?>", b"<!DOCTYPE x [<!ENTITY a 'b'>", b"]>", b"&a;",
    b"&amp;", b"&#xfffff;", b"&#9999999;", b"http://a.example/", b"//", b"\n", b"\r", b"2026-01-02",
    b"2026-01-02T03:04:05Z", b"Tue, 10 Jun 2003 04:00:00 +0200", b"+99:99", b"0000", b"9999-12-31",
    b" xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'", b"\xef\xbb\xbf", b"\x1f\x8b\x08\x00",
)  # fmt: skip
_URL = "http://a.example/d/sitemap.xml"
_LASTMOD = re.compile(r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def seeds() -> list[bytes]:
    plain = [samples.octets(text) for text in samples.cases("sitemaps", "text")]
    return plain + [gzip.compress(body, mtime=0) for body in plain[:8]]


def target(data: bytes) -> None:
    found = sitemaps.parse(data, _URL)
    assert found == sitemaps.parse(data, _URL)
    assert len(found.urls) + len(found.sitemaps) <= sitemaps.MAX_URLS
    assert found.skipped >= 0
    for loc in (*(page.loc for page in found.urls), *found.sitemaps):
        assert urls.normalise(loc) == loc
    assert all(_LASTMOD.fullmatch(page.lastmod) for page in found.urls)
