"""Export of the XML documents: a file a page in a folder or ZIP file, or all in one document."""

from __future__ import annotations

import csv
import hashlib
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from layercrawl.export import reading
from layercrawl.records import XmlPage
from layercrawl.stores import Stores

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LONGEST = 60
_Put = Callable[[str, str], None]


def xml(crawl: Stores, path: Path, ending: str) -> int:
    """``.xml``: one document ``pages``; ``.zip``: a file a page; else a folder of files.

    Files lie in 256 folders; ``index.csv`` has their names and URLs.
    """
    if ending == ".xml":
        return _concatenated(crawl, path)
    if ending == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            return _files(crawl, path, archive.writestr)
    path.mkdir(parents=True)
    return _files(crawl, path, lambda name, content: _write(path / name, content))


def file_name(url: str) -> str:
    """The name of a URL's file: the same every time, no other URL's, and safe on any disk.

    >>> file_name("http://a.example/B/../c?d=é")
    'fe/a.example_B_.._c_d_-fee03d16e27a5301.xml'
    """
    digest = hashlib.sha256(url.encode()).hexdigest()[:16]
    told = re.sub("[^A-Za-z0-9.-]+", "_", url.partition("://")[2])[:_LONGEST]
    return f"{digest[:2]}/{told}-{digest}.xml"


def _concatenated(crawl: Stores, path: Path) -> int:
    written = 0
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(f'{_DECLARATION}<pages xmlns="urn:layercrawl:page">\n')
        for _, page in reading.folder(crawl, crawl.xml, XmlPage):
            out.write(page.xml + "\n")
            written += 1
        out.write("</pages>\n")
    return written


def _files(crawl: Stores, path: Path, put: _Put) -> int:
    written = 0
    with path.with_name(f"{path.name}.index").open("w+", encoding="utf-8", newline="") as index:
        rows = csv.writer(index)
        rows.writerow(["file", "url"])
        for url, page in reading.folder(crawl, crawl.xml, XmlPage):
            name = file_name(url)
            put(name, _DECLARATION + page.xml)
            rows.writerow([name, url])
            written += 1
        index.seek(0)
        put("index.csv", index.read())
    Path(index.name).unlink()
    return written


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(content)
