"""Character encodings: declared rightly, wrongly, twice or not at all, with and without a BOM."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from tests.web.answers import Answer, Link, dead, document, link
from tests.web.features.feature import Feature
from tests.web.site import Site
from tests.web.words import text

_EQUIV = '<meta http-equiv="Content-Type" content="text/html; charset={}">'
_META = '<meta charset="{}">'


@dataclass(frozen=True, slots=True)
class Charset:
    """Bytes in `codec` after `bom`; `standard` is the encoding that the WHATWG's rules find.

    `header` and `meta` are what is declared; an empty `standard` leaves the finding to the crawler.
    """

    codec: str
    standard: str
    language: str
    header: str = ""
    meta: str = ""
    bom: bytes = b""
    equiv: bool = False


_PAGES = {
    "utf-8": Charset("utf-8", "utf-8", "ar", header="UTF-8"),
    "shift-jis": Charset("shift_jis", "shift_jis", "ja", header="Shift_JIS"),
    "gb18030": Charset("gb18030", "gb18030", "zh", meta="gb18030"),
    "gb2312": Charset("gbk", "gbk", "zh", header="gb2312"),
    "euc-kr": Charset("euc_kr", "euc-kr", "ko", header="euc-kr", meta="EUC-KR"),
    "windows-1251": Charset("cp1251", "windows-1251", "ru", meta="windows-1251", equiv=True),
    "latin-1": Charset("cp1252", "windows-1252", "de", header="ISO-8859-1"),
    "utf-16le-bom": Charset("utf-16-le", "utf-16le", "el", bom=codecs.BOM_UTF16_LE),
    "utf-16be-bom": Charset("utf-16-be", "utf-16be", "ja", bom=codecs.BOM_UTF16_BE),
    "utf-8-bom": Charset("utf-8", "utf-8", "ru", bom=codecs.BOM_UTF8),
    "bom-against-header": Charset("utf-8", "utf-8", "ru", "windows-1251", bom=codecs.BOM_UTF8),
    "header-against-meta": Charset("utf-8", "utf-8", "ja", header="utf-8", meta="shift_jis"),
    "unknown-header": Charset("cp1251", "windows-1251", "ru", header="klingon", meta="cp1251"),
    "meta-says-utf-16": Charset("utf-8", "utf-8", "fr", meta="utf-16"),
    "header-lies": Charset("utf-8", "euc-kr", "ko", header="euc-kr"),
    "meta-lies": Charset("cp1251", "utf-8", "ru", meta="utf-8"),
    "nothing-utf-8": Charset("utf-8", "", "ru"),
    "nothing-latin": Charset("cp1252", "", "de"),
    "nothing-sjis": Charset("shift_jis", "", "ja"),
}


def entries(site: Site) -> Iterator[Link]:
    for name in _PAGES:
        yield link(site.url(f"/charsets/{name}"))


def answer(site: Site, rest: str) -> Answer | None:
    for start in ("path/", "query?q="):
        if rest in _AFTER and rest.startswith(start):
            return _body(site, f"/charsets/{rest}", _PAGES["utf-8"], ())
    charset = _PAGES.get(rest)
    return _body(site, f"/charsets/{rest}", charset, _links(site, rest)) if charset else None


_WRITTEN = {
    "shift-jis": (("path/東", "path/%E6%9D%B1"), ("query?q=東京", "query?q=%93%8C%8B%9E")),
    "windows-1251": (("query?q=я", "query?q=%FF"),),
    "utf-16le-bom": (("query?q=α", "query?q=%CE%B1"),),
}
"""A link's path is UTF-8 in any document; its query is in the document's encoding (WHATWG URL)."""

_AFTER = frozenset(rest for links in _WRITTEN.values() for _, rest in links)


def _links(site: Site, name: str) -> tuple[Link, ...]:
    written = _WRITTEN.get(name, ())
    links = (Link(site.url(f"/charsets/{rest}"), source) for source, rest in written)
    return (*links, dead("mailto:a@example.com"))


def _body(site: Site, path: str, charset: Charset, links: tuple[Link, ...]) -> Answer:
    paragraphs = text(site.web.seed, f"{site.index}{path}", charset.language, 3000)
    form = _EQUIV if charset.equiv else _META
    head = form.format(charset.meta) if charset.meta else ""
    source = document("Charset", paragraphs, links, head)
    declared = f"; charset={charset.header}" if charset.header else ""
    headers = (("Content-Type", f"text/html{declared}"),)
    body = charset.bom + source.encode(charset.codec)
    return Answer("ok", 200, headers, body, links=links, encoding=charset.standard)


FEATURE = Feature("charsets", entries, answer)
