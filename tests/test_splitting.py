"""Files are cut into pieces for tasks without looking at each line, and nothing gets lost."""

from __future__ import annotations

import gzip
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layercrawl import records
from layercrawl.job import splitting
from layercrawl.records import Target
from tests import tasks

MESSAGES = st.lists(st.sampled_from([b"a\t1\n", b"a\t22\n", b"bb\t1\n", b"c\t\n", b"\t\n"]))


def cut(lines: list[bytes], least: int, boundary: splitting.Boundary) -> list[bytes]:
    """The pieces of a file of these lines."""
    file, found = BytesIO(b"".join(lines)), []
    for start, end in splitting.pieces(file, least, boundary):
        piece = BytesIO()
        splitting.copy(file, start, end, piece)
        found.append(piece.getvalue())
    return found


@given(st.lists(st.sampled_from([b"\n", b"a\n", b"a b\tc\n"])), st.integers(0, 12))
def test_pieces_are_whole_lines(lines, least) -> None:
    found = cut(lines, least, splitting.end_of_line)
    assert b"".join(found) == b"".join(lines) and len(found) >= 1
    assert all(piece.endswith(b"\n") and len(piece) >= least for piece in found[:-1])


@given(MESSAGES.map(sorted), st.integers(0, 12))
def test_no_two_pieces_have_one_key(lines, least) -> None:
    found = cut(lines, least, splitting.end_of_key)
    assert b"".join(found) == b"".join(lines)
    keys = [{line.partition(b"\t")[0] for line in piece.splitlines()} for piece in found]
    assert sum(map(len, keys)) == len(set().union(*keys))


def test_a_last_line_may_have_no_end() -> None:
    assert cut([b"a\n", b"b"], 1, splitting.end_of_line) == [b"a\n", b"b"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_task_reads_packed_files_too(pack, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    lines = [records.encode(f"http://{n}.example/", Target()) + b"\n" for n in range(20)]
    name = "part-00000" + (".gz" if pack is gzip.compress else "")
    (tmp_path / "in" / name).write_bytes(pack(b"".join(lines)))
    tasks.run(tasks.Copies, "local", tmp_path)
    out = [line for path in (tmp_path / "out").glob("part-*") for line in path.open("rb")]
    assert sorted(out) == sorted(lines)
