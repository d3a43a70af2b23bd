"""What a node needs beside Python, as one archive: this package, and the packages that it needs.

They are taken from the driver's own environment, so nothing is downloaded; nodes with another
Python or kind of machine say so at once, and then need an interpreter that has them.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
import tarfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from io import BytesIO
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_OLDEST = (3, 11)
_CHECK = """\
import os, sys
kind = "Python %d.%d on %s %s" % (sys.version_info[:2] + (sys.platform, os.uname()[4]))
wrong = ""
if sys.version_info < {oldest}:
    wrong = "layercrawl needs Python %d.%d or newer" % {oldest}
elif {kind!r} not in ("", kind):
    wrong = "the driver {kind}"
if wrong:
    sys.stderr.write("layercrawl: this node has %s, and %s: name an interpreter that has "
        "layercrawl's packages by --python-bin\\n" % (kind, wrong))
    sys.stderr.flush()
    os._exit(1)
"""
"""What each Python there does first, however old it is."""


def kind() -> str:
    """The Python and machine that the packages are for."""
    version = ".".join(map(str, sys.version_info[:2]))
    return f"Python {version} on {sys.platform} {platform.machine()}"


class Shipment:
    """The archive's files, name in the archive → content or place; with packages or without."""

    def __init__(self, packages: bool) -> None:
        self.files: dict[str, Path] = dict(_own())
        check = _CHECK.format(oldest=_OLDEST, kind=kind() if packages else "")
        self.texts = {"sitecustomize.py": check.encode()}
        self.versions: list[str] = []
        if packages:
            for one in needed():
                self.versions.append(f"{one.name} {one.version}")
                self.files.update(_of(one))

    @property
    def name(self) -> str:
        """The archive's name, by its content."""
        found = hashlib.sha256("\n".join([kind(), *self.versions]).encode())
        for name, path in sorted(_own()):
            found.update(name.encode() + path.read_bytes())
        return f"{found.hexdigest()[:16]}.tgz"

    def packed(self) -> bytes:
        """The archive itself."""
        out = BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
            for name, path in sorted(self.files.items()):
                archive.add(path, name, recursive=False)
            for name, text in self.texts.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(text)
                archive.addfile(entry, BytesIO(text))
        return out.getvalue()


def needed() -> list[Distribution]:
    """The installed packages that this one needs, and those that they need."""
    found: dict[str, Distribution] = {}
    waiting = ["layercrawl"]
    while waiting:
        name = waiting.pop()
        try:
            one = distribution(name)
        except PackageNotFoundError:  # for other systems or Pythons
            continue
        if one.name not in found:
            found[one.name] = one
            waiting += [_required(text) for text in one.requires or () if "extra ==" not in text]
    found.pop("layercrawl", None)
    return [found[name] for name in sorted(found)]


def _required(text: str) -> str:
    match = _NAME.match(text)
    return match[0] if match else ""


def _of(one: Distribution) -> Iterator[tuple[str, Path]]:
    for file in one.files or ():
        name, path = str(file), Path(str(file.locate()))
        if not name.startswith(("..", "/")) and "/tests/" not in name and path.is_file():
            yield name, path


def _own() -> Iterator[tuple[str, Path]]:
    for path in sorted(_PACKAGE.rglob("*.py")):
        yield os.path.join(_PACKAGE.name, path.relative_to(_PACKAGE).as_posix()), path
