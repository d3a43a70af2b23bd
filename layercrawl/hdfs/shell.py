"""HDFS by the `hadoop fs` command: it needs no open port and knows of tickets, but starts a JVM.

So a crawl's tree is listed once, and its markers are read at once; then it is kept up with what is
done by this client, which is the only one that writes there while it holds the root's lease.
"""

from __future__ import annotations

import io
import os
import posixpath
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO, Any, BinaryIO, cast

from layercrawl.hdfs import cures
from layercrawl.hdfs.client import Entry

_MISSING = re.compile(r"No such file or directory")
_SMALL = 1 << 20
_TOGETHER = 1000


def command() -> str:
    """Where the `hadoop` command is; FileNotFoundError says what to set."""
    home = os.environ.get("HADOOP_HOME", "")
    found = shutil.which("hadoop", path=os.path.join(home, "bin")) if home else None
    found = found or shutil.which("hadoop")
    if not found:
        raise FileNotFoundError(2, "no hadoop command: set HADOOP_HOME, or put it on PATH")
    return found


class Shell:
    """A client for the tree below `root` of `hdfs://AUTHORITY`."""

    renewal = 60.0

    def __init__(self, authority: str, root: str) -> None:
        command()  # it is needed
        self._prefix, self._root = f"hdfs://{authority}", root
        self._known: dict[str, Entry] | None = None
        self._small: dict[str, bytes] = {}

    @property
    def _tree(self) -> dict[str, Entry]:
        if self._known is None:
            self._known = dict(self._listed())
        return self._known

    def entry(self, path: str) -> Entry | None:
        return self._tree.get(path)

    def entries(self, path: str) -> list[Entry]:
        return [
            entry for name, entry in sorted(self._tree.items()) if posixpath.dirname(name) == path
        ]

    def read(self, path: str) -> bytes:
        if path not in self._small:
            self._read_alike(path)
        return self._small[path]

    def open(self, path: str) -> BinaryIO:
        words = [command(), "fs", "-cat", self._prefix + path]
        return cast(BinaryIO, io.BufferedReader(_Cat(words), 1 << 18))

    def write(self, path: str, content: bytes) -> None:
        self._run("-put", "-f", "-", path, content=content)
        self._add(path, Entry(posixpath.basename(path), False, len(content), _now()))
        self._small[path] = content

    def make(self, path: str) -> None:
        if path not in self._tree:
            self._run("-mkdir", "-p", path)
            self._add(path, Entry(posixpath.basename(path), True, 0, _now()))

    def move(self, path: str, target: str) -> None:
        if target in self._tree:
            raise FileExistsError(17, f"cannot be renamed to {target}", path)
        self._run("-mv", path, target)
        moved = {name: entry for name, entry in self._tree.items() if _within(name, path)}
        self._forget(path)
        for name, entry in moved.items():
            self._tree[target + name[len(path) :]] = entry
        name = posixpath.basename(target)
        self._add(target, self._tree.get(target, Entry(name, True, 0, 0))._replace(name=name))

    def remove(self, path: str) -> None:
        self._run("-rm", "-r", "-f", "-skipTrash", path)  # also what a job made there
        self._forget(path)

    def discard(self, path: str) -> None:
        pass  # it would cost a JVM

    def touch(self, path: str) -> None:
        self._run("-touch", "-m", path)

    def look_anew(self) -> None:
        self._known = None
        self._small.clear()

    def _add(self, path: str, entry: Entry) -> None:
        self._tree[path] = entry
        while _within(path := posixpath.dirname(path), self._root) and path not in self._tree:
            self._tree[path] = Entry(posixpath.basename(path), True, 0, _now())

    def _forget(self, path: str) -> None:
        for name in [name for name in self._tree if _within(name, path)]:
            del self._tree[name]
            self._small.pop(name, None)

    def _listed(self) -> Iterator[tuple[str, Entry]]:
        root = self._prefix + self._root
        ran = subprocess.run([command(), "fs", "-ls", "-R", root], capture_output=True, check=False)
        if ran.returncode:
            if not _MISSING.search(ran.stderr.decode(errors="replace")):
                raise OSError(cures.explained(_last(ran.stderr)))
            return
        yield self._root, Entry(posixpath.basename(self._root), True, 0, 0)
        for line in ran.stdout.decode(errors="surrogateescape").splitlines():
            yield listed(line, self._prefix)

    def _read_alike(self, path: str) -> None:
        """Read a file, and at the same time all small ones of its name."""
        name = posixpath.basename(path)
        alike = [
            (other, entry.size)
            for other, entry in self._tree.items()
            if entry.name == name and not entry.folder and entry.size < _SMALL
            and other not in self._small and other != path
        ]  # fmt: skip
        if path not in self._tree or self._tree[path].folder:
            raise FileNotFoundError(2, "no such file on HDFS", path)
        wanted = [(path, self._tree[path].size), *alike][:_TOGETHER]
        words = [self._prefix + other for other, _ in wanted]
        content = self._run_plain("-cat", *words)
        for other, size in wanted:
            self._small[other], content = content[:size], content[size:]

    def _run(self, verb: str, *words: str, content: bytes = b"") -> bytes:
        paths = [self._prefix + word if word.startswith("/") else word for word in words]
        return self._run_plain(verb, *paths, content=content)

    def _run_plain(self, *words: str, content: bytes = b"") -> bytes:
        ran = subprocess.run(
            [command(), "fs", *words], input=content, capture_output=True, check=False
        )
        if ran.returncode:
            said = cures.explained(_last(ran.stderr))
            raise OSError(f"hadoop fs {' '.join(words)}: {said}")
        return ran.stdout


class _Cat(io.RawIOBase):
    """What a command writes, to be read through; it ends when nobody wants more."""

    def __init__(self, words: list[str]) -> None:
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self._process.stdout
        self._pipe: IO[bytes] = self._process.stdout

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._pipe.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        if not self.closed:
            self._pipe.close()
            self._process.wait()
        super().close()


def listed(line: str, prefix: str) -> tuple[str, Entry]:
    """The path and the entry of a line of `hadoop fs -ls`.

    >>> listed("-rw-r--r--   1 me them       7 2026-12-01 10:00 hdfs:///c/in/a b", "hdfs://")
    ('/c/in/a b', Entry(name='a b', folder=False, size=7, changed=1796119200000))
    """
    mode, _, _, _, size, day, minute, path = line.split(maxsplit=7)
    moment = datetime.fromisoformat(f"{day} {minute}").replace(tzinfo=UTC)
    path = "/" + path.removeprefix(prefix).lstrip("/")
    changed = round(moment.timestamp() * 1000)
    return path, Entry(posixpath.basename(path), mode.startswith("d"), int(size), changed)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _last(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
    return lines[-1]


def _now() -> int:
    return round(time.time() * 1000)
