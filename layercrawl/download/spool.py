"""A task's queue on disk: the Targets of one host after another, as Streaming hands them over.

Only offsets stay in memory, so that a task can hold a host with a million URLs, or 100,000 hosts.
"""

from __future__ import annotations

import os
import tempfile
import threading
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from layercrawl import records
from layercrawl.records import Target

_BLOCK = 1 << 13
_TRIES_BITS = 16
_MOST_TRIES = (1 << _TRIES_BITS) - 1


class Hop(NamedTuple):
    """Where a robots.txt redirects to, by how many redirects, and the seconds that these took."""

    url: str
    number: int = 0
    seconds: float = 0.0


class Item(NamedTuple):
    """A Target to fetch: its place in the spool, which try this is, and whether the layer holds it.

    What the layer does not hold was met while fetching: a redirect's target, a host's robots.txt.
    `hop` is where a robots.txt is to be asked for next; `checked` says that HEAD was asked for.
    """

    url: str
    target: Target
    offset: int = -1
    tries: int = 1
    held: bool = False
    hop: Hop | None = None
    checked: bool = False


class Spool:
    """A temporary file of record lines, appended and read by offset; safe for many threads."""

    def __init__(self) -> None:
        descriptor, path = tempfile.mkstemp(dir=".")
        os.unlink(path)  # it goes with its last descriptor, whatever ends the task
        self._file = os.fdopen(descriptor, "w+b")
        self._lock = threading.Lock()
        self._end = 0
        self.hosts: list[tuple[str, int, int]] = []

    def begin(self, host: str, lines: Iterator[bytes]) -> int:
        """Write down a host's lines and count them; `hosts` gets (host, first offset, end)."""
        start, count = self._end, 0
        for line in lines:
            self._end += self._file.write(line + b"\n")
            count += 1
        self.hosts.append((host, start, self._end))
        return count

    def seal(self) -> None:
        """End of `begin`: from now on lines are read and single ones added."""
        self._file.flush()

    def append(self, line: bytes) -> int:
        """Add a line at the end; its offset."""
        with self._lock:
            offset = self._end
            self._end += os.pwrite(self._file.fileno(), line + b"\n", offset)
            return offset

    def line(self, offset: int) -> bytes:
        """The line at an offset, with its line end."""
        block, found = b"", -1
        while found < 0:
            size = max(_BLOCK, len(block))
            block += os.pread(self._file.fileno(), size, offset + len(block))
            found = block.find(b"\n", len(block) - size if len(block) > size else 0)
        return block[: found + 1]


class HostQueue:
    """What waits for one host in this layer: its lines, then redirect targets, then new tries."""

    def __init__(self, spool: Spool, host: str, start: int, end: int) -> None:
        self.host = host
        self._spool = spool
        self._start = self._at = start
        self._end = end
        self._front: list[Item] = []
        self._redirected: deque[int] = deque()
        self._again: deque[int] = deque()
        self._admitted: set[int] = set()
        self._held: array[int] | None = None

    def next(self) -> Item | None:
        """The next Target to deal with; None when none is left."""
        if self._front:
            return self._front.pop()
        if self._at < self._end:
            offset, line = self._at, self._spool.line(self._at)
            self._at += len(line)
            return Item(*records.decode(line, Target), offset, 1, True)
        if self._redirected:
            return self._item(self._redirected.popleft(), 1)
        if self._again:
            packed = self._again.popleft()
            return self._item(packed >> _TRIES_BITS, packed & _MOST_TRIES)
        return None

    def put_back(self, item: Item) -> None:
        """Make an item the next one again."""
        self._front.append(item)

    def try_again(self, item: Item) -> None:
        """Put an item behind all others, for one more try."""
        self._again.append(item.offset << _TRIES_BITS | min(item.tries + 1, _MOST_TRIES))

    def admit(self, url: str, target: Target) -> None:
        """Queue a redirect's target, once, unless the layer holds it already."""
        key = hash(url.encode())  # should two URLs share one, the second waits for the next layer
        if key not in self._admitted and not self._holds(key):
            self._admitted.add(key)
            self._redirected.append(self._spool.append(records.encode(url, target)))

    def _item(self, offset: int, tries: int) -> Item:
        url, target = records.decode(self._spool.line(offset), Target)
        return Item(url, target, offset, tries, self._start <= offset < self._end)

    def _holds(self, key: int) -> bool:
        if self._held is None:
            self._held = array("q", sorted(self._hashes()))
        place = bisect_left(self._held, key)
        return place < len(self._held) and self._held[place] == key

    def _hashes(self) -> Iterator[int]:
        at = self._start
        while at < self._end:
            line = self._spool.line(at)
            at += len(line)
            yield hash(line.partition(b"\t")[0])
