"""Export of the XML documents: a file a page in a folder or ZIP file, or all in one document."""

from __future__ import annotations

import csv
import hashlib
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

from layercrawl.export import reading
from layercrawl.export.target import new
from layercrawl.records import XmlPage
from layercrawl.stores import Stores

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LONGEST = 60
_Open = Callable[[str], BinaryIO]


def xml(crawl: Stores, target: Path) -> int:
    """``.xml``: one document ``pages``; ``.zip``: a file a page; else a folder of files.

    Files lie in 256 folders; ``index.csv`` has their names and URLs.
    """
    with new(target) as path:
        if target.suffix == ".xml":
            return _concatenated(crawl, path)
        if target.suffix == ".zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                return _files(crawl, path, lambda name: _entry(archive, name))
        path.mkdir(parents=True)
        return _files(crawl, path, lambda name: _file(path / name))


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


def _files(crawl: Stores, path: Path, create: _Open) -> int:
    index, written = path.with_name(f"{path.name}.index"), 0
    with index.open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(["file", "url"])
        for url, page in reading.folder(crawl, crawl.xml, XmlPage):
            name = file_name(url)
            with create(name) as out:
                out.write(f"{_DECLARATION}{page.xml}".encode())
            rows.writerow([name, url])
            written += 1
    with create("index.csv") as out, index.open("rb") as content:
        shutil.copyfileobj(content, out)
    index.unlink()
    return written


def _entry(archive: zipfile.ZipFile, name: str) -> BinaryIO:
    entry = zipfile.ZipInfo(name)  # of no time, so that the bytes are the same every time
    entry.compress_type = archive.compression
    return cast(BinaryIO, archive.open(entry, "w", force_zip64=True))


def _file(path: Path) -> BinaryIO:
    path.parent.mkdir(exist_ok=True)
    return path.open("wb")
