"""Files of lines cut into pieces for tasks, where mrjob's runners look at each line.

Their loops over all lines of a step take about as long as a step's own work on short messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO

_BLOCK = 1 << 20
Boundary = Callable[[IO[bytes], int], int]
"""From a place within a file to the next one where it may be cut."""


def pieces(lines: IO[bytes], least: int, boundary: Boundary) -> Iterator[tuple[int, int]]:
    """Where pieces begin and end, each but the last of at least so many bytes; of nothing, one.

    >>> from io import BytesIO
    >>> list(pieces(BytesIO(b"ab\\nc\\nd\\n"), 2, end_of_line))
    [(0, 3), (3, 5), (5, 7)]
    >>> list(pieces(BytesIO(), 2, end_of_line))
    [(0, 0)]
    >>> list(pieces(BytesIO(b"a\\t1\\na\\t2\\nb\\t1\\nc\\t1\\n"), 2, end_of_key))
    [(0, 8), (8, 16)]
    """
    size, start = lines.seek(0, 2), 0
    while start < size or start == 0:
        at = start + max(least, 1)
        end = boundary(lines, at) if at < size else size
        yield start, end
        if end >= size:
            return
        start = end


def end_of_line(lines: IO[bytes], at: int) -> int:
    """The end of the line that a place, not 0, lies in, or is the end of."""
    lines.seek(at - 1)
    return at - 1 + len(lines.readline())


def end_of_key(lines: IO[bytes], at: int) -> int:
    """The same for all lines that have one key, up to their TAB; they are sorted by it."""
    end = at - 1
    lines.seek(end)
    end += len(lines.readline())
    first = lines.readline()
    key = first.partition(b"\t")[0]
    end += len(first)
    for line in lines:
        if line.partition(b"\t")[0] != key:
            break
        end += len(line)
    return end


def copy(lines: IO[bytes], start: int, end: int, target: IO[bytes]) -> None:
    """Write a piece to a file."""
    lines.seek(start)
    while start < end:
        start += target.write(lines.read(min(_BLOCK, end - start)))
