"""WARC files, judged by two libraries."""

from __future__ import annotations

from pathlib import Path

from fastwarc.warc import ArchiveIterator
from warcio.checker import Checker


def kinds(path: Path) -> list[str]:
    """The kind of each record; AssertionError where a record or a digest of one is not right."""
    _check(path)
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            found.append(record.headers["WARC-Type"])
            assert record.verify_block_digest(consume=False)
            if found[-1] == "response":
                record.parse_http()
                assert record.verify_payload_digest()
    return found


def _check(path: Path) -> None:
    class Words:
        inputs = [str(path)]
        verbose = False

    checker = Checker(Words())
    checker.process_all()
    assert checker.exit_value == 0
