"""Which links of a page are followed: scope, the user's patterns, kinds of file, traps.

A link that is not followed is *cut*, and each cut has one reason, so that the reasons can be
counted. Robots' rules are not asked here: they need the host's robots.txt, which comes later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from layercrawl import urls

Scope = Literal["host", "site", "any"]

MAX_LENGTH = 2000
"""Longest URL followed, in characters. Sitemaps end at 2,048 and old browsers at 2,083, so no page
that wants visitors lies beyond; what does is session state or a trap, and every store repeats it.
"""
MAX_SEGMENTS = 32
"""Deepest path followed, in segments."""

_KINDS = {
    "images": "apng avif bmp cdr cr2 djv djvu dng dwg dxf eps gif heic heif ico jfif jp2 jpe jpeg"
    " jpg jxl nef png psd svg svgz tga tif tiff webp wmf xcf",
    "audio": "aac ac3 aif aiff amr flac m3u m4a m4b mid midi mka mp2 mp3 mpa oga ogg opus spx wav"
    " wma",
    "video": "3g2 3gp asf avi flv m2ts m3u8 m4v mkv mov mp4 mpeg mpg mpd ogv qt rmvb swf ts vob"
    " webm wmv",
    "archives and packages": "7z apk appimage bz2 cab cpio crx deb dmg gem gz img ipa iso jar lz"
    " lz4 lzma msi msix pkg rar rpm snap tar tbz tbz2 tgz torrent txz udeb war whl xpi xz zip zst",
    "programs": "bin dll dylib exe pyc wasm",
    "fonts": "eot otf pfb ttc ttf woff woff2",
    "what pages load": "css js less mjs scss webmanifest",
    "data": "atom csv eml geojson ics json jsonl jsonld kml kmz mbox ndjson npy npz parquet pickle"
    " pkl rdf rss shp sql sqlite tsv ttl vcf",
    "documents": "azw3 bib chm doc docm docx dotx epub fb2 mobi odb odf odg odp ods odt pdf potx"
    " pps ppsx ppt pptm pptx ps rtf vsd vsdx xls xlsb xlsm xlsx xps",
    "signatures": "asc crl crt md5 p7s pem sha1 sha256 sha512 sig",
}
NOT_HTML = frozenset(" ".join(_KINDS.values()).split())
"""Extensions of a path's last segment, in lower case, behind which no HTML lies.

Left out: extensions that page names end in as well, such as domains (.ai, .so) and `.xml`, `.txt`.
"""


@dataclass(frozen=True)
class Rules:
    """The user's rules for links, checked once when made; ValueError names a bad pattern or scope.

    `places` are the hosts (scope "host") or sites (scope "site") of the seeds; `include` and
    `exclude` are regular expressions that may match anywhere in a URL; `drop_params` names
    parameters as `urls.drop_params` takes them.

    >>> rules = Rules("site", frozenset({"a.example"}), exclude=(r"/private/",))
    >>> rules.cut("http://www.a.example/", "http://a.example/")
    >>> rules.cut("http://b.example/", "http://a.example/")
    'scope'
    >>> rules.cut("http://a.example/private/x", "http://a.example/")
    'exclude'
    """

    scope: Scope = "site"
    places: frozenset[str] = frozenset()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    drop_params: tuple[str, ...] = ()
    _include: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)
    _exclude: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)
    _dropped: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.scope not in ("host", "site", "any"):
            raise ValueError(f"scope is host, site or any, not {self.scope!r}")
        object.__setattr__(self, "_include", _compiled("include", self.include))
        object.__setattr__(self, "_exclude", _compiled("exclude", self.exclude))
        object.__setattr__(self, "_dropped", frozenset(self.drop_params))

    def cut(self, url: str, page_url: str) -> str | None:
        """Return why the link `url` of the page `page_url` is not followed, or None: follow it.

        Both are in normal form. The reasons are "scheme", "too long", "scope", "file type",
        "trap: deep path", "trap: repeated path", "include" and "exclude"; the first in this order
        counts. The page's own host or site is in scope too: the page was admitted, so where a seed
        redirects to another site, that site joins.
        """
        if reason := self.outside(url, page_url):
            return reason
        path = url[url.index("/", 8) :].partition("?")[0]
        if reason := _path_cut(path):
            return reason
        return self._pattern_cut(url) if self._include or self._exclude else None

    def outside(self, url: str, page_url: str) -> str | None:
        """Return the first of "scheme", "too long" and "scope" that `cut` has for a link, or None.

        That is all which holds for a sitemap: it is no page, so what pages' URLs look like says
        nothing of it.

        >>> Rules("host", include=("/docs/",)).outside("http://a.example/s.gz", "http://a.example/")
        """
        if not url.startswith(("http://", "https://")):
            return "scheme"
        if len(url) > MAX_LENGTH:
            return "too long"
        if self.scope != "any" and not self._in_scope(url, page_url):
            return "scope"
        return None

    def cut_of(self, kind: str, url: str, page_url: str) -> str | None:
        """Return why a link is not followed to a page, or (kind "sitemap") to a sitemap.

        >>> Rules("any").cut_of("page", "http://a.example/s.gz", "http://a.example/")
        'file type'
        >>> Rules("any").cut_of("sitemap", "http://a.example/s.gz", "http://a.example/")
        """
        return self.cut(url, page_url) if kind == "page" else self.outside(url, page_url)

    def without_params(self, url: str) -> str:
        """Return `url` (in normal form) without the parameters that are to be dropped."""
        return urls.drop_params(url, self._dropped) if self._dropped else url

    def _in_scope(self, url: str, page_url: str) -> bool:
        end = page_url.index("/", 8) + 1
        if url[:end] == page_url[:end]:  # as most links' origins are
            return True
        place_of = urls.host if self.scope == "host" else urls.site
        place = place_of(url)
        return place in self.places or place == place_of(page_url)

    def _pattern_cut(self, url: str) -> str | None:
        if self._include and not any(pattern.search(url) for pattern in self._include):
            return "include"
        if self._exclude and any(pattern.search(url) for pattern in self._exclude):
            return "exclude"
        return None


def _compiled(option: str, patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern))
        except re.error as error:
            raise ValueError(f"{option}: bad regular expression {pattern!r}: {error}") from None
    return tuple(compiled)


def _path_cut(path: str) -> str | None:
    if _is_file(path):
        return "file type"
    depth = path.count("/")
    if depth > MAX_SEGMENTS:
        return "trap: deep path"
    if depth > 3 and _is_repetitive(path.split("/")[1:]):
        return "trap: repeated path"
    return None


def _is_file(path: str) -> bool:
    """Whether the last segment's extension says "no HTML", whatever query follows.

    A query is no sign of a page: far more images and style sheets carry one ("a.css?v=3") than
    scripts have such names. A colon is a sign: "File:A.jpg" is a wiki's page *about* an image.

    >>> _is_file("/a.tar.GZ"), _is_file("/a.jpg;v=1")
    (True, True)
    >>> _is_file("/a.jpg/"), _is_file("/w/File:A.jpg"), _is_file("/w/File%3AA.jpg")
    (False, False, False)
    """
    name = path[path.rindex("/") + 1 :]
    if "." not in name:
        return False
    name = name.partition(";")[0]
    _, dot, extension = name.rpartition(".")
    if not dot or extension.lower() not in NOT_HTML:
        return False
    return ":" not in name and "%3A" not in name


def _is_repetitive(segments: Sequence[str]) -> bool:
    """Whether relative links have wound themselves up, or a tree of folders holds itself.

    That is a segment more than three times in a row, a sequence of segments three times in a row,
    or any one segment more than five times.

    >>> _is_repetitive("a/b/a/b/a/b".split("/")), _is_repetitive("a/a/a/a".split("/"))
    (True, True)
    >>> _is_repetitive("a/b/a/b/c".split("/")), _is_repetitive("2015/1/1/1".split("/"))
    (False, False)
    """
    if len(segments) - len(set(segments)) < 3:  # the usual case: too few repetitions of any kind
        return False
    if max(map(segments.count, segments)) > 5:
        return True
    return any(_recurs(segments, size) for size in range(1, len(segments) // 3 + 1))


def _recurs(segments: Sequence[str], size: int) -> bool:
    """Whether `size` segments come three times in a row (a single one: four times)."""
    needed = 3 if size == 1 else 2 * size
    run = 0
    for earlier, later in zip(segments, segments[size:], strict=False):
        run = run + 1 if earlier == later else 0
        if run == needed:
            return True
    return False
