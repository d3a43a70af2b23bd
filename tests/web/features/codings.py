"""Content codings; they are sent to everybody, so that an answer depends on its URL alone."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator

import brotli
import zstandard

from tests.web.answers import Answer, Link, coded, link, page
from tests.web.features.feature import Feature
from tests.web.site import Site


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def _brotli(body: bytes) -> bytes:
    packed: bytes = brotli.compress(body, quality=4)
    return packed


def _two_members(body: bytes) -> bytes:
    """A gzip file may have several members (RFC 1952, 2.2)."""
    return _gzip(body[:1000]) + _gzip(body[1000:])


_PAGES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", _gzip),
    "x-gzip": ("x-gzip", _gzip),
    "odd-case": ("GZip", _gzip),
    "two-members": ("gzip", _two_members),
    "deflate": ("deflate", zlib.compress),
    "raw-deflate": ("deflate", _raw_deflate),
    "br": ("br", _brotli),
    "zstd": ("zstd", zstandard.ZstdCompressor().compress),
    "twice": ("deflate, gzip", lambda body: _gzip(zlib.compress(body))),
    "identity": ("identity", bytes),
    "none": ("none", bytes),
}


def entries(site: Site) -> Iterator[Link]:
    for name in _PAGES:
        yield link(site.url(f"/codings/{name}"))


def answer(site: Site, rest: str) -> Answer | None:
    if rest in [f"after/{name}" for name in _PAGES]:
        return page(site, f"/codings/{rest}")
    if rest not in _PAGES:
        return None
    coding, pack = _PAGES[rest]
    plain = page(site, f"/codings/{rest}", [link(site.url(f"/codings/after/{rest}"))])
    return coded(plain, coding, pack(plain.body))


FEATURE = Feature("codings", entries, answer)
