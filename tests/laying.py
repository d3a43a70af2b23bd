"""Stores laid by hand, for tests of what reads them."""

from __future__ import annotations

from collections.abc import Iterable

from layercrawl import stores
from layercrawl.records import Record, encode
from layercrawl.stores import Folder, Marker


def lay(folder: Folder, records: Iterable[tuple[str, Record]]) -> None:
    """Make a complete folder of these records, in one part."""
    sibling = stores.new(folder)
    if not sibling.exists():
        sibling.mkdir()
    with (sibling / "part-00000").open("wb") as part:
        part.writelines(encode(url, record) + b"\n" for url, record in records)
    stores.publish(sibling, folder, Marker("Job", {}, {}, "2026-11-30T12:00:00Z", {}))
