"""An index of a WARC file that replay tools such as pywb can serve: CDXJ.

A line a ``response`` or ``revisit``: ``SURT SP yyyymmddhhmmss SP JSON``, sorted by its bytes. The
JSON has, all as text: ``url``, ``mime``, ``status``, the payload's ``digest``, and ``offset`` and
``length`` in bytes of what is to be read of the file ``filename``, in a ``.gz`` a gzip member.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from layercrawl.export.surt import surt


class Place(NamedTuple):
    """A record, and where it lies in a file."""

    record: Any
    offset: int
    length: int
    file: str


def write(path: Path, places: Iterator[Place]) -> int:
    """Write the index of records that come in any order; how many there were, indexed or not."""
    unsorted, seen = path.with_name(f"{path.name}.unsorted"), 0
    with unsorted.open("wb") as out:
        for place in places:
            seen += 1
            if place.record.rec_type in ("response", "revisit"):
                out.write(_line(place))
    _sort(unsorted, path)
    unsorted.unlink()
    return seen


def _line(place: Place) -> bytes:
    record = place.record
    header = record.rec_headers.get_header
    url, moment = header("WARC-Target-URI"), "".join(filter(str.isdigit, header("WARC-Date")))
    told = {
        "url": url,
        "mime": "warc/revisit" if record.rec_type == "revisit" else _mime(record),
        "status": record.http_headers.get_statuscode(),
        "digest": header("WARC-Payload-Digest") or "-",
        "length": str(place.length),
        "offset": str(place.offset),
        "filename": place.file,
    }
    return b"%s %s %s\n" % (surt(url).encode(), moment[:14].encode(), msgspec.json.encode(told))


def _mime(record: Any) -> str:
    declared = record.http_headers.get_header("Content-Type", "")
    return declared.partition(";")[0].strip().lower() or "unk"


def _sort(source: Path, path: Path) -> None:
    words = ["sort", "-T", str(path.parent), "-o", str(path), "--", str(source)]
    subprocess.run(words, env={**os.environ, "LC_ALL": "C"}, check=True)
