"""The HTML parsing tests that html5lib's source distribution carries, fetched when they are needed.

They lie in a cache outside of the repository. Where they cannot be had the tests that need them are
skipped, and fail when CI is set.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

NAME = "html5lib-1.1.tar.gz"
SHA256 = "b2e5b40261e20f354d198eae92afc10d750afb487ed5e50f9c4eaf07c184146f"
_DATA = "html5lib-1.1/html5lib/tests/testdata"
_SECTION = re.compile(
    r"^#(data|errors|new-errors|document-fragment|script-on|script-off|document)$"
)


class TreeTest(NamedTuple):
    """A page and the tree that the standard makes of it, a line a node, indented by two a level."""

    id: str
    html: str
    tree: str


def tree_tests() -> list[TreeTest]:
    """The tests of whole documents, parsed as a browser without scripts does."""
    return [test for path in _files("tree-construction", "dat") for test in _tree_tests(path)]


def tokenizer_inputs() -> list[str]:
    """The inputs of the tests of the tokenizer."""
    tests = (json.loads(path.read_bytes()) for path in _files("tokenizer", "test"))
    return [_unescaped(case) for test in tests for cases in test.values() for case in cases]


def _unescaped(case: dict[str, Any]) -> str:
    text = case["input"]
    return json.loads(f'"{text}"') if case.get("doubleEscaped") else text


def _files(folder: str, kind: str) -> list[Path]:
    return sorted((_unpacked() / _DATA / folder).rglob(f"*.{kind}"))


def _tree_tests(path: Path) -> Iterator[TreeTest]:
    text = path.read_bytes().decode("utf-8", "surrogatepass")
    for number, block in enumerate(re.split(r"(?:\A|\n\n)#data\n", text)[1:], 1):
        parts = _sections(block.removesuffix("\n"))
        if "document-fragment" not in parts and "script-on" not in parts:
            yield TreeTest(f"{path.name}:{number}", parts["data"], parts["document"])


def _sections(block: str) -> dict[str, str]:
    parts: dict[str, list[str]] = {"data": []}
    current = parts["data"]
    for line in block.split("\n"):
        if found := _SECTION.match(line):
            current = parts.setdefault(found[1], [])
        else:
            current.append(line)
    return {name: "\n".join(lines) for name, lines in parts.items()}


@cache
def _unpacked() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "layercrawl-tests"
    archive = base / NAME
    if not _is_whole(archive):
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=base) as scratch:
            complaint = _download(Path(scratch))
            if not _is_whole(Path(scratch) / NAME):
                (pytest.fail if os.environ.get("CI") else pytest.skip)(
                    f"{NAME} could not be had: {complaint[-300:]}"
                )
            (Path(scratch) / NAME).replace(archive)
    unpacked = base / SHA256[:16]
    if not unpacked.is_dir():
        with tempfile.TemporaryDirectory(dir=base) as scratch, tarfile.open(archive) as tar:
            tar.extractall(scratch, filter="data")
            Path(scratch).rename(unpacked)
            Path(scratch).mkdir()
    return unpacked


def _is_whole(archive: Path) -> bool:
    return archive.is_file() and hashlib.sha256(archive.read_bytes()).hexdigest() == SHA256


def _download(folder: Path) -> str:
    """Fetch the archive by pip; what it complains of."""
    # The archive's set-up imports what setuptools 82 took away; pip looks at it to know the name.
    limit = folder / "build.txt"
    limit.write_text("setuptools<82\n")
    known = {"PIP_CONSTRAINT": str(limit), "PIP_BUILD_CONSTRAINT": str(limit)}
    words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary=:all:"]
    words += [f"--dest={folder}", "html5lib==1.1"]
    try:
        done = subprocess.run(
            words, env=os.environ | known, capture_output=True, text=True, timeout=180
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stderr
