#!/usr/bin/env python3
"""Which pages of the corpus a crawl should reach: a breadth-first walk over its files.

usage: python benchmarks/walk.py CORPUS_DIR DEPTH > urls.txt      (URL<TAB>distance, sorted)

It shares no code with the crawler (lxml and urllib only) and asks no server: nginx.conf's server
blocks say which folder a host serves, and `Site.answer` repeats what nginx makes of a path. The
rules, so that a difference to a crawl can be told from a mistake in either:

- Pages are what nginx answers with 200 and `text/html`; its `types` decide by the extension.
- Links are `href` of a and area, `src` of frame and iframe, and the target of a meta refresh,
  joined to the first `<base href>`, without fragment. Links marked nofollow, and all links of a
  page whose meta robots says nofollow or none, are left out. A refresh within a second is a
  redirect, at the *same* distance; a later one is a link.
- Only the seeds' hosts. The corpus' one robots.txt forbids nothing that is there.
- A directory without its slash redirects to the one with it, at the *same* distance.
- Names of files are not judged. A crawler that skips links by extension (`.png`, `.txt`) must
  still meet every page here, because nginx never calls such a file HTML.
"""

import os
import re
import string
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit, urlunsplit

from lxml import etree, html

SOURCES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
SERVER = re.compile(r"server \{ listen [\d.]+:(\d+); server_name (\S+); root (.+?); \}")
TYPE = re.compile(r"([\w.+-]+/[\w.+-]+)((?:\s+\w+)+);")
CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w-]+)", re.I)
REFRESH = re.compile(r"\s*(\d*)[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.I)
SPACE = "".join(map(chr, range(33)))
ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
UNRESERVED = string.ascii_letters + string.digits + "-._~"
PATH_SAFE = "/%!$&'()*+,;=:@[]|~"  # what the URL standard leaves as it is in a path
QUERY_SAFE = PATH_SAFE.replace("'", "") + "?`{}^\\"  # and in a query


class Answer(NamedTuple):
    """What nginx would say: a page's file, or where a redirect leads, or (neither) no page."""

    page: Path | None = None
    location: str | None = None


class Site(NamedTuple):
    """A server block: the folder it serves and the extensions it calls text/html."""

    root: Path
    html_extensions: frozenset[str]

    def answer(self, url: str) -> Answer:
        """Say what nginx answers to a GET of `url`, by the folder's present content."""
        path = os.fsdecode(unquote_to_bytes(urlsplit(url).path))
        path = without_dots(re.sub("/+", "/", path))
        file = self.root / path.lstrip("/")
        if "\0" in path:
            return Answer()
        if path.endswith("/"):
            path, file = path + "index.html", file / "index.html"
        elif file.is_dir():
            return Answer(location=urlunsplit(urlsplit(url)._replace(path=quote(path) + "/")))
        extension = path.rpartition("/")[2].rpartition(".")[2].lower()
        return Answer(page=file if extension in self.html_extensions and file.is_file() else None)


def sites(conf: str) -> dict[str, Site]:
    """Read `host:port` → Site from the text of the corpus' nginx.conf."""
    types = {kind: frozenset(names.split()) for kind, names in TYPE.findall(conf)}
    return {
        f"{name}:{port}": Site(Path(root), types["text/html"])
        for port, name, root in SERVER.findall(conf)
    }


def without_dots(path: str) -> str:
    """Resolve `.` and `..` in an absolute path (RFC 3986, 5.2.4).

    >>> without_dots("/a/./b/../../../c/.."), without_dots("/a//b")
    ('/', '/a//b')
    """
    kept: list[str] = []
    segments = path.split("/")[1:] or [""]
    for segment in segments:
        if segment == "..":
            kept[-1:] = []
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def unescape_unreserved(text: str) -> str:
    """Undo the escapes that change nothing and write the others in upper case (RFC 3986, 6.2.2).

    >>> unescape_unreserved("%7euser%2f%e3")
    '~user%2F%E3'
    """

    def one(match: re.Match[str]) -> str:
        char = chr(int(match[1], 16))
        return char if char in UNRESERVED else match[0].upper()

    return ESCAPE.sub(one, text)


def normal(url: str) -> str:
    """Bring an absolute http(s) URL to the one spelling that stands for it.

    >>> normal("HTTP://A.Example:80/%7Ex/../q u?a b#f")
    'http://a.example/q%20u?a%20b'
    """
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme)
    port = f":{parts.port}" if parts.port and parts.port != default else ""
    path = without_dots(unescape_unreserved(parts.path) or "/")
    query = quote(unescape_unreserved(parts.query), safe=QUERY_SAFE)
    netloc = (parts.hostname or "").rstrip(".") + port
    return urlunsplit((parts.scheme, netloc, quote(path, safe=PATH_SAFE), query, ""))


def tree(body: bytes) -> html.HtmlElement | None:
    """Parse a page, in the encoding it declares within its first 1024 bytes; None when empty."""
    declared = CHARSET.search(body[:1024])
    encoding = declared[1].decode("ascii").lower() if declared else "windows-1252"
    try:
        return html.document_fromstring(body, parser=html.HTMLParser(encoding=encoding))
    except etree.ParserError:
        return None


def tokens(element: html.HtmlElement, attribute: str) -> set[str]:
    return set(re.split(r"[\s,]+", element.get(attribute, "").lower()))


def metas(document: html.HtmlElement, attribute: str, value: str) -> list[html.HtmlElement]:
    """Return the meta elements whose `attribute` is `value`, whatever the case of either."""
    found = document.iter("meta")
    return [meta for meta in found if meta.get(attribute, "").strip().lower() == value]


def references(document: html.HtmlElement) -> Iterator[tuple[str, int]]:
    """Yield what a page refers to as written, and how far that is.

    Nothing where the page asks that its links be left alone.
    """
    robots = metas(document, "name", "robots")
    if any(tokens(meta, "content") & {"nofollow", "none"} for meta in robots):
        return
    for element in document.iter(*SOURCES):
        reference = element.get(SOURCES[element.tag])
        if reference is not None and "nofollow" not in tokens(element, "rel"):
            yield reference, 1
    for meta in metas(document, "http-equiv", "refresh"):
        if match := REFRESH.match(meta.get("content", "")):
            yield match[2], int(int(match[1] or 0) > 1)


def cleaned(reference: str) -> str:
    r"""Repair a reference as the URL standard does: no line ends, `\` before the query is `/`.

    >>> cleaned(" a\\b\n?c\\d ")
    'a/b?c\\d'
    """
    reference = re.sub(r"[\t\r\n]", "", reference).strip(SPACE)
    path = re.split(r"[?#]", reference, maxsplit=1)[0]
    return path.replace("\\", "/") + reference[len(path) :]


def links(document: html.HtmlElement, url: str) -> Iterator[tuple[str, int]]:
    """Yield the http(s) URLs, in normal form, that a page at `url` leads to, and how far."""
    base = next((b.get("href") for b in document.iter("base") if b.get("href")), "")
    base = urljoin(url, base)
    for reference, step in references(document):
        try:
            target = urljoin(base, cleaned(reference))
            if target.startswith(("http:", "https:")):
                yield normal(target), step
        except ValueError:  # a bad port or IPv6 address: not a link
            continue


def walk(seeds: list[str], served: dict[str, Site], depth: int) -> dict[str, int]:
    """Return the distance of every page within `depth` links of a seed."""
    scope = {urlsplit(seed).hostname for seed in seeds}
    queue = deque((0, normal(seed)) for seed in seeds)
    seen, pages = set(), {}
    while queue:
        distance, url = queue.popleft()
        if url in seen or urlsplit(url).hostname not in scope:
            continue
        seen.add(url)
        site = served.get(urlsplit(url).netloc)
        page, location = site.answer(url) if site else Answer()
        if location:
            queue.appendleft((distance, normal(location)))
        if page is None:
            continue
        pages[url] = distance
        document = tree(page.read_bytes())
        found = list(links(document, url)) if document is not None else []
        queue.extendleft((distance, target) for target, step in found if not step)
        if distance < depth:
            queue.extend((distance + 1, target) for target, step in found if step)
    return pages


def walk_corpus(corpus: Path, depth: int) -> dict[str, int]:
    """Walk the corpus that lies in a folder: its seeds.txt and nginx.conf."""
    seeds = (corpus / "seeds.txt").read_text().split()
    return walk(seeds, sites((corpus / "nginx.conf").read_text()), depth)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for url, distance in sorted(walk_corpus(Path(sys.argv[1]), int(sys.argv[2])).items()):
        print(url, distance, sep="\t")
