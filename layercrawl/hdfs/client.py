"""What a client of HDFS can do; paths are absolute, as `/crawl/in`."""

from __future__ import annotations

from typing import BinaryIO, NamedTuple, Protocol


class Entry(NamedTuple):
    """A file or folder: its name, its length in bytes, when it changed (ms since 1970)."""

    name: str
    folder: bool
    size: int
    changed: int


class Client(Protocol):
    """Each call raises OSError when HDFS refuses or cannot be reached.

    `renewal` is how often a lease may be renewed, in seconds.
    """

    renewal: float

    def entry(self, path: str) -> Entry | None:
        """What lies there; None: nothing."""

    def entries(self, path: str) -> list[Entry]:
        """What lies in a folder, by name; nothing where there is none."""

    def read(self, path: str) -> bytes:
        """A file's bytes; FileNotFoundError where there is none."""

    def open(self, path: str) -> BinaryIO:
        """A file to read through."""

    def write(self, path: str, content: bytes) -> None:
        """Make or replace a file, and the folders above it."""

    def make(self, path: str) -> None:
        """Make a folder and those above it."""

    def move(self, path: str, target: str) -> None:
        """Rename at one blow; FileExistsError where something has the name."""

    def remove(self, path: str) -> None:
        """Remove a file or a whole folder, if it is there."""

    def discard(self, path: str) -> None:
        """Remove what nobody needs any more, or leave it to a later `remove` where that is slow."""

    def touch(self, path: str) -> None:
        """Set the time of a file's change to now."""

    def look_anew(self) -> None:
        """Forget what is known: others may have changed it."""
