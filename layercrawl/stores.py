"""The stores of one crawl: where each folder lies, when it is complete, and who may write.

    ROOT/in/layer-NNN  ROOT/doc/layer-NNN  ROOT/out/layer-NNN  ROOT/doc/merged  ROOT/xml

A job writes into a temporary sibling; `publish` puts the marker into it and renames it, so a folder
is either complete with its marker or not there. Nothing reads a folder without one.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import count, takewhile
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from layercrawl import hdfs, locks, records
from layercrawl.hdfs import HdfsPath, lease

MARKER = "_MARKER.json"
TEMPORARY = "_tmp"
Folder: TypeAlias = Path | HdfsPath
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
    """The folders below one root, on this machine's disk or on HDFS."""

    def __init__(self, root: str | Path) -> None:
        name = str(root)
        if not name or _SPECIAL.search(name if on_hdfs(name) else str(Path(name).absolute())):
            why = "a root's path has no [ ] * ? # $ and no line ends; take another folder"
            raise BadRoot(f"--root {name!r}: {why}")
        if _SCHEME.match(name) and not on_hdfs(name):
            raise BadRoot(f"--root {root}: only folders of this machine and hdfs:// can be a root")
        try:
            self.root: Folder = hdfs.connect(name) if on_hdfs(name) else Path(name).absolute()
        except FileNotFoundError as error:
            raise BadRoot(f"--root {root}: {error.strerror}") from None
        self._local: list[Path] = []

    def layer(self, store: str, number: int) -> Folder:
        """The folder of a layer: `layer("in", 0)` is ROOT/in/layer-000."""
        return self.root / store / f"layer-{number:03d}"

    @property
    def seeds(self) -> Folder:
        """The folder of seed files, which a user may fill too."""
        return self.root / "in" / "seeds"

    @property
    def merged(self) -> Folder:
        return self.root / "doc" / "merged"

    @property
    def xml(self) -> Folder:
        return self.root / "xml"

    def layers(self, store: str) -> list[int]:
        """The numbers of a store's complete layers, from 0 up to the first that is missing."""
        return list(takewhile(lambda n: complete(self.layer(store, n)), count()))

    def finished(self) -> int:
        """How many layers are complete in `in/`, `doc/` and `out/`, from 0 up to the first not."""
        return min(len(self.layers(store)) for store in ("in", "doc", "out"))

    def name(self, folder: Folder) -> str:
        """The folder's path below the root, as markers name it."""
        return str(folder).removeprefix(f"{self.root}/")

    def add_seeds(self, lines: list[str]) -> None:
        """Put lines of seeds into `in/seeds/`, in a file named by its content."""
        if not lines:
            return
        text = "".join(line + "\n" for line in lines).encode()
        self.keep(self.seeds / f"{hashlib.sha256(text).hexdigest()[:16]}.txt", text)

    def keep(self, path: Folder, content: bytes) -> None:
        """Make a file that is named by its content, whole or not at all, unless it is there."""
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = self.scratch() / path.name
            partial.write_bytes(content)
            rename(partial, path)

    def scratch(self) -> Folder:
        """A new folder for temporary files, where the stores lie."""
        folder = self.root / TEMPORARY / uuid.uuid4().hex
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def local_scratch(self) -> Path:
        """A new folder for temporary files on this machine, best on the stores' own disk."""
        if isinstance(self.root, Path):
            return Path(str(self.scratch()))
        self._local.append(Path(tempfile.mkdtemp(prefix="layercrawl-")))
        return self._local[-1]

    def log(self, name: str) -> Folder:
        """Where a failed job's traceback goes."""
        return self.root / "_logs" / f"{name}.log"

    def disturbed(self) -> bool:
        """Whether a run was killed here: its temporary files are still there."""
        return (self.root / TEMPORARY).exists()

    def sweep(self) -> None:
        """Remove what this run, or a killed one, left behind. Only for the holder of the lock."""
        for folder in (self.root / TEMPORARY, *self._local):
            with suppress(FileNotFoundError):
                remove(folder)
        for partial in (*self.root.glob("_new-*/"), *self.root.glob("*/_new-*/")):
            remove(partial)

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Within, what may not be read raises BadRoot."""
        try:
            yield
        except PermissionError as error:
            cure = "name a folder that you may read and write"
            raise BadRoot(
                f"--root {self.root}: {error.strerror or error} ({error.filename}); {cure}"
            ) from None

    def check(self) -> None:
        """Raise BadRoot unless the root can be made, read and written."""
        try:
            if isinstance(self.root, Path) and self.root.is_dir():
                _check_access(self.root)
            (self.root / "in").mkdir(parents=True, exist_ok=True)
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
        try:
            with ExitStack() as stack:
                if isinstance(self.root, Path):
                    stack.enter_context(locks.held(self.root, patience))
                else:
                    stack.enter_context(lease.held(self.root / "_lock"))
                ours = stack.pop_all()
        except (locks.Held, lease.Held) as held:
            raise Busy(f"--root {self.root}: {held}") from None
        with ours:
            yield


def on_hdfs(root: str) -> bool:
    """Whether this root is one of HDFS."""
    return root.startswith("hdfs://")


def layer_of(path: str) -> int:
    """The layer whose folder this is, or whose file; 0 for what lies in none, as seeds do.

    >>> layer_of("hdfs://n/layer-007/out/layer-012/part-00000"), layer_of("in/seeds/mine.txt")
    (12, 0)
    """
    found = _LAYER.search(path)
    return int(found[1]) if found else 0


def complete(folder: Folder) -> bool:
    """Whether the folder's stage finished."""
    return (folder / MARKER).is_file()


def marker(folder: Folder) -> Marker:
    """The marker of a complete folder; BadRoot for one that the disk has damaged."""
    path = folder / MARKER
    try:
        return msgspec.json.decode(path.read_bytes(), type=Marker)
    except msgspec.MsgspecError as error:
        cure = f"remove the folder {folder}, and the next run makes it anew"
        raise BadRoot(f"{path} is damaged ({error}); {cure}") from None


def fingerprint(folder: Folder) -> str:
    """The SHA-256 of a complete folder's marker: a new run of the stage has another."""
    return hashlib.sha256((folder / MARKER).read_bytes()).hexdigest()


def parts(folder: Folder) -> str:
    """The glob of a folder's records; local runners would read marker files too."""
    return f"{folder}/part-*"


def read(folder: Folder, kind: type[records.R]) -> Iterator[tuple[str, records.R]]:
    """All (URL, record) of a folder; WrongRecord names file and line of one that is off."""
    for path in files(folder, "part-*"):
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield records.decode(line, kind)
                except records.WrongRecord as error:
                    raise records.WrongRecord(f"{path}:{number}: {error}") from None


def files(folder: Folder, pattern: str) -> list[Folder]:
    """What lies in a folder and has such a name, by name; nothing where there is no such folder."""
    if isinstance(folder, Path) and folder.exists():
        os.scandir(folder).close()  # glob takes a folder that may not be read for an empty one
    return sorted(folder.glob(pattern), key=str)


def new(folder: Folder) -> Folder:
    """The name of the temporary sibling that a job writes, not there yet."""
    sibling = folder.with_name(f"_new-{folder.name}")
    if sibling.exists():
        remove(sibling)
    sibling.parent.mkdir(parents=True, exist_ok=True)
    return sibling


def publish(sibling: Folder, folder: Folder, content: Marker) -> None:
    """Make a finished job's output the folder: its marker, then the rename.

    What stood under the name before (an empty layer, a derived store) goes first.
    """
    text = msgspec.json.format(msgspec.json.encode(content, order="sorted"))
    (sibling / MARKER).write_bytes(text)
    if isinstance(sibling, Path):
        locks.flush(
            *sibling.iterdir(), sibling
        )  # a power cut must not leave a marker without parts
    if folder.exists():
        remove(folder)
    rename(sibling, folder)
    if isinstance(folder, Path):
        locks.flush(folder.parent)


def rename(old: Folder, new: Folder) -> None:
    """Give a file or folder another name at one blow."""
    old.rename(new)  # type: ignore[arg-type]  # both lie in one place


def remove(folder: Folder) -> None:
    """Remove a folder with all that is in it; what is half removed has no marker any more."""
    if isinstance(folder, HdfsPath):
        folder.remove()
        return
    (folder / MARKER).unlink(missing_ok=True)  # first: a kill must not leave half a folder marked
    shutil.rmtree(folder)


def _check_access(root: Path) -> None:
    for folder in (root, *(p for p in root.glob("*") if p.is_dir())):
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError(13, "not readable and writable", str(folder))
