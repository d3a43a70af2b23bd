"""Export of the links that were followed: an edge a row, as CSV or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from layercrawl.export import reading
from layercrawl.export.target import new
from layercrawl.records import Outlinks
from layercrawl.stores import Stores

COLUMNS = ("source", "target", "text", "fetched")
_BATCH = 10_000
_Row = tuple[str, str, str, str]


def links(crawl: Stores, target: Path) -> int:
    """``.parquet`` or else CSV of `COLUMNS`: who links to whom by what text, and when it did.

    Redirects are edges without a text. A page that was fetched more than once has its links each
    time.
    """
    write = _parquet if target.suffix == ".parquet" else _csv
    with new(target) as path:
        return write(path, _rows(crawl))


def _rows(crawl: Stores) -> Iterator[_Row]:
    for url, page in reading.layers(crawl, "out", Outlinks):
        if page.target.kind == "page":
            yield from ((url, target, text, page.fetched) for target, text in page.links)


def _csv(path: Path, rows: Iterator[_Row]) -> int:
    written = 0
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow(row)
            written += 1
    return written


def _parquet(path: Path, rows: Iterator[_Row]) -> int:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            "Parquet needs pyarrow: pip install 'layercrawl[parquet]', or name a .csv file"
        ) from None
    written = 0
    schema = pa.schema([(name, pa.string()) for name in COLUMNS])
    with parquet.ParquetWriter(path, schema) as out:
        while batch := list(islice(rows, _BATCH)):
            out.write_table(pa.table(list(map(list, zip(*batch, strict=True))), schema=schema))
            written += len(batch)
    return written
