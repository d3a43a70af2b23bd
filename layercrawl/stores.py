"""The stores of one crawl: where each folder lies, when it is complete, and who may write.

    ROOT/in/layer-NNN  ROOT/doc/layer-NNN  ROOT/out/layer-NNN  ROOT/doc/merged  ROOT/xml

A job writes into a temporary sibling; `publish` puts the marker into it and renames it, so a folder
is either complete with its marker or not there. Nothing reads a folder without one.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import msgspec

from layercrawl import records

MARKER = "_MARKER.json"
TEMPORARY = "_tmp"
_LAYER = re.compile(r"/layer-(\d{3,})(?:/[^/]*)?$")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_SPECIAL = re.compile(r"[][*?#$\x00-\x1f]")  # to globs, to mrjob's paths, or to lines of text


class BadRoot(ValueError):
    """A root that cannot be used; the message says why and the cure."""


class Busy(BadRoot):
    """Another driver works on this root."""


class Marker(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a complete folder says of itself.

    `inputs` names the folders that the stage read with the SHA-256 of their markers, `now` is the
    stage's one clock reading (UTC, ISO 8601), `totals` what the stage counted, `cost` the wall and
    CPU seconds and the largest process's MB that it took, `longest` the hosts that took longest to
    fetch: their seconds, the part of it that was pauses, and their name.
    """

    stage: str
    settings: dict[str, Any]
    inputs: dict[str, str]
    now: str
    totals: dict[str, int]
    cost: dict[str, float] = {}
    longest: Sequence[tuple[float, float, str]] = []


class Stores:
    """The folders below one root."""

    def __init__(self, root: str | Path) -> None:
        if _SCHEME.match(str(root)):
            raise BadRoot(f"--root {root}: only folders of this machine can be a root")
        self.root = Path(root).absolute()
        if not str(root) or _SPECIAL.search(str(self.root)):
            why = "a root's path has no [ ] * ? # $ and no line ends; take another folder"
            raise BadRoot(f"--root {str(root)!r}: {why}")

    def layer(self, store: str, number: int) -> Path:
        """The folder of a layer: `layer("in", 0)` is ROOT/in/layer-000."""
        return self.root / store / f"layer-{number:03d}"

    @property
    def seeds(self) -> Path:
        """The folder of seed files, which a user may fill too."""
        return self.root / "in" / "seeds"

    @property
    def merged(self) -> Path:
        return self.root / "doc" / "merged"

    @property
    def xml(self) -> Path:
        return self.root / "xml"

    def layers(self, store: str) -> list[int]:
        """The numbers of a store's complete layers, from 0 up to the first that is missing."""
        return list(takewhile(lambda n: complete(self.layer(store, n)), count()))

    def finished(self) -> int:
        """How many layers are complete in `in/`, `doc/` and `out/`, from 0 up to the first not."""
        return min(len(self.layers(store)) for store in ("in", "doc", "out"))

    def name(self, folder: Path) -> str:
        """The folder's path below the root, as markers name it."""
        return folder.relative_to(self.root).as_posix()

    def add_seeds(self, lines: list[str]) -> None:
        """Put lines of seeds into `in/seeds/`, in a file named by its content."""
        if not lines:
            return
        text = "".join(line + "\n" for line in lines).encode()
        self.seeds.mkdir(parents=True, exist_ok=True)
        path = self.seeds / f"{hashlib.sha256(text).hexdigest()[:16]}.txt"
        if not path.exists():
            partial = self.scratch() / path.name
            partial.write_bytes(text)
            partial.rename(path)

    def scratch(self) -> Path:
        """A new folder for temporary files, on the stores' own disk."""
        (self.root / TEMPORARY).mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self.root / TEMPORARY))

    def log(self, name: str) -> Path:
        """Where a failed job's traceback goes."""
        return self.root / "_logs" / f"{name}.log"

    def sweep(self) -> None:
        """Remove what a killed run left behind. Only for the holder of the lock."""
        shutil.rmtree(self.root / TEMPORARY, ignore_errors=True)
        for partial in (*self.root.glob("_new-*/"), *self.root.glob("*/_new-*/")):
            shutil.rmtree(partial)

    def check(self) -> None:
        """Raise BadRoot unless the root can be made, read and written."""
        try:
            (self.root / "in").mkdir(parents=True, exist_ok=True)
            for folder in (self.root, *(p for p in self.root.glob("*") if p.is_dir())):
                if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                    raise PermissionError(13, "not readable and writable", str(folder))
        except OSError as error:
            raise BadRoot(
                f"--root {self.root}: {error.strerror or error} ({error.filename});"
                " name a folder that you may write to"
            ) from None

    @contextmanager
    def locked(self, patience: float = 90.0) -> Iterator[None]:
        """Hold this root for one driver; raises Busy where another has it.

        A driver that was killed may have left workers, which hold a second lock until they end:
        they are waited for, up to `patience` seconds, so that no host ever sees two workers.
        """
        with (self.root / "_lock").open("a") as driver, (self.root / "_workers").open("a") as work:
            try:
                # A POSIX lock: forked workers do not inherit it, so it goes with the driver.
                fcntl.lockf(driver, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                raise Busy(
                    f"--root {self.root}: another driver works here; wait or stop it"
                ) from None
            self._await_workers(work, time.monotonic() + patience)
            yield

    def _await_workers(self, work: Any, deadline: float) -> None:
        # A flock belongs to the open file, which forked workers share: the last of them ends it.
        while True:
            with suppress(BlockingIOError):
                return fcntl.flock(work, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.monotonic() > deadline:
                raise Busy(f"--root {self.root}: workers of a killed driver still run here")
            time.sleep(0.1)


def layer_of(path: str | Path) -> int:
    """The layer whose folder this is, or whose file; 0 for what lies in none, as seeds do.

    >>> layer_of("hdfs://n/layer-007/out/layer-012/part-00000"), layer_of("in/seeds/mine.txt")
    (12, 0)
    """
    found = _LAYER.search(str(path))
    return int(found[1]) if found else 0


def complete(folder: Path) -> bool:
    """Whether the folder's stage finished."""
    return (folder / MARKER).is_file()


def marker(folder: Path) -> Marker:
    """The marker of a complete folder; BadRoot for one that the disk has damaged."""
    path = folder / MARKER
    try:
        return msgspec.json.decode(path.read_bytes(), type=Marker)
    except msgspec.MsgspecError as error:
        cure = f"remove the folder {folder}, and the next run makes it anew"
        raise BadRoot(f"{path} is damaged ({error}); {cure}") from None


def fingerprint(folder: Path) -> str:
    """The SHA-256 of a complete folder's marker: a new run of the stage has another."""
    return hashlib.sha256((folder / MARKER).read_bytes()).hexdigest()


def parts(folder: Path) -> str:
    """The glob of a folder's records; local runners would read marker files too."""
    return f"{folder}/part-*"


def read(folder: Path, kind: type[records.R]) -> Iterator[tuple[str, records.R]]:
    """All (URL, record) of a folder; WrongRecord names file and line of one that is off."""
    for path in sorted(folder.glob("part-*")):
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield records.decode(line, kind)
                except records.WrongRecord as error:
                    raise records.WrongRecord(f"{path}:{number}: {error}") from None


def new(folder: Path) -> Path:
    """The name of the temporary sibling that a job writes, not there yet."""
    sibling = folder.with_name(f"_new-{folder.name}")
    shutil.rmtree(sibling, ignore_errors=True)
    sibling.parent.mkdir(parents=True, exist_ok=True)
    return sibling


def publish(sibling: Path, folder: Path, content: Marker) -> None:
    """Make a finished job's output the folder: its marker, then the rename.

    What stood under the name before (an empty layer, a derived store) goes first.
    """
    text = msgspec.json.format(msgspec.json.encode(content, order="sorted"))
    (sibling / MARKER).write_bytes(text)
    for path in (*sibling.iterdir(), sibling):  # a power cut must not leave a marker without parts
        _flush(path)
    (folder / MARKER).unlink(missing_ok=True)  # first: a kill must not leave half a folder marked
    shutil.rmtree(folder, ignore_errors=True)
    sibling.rename(folder)
    _flush(folder.parent)


def _flush(path: Path) -> None:
    """Have the disk hold a file, or a folder's names."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
