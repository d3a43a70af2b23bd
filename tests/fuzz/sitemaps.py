"""Sitemaps: any bytes, packed or not, give URLs or none; what is bad is skipped and counted."""

from __future__ import annotations

import gzip
import importlib
import importlib.util

from tests.fuzz import samples

SKIPPED = (
    "" if importlib.util.find_spec("layercrawl.sitemaps") else "layercrawl.sitemaps is not there"
)
TOKENS = (
    b"<urlset>", b"<sitemapindex>", b"<url>", b"<loc>", b"</loc>", b"<lastmod>", b"</url>", b"<!--",
    b"<?xml version='1.0' encoding='utf-16'?>", b"<!DOCTYPE x [<!ENTITY a 'b'>", b"]>", b"&a;",
    b"<rss>", b"<feed>", b"<entry>", b"<link href=", b"<link>", b"<pubDate>", b"<updated>",
    b"http://a.example/", b"2026-01-02", b"2026-01-02T03:04:05Z", b"<![CDATA[", b"]]>", b"\n",
    b" xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'", b"\xef\xbb\xbf", b"\x1f\x8b\x08\x00",
)  # fmt: skip
_URL = "http://a.example/sitemap.xml"
_SMALL = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>'
    b"http://a.example/x?a&amp;b</loc><lastmod>2026-01-02</lastmod></url></urlset>",
    b"<sitemapindex><sitemap><loc>/s2.xml.gz</loc></sitemap></sitemapindex>",
    b"<rss><channel><item><link>http://a.example/1</link><pubDate>x</pubDate></item></channel></rss>",
    b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/1"/></entry></feed>',
    b"http://a.example/1\nhttp://a.example/2\r\n",
)  # fmt: skip


def seeds() -> list[bytes]:
    known = (samples.DATA / "sitemaps.json").exists()
    texts = samples.cases("sitemaps", "body", "sitemap", "text", "xml") if known else []
    small = [*_SMALL, *map(samples.octets, texts)]
    return small + [gzip.compress(body, mtime=0) for body in _SMALL]


def target(data: bytes) -> None:
    sitemaps = importlib.import_module("layercrawl.sitemaps")
    urls = importlib.import_module("layercrawl.urls")
    found = sitemaps.parse(data, _URL)
    assert found == sitemaps.parse(data, _URL)
    assert len(found.urls) <= 50_000
    for loc, _ in found.urls:
        assert urls.normalise(loc) == loc
    for loc in found.sitemaps:
        assert urls.normalise(loc if isinstance(loc, str) else loc[0])
