"""Whole crawls under test: run the driver, read its stores, and judge the web's access log."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1]
OPTIONS = ("--max-bytes", "2000000", "--scope", "any", "--allow-private", "--delay", "0")
CLOCK = "1764547200"
"""The time of day of every run, so that what is counted from it agrees."""
_VOLATILE = {"date", "age", "expires", "set-cookie"}


def environment() -> dict[str, str]:
    """The environment of every run."""
    direct = {"no_proxy": "*", "NO_PROXY": "*"}  # whatever proxy this machine has
    return {**os.environ, "SOURCE_DATE_EPOCH": CLOCK, "PYTHONPATH": str(FOLDER), **direct}


class Run(subprocess.Popen[bytes]):
    """A driver in a process group of its own, as a shell starts one; `said` is what it printed."""

    def __init__(
        self,
        root: Path | str,
        *words: str,
        program: Sequence[str] = ("driver.py",),
        options: Sequence[str] = OPTIONS,
    ) -> None:
        # No pipe: whoever reads one to its end waits for all that a killed driver leaves behind.
        descriptor, path = tempfile.mkstemp()
        os.unlink(path)
        self._printed = os.fdopen(descriptor, "w+b")
        super().__init__(
            [sys.executable, *program, "--root", str(root), *options, *words],
            cwd=FOLDER, env=environment(), start_new_session=True,
            stdout=self._printed, stderr=subprocess.STDOUT,
        )  # fmt: skip

    @property
    def said(self) -> str:
        return os.pread(self._printed.fileno(), 1 << 20, 0).decode()


def crawl(root: Path, *words: str, **how: Sequence[str]) -> tuple[int, str]:
    """The exit code of a run, negative for a signal's number, and what it printed."""
    run = Run(root, *words, **how)
    return run.wait(), run.said


def finished(root: Path, *words: str) -> Path:
    """`root`, after a run that did well."""
    code, said = crawl(root, *words)
    assert code == 0, said
    return root


def until(true: Callable[[], Any], seconds: float = 30.0) -> None:
    """Wait until something is true; AssertionError when it does not come true in time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.02)


def survivors(group: int) -> list[int]:
    """The living processes of a process group (Linux: by /proc)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it ended meanwhile
            continue
        if int(its_group) == group and state not in "ZX":
            found.append(int(path.parent.name))
    return found


# Stores


def folders(root: Path) -> list[Path]:
    """The complete folders of a root."""
    return sorted(path.parent for path in root.glob("**/_MARKER.json"))


def records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(URL, record) of a folder's lines, read as any tool would."""
    for path in sorted(folder.glob("part-*")):
        for line in path.read_bytes().splitlines():
            url, _, text = line.decode().partition("\t")
            yield url, json.loads(text)


def totals(folder: Path) -> dict[str, int]:
    """What a folder's marker counts."""
    counted: dict[str, int] = json.loads((folder / "_MARKER.json").read_bytes())["totals"]
    return counted


def stores(root: Path) -> dict[str, list[str]]:
    """Each complete folder's records, sorted, and its counts, without what two runs may differ in.

    That is `fetched`, `elapsed` and the headers Date, Age, Expires and Set-Cookie; and counts of
    moments, which come of `fetched`.
    """
    return {path.relative_to(root).as_posix(): _settled(path) for path in folders(root)}


def _settled(folder: Path) -> list[str]:
    lines = sorted(f"{url} {json.dumps(_timeless(record))}" for url, record in records(folder))
    return lines + [f"{k}: {n}" for k, n in totals(folder).items() if "waits until" not in k]


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: _timeless(v) for k, v in value.items() if k not in ("fetched", "elapsed")}
        if "headers" in kept:
            kept["headers"] = [h for h in kept["headers"] if h[0].lower() not in _VOLATILE]
        if "xml" in kept:
            kept["xml"] = re.sub(r'^(<page [^>]*?) fetched="[^"]*"', r"\1", kept["xml"])
        return kept
    return value


def answers(root: Path) -> dict[str, dict[str, Any]]:
    """The record of each page's URL; AssertionError when one has two."""
    found: dict[str, dict[str, Any]] = {}
    for folder in sorted((root / "doc").glob("layer-*")):
        for url, page in records(folder):
            if page["target"].get("kind", "page") == "page":
                assert url not in found, f"{url} was answered in {folder} again"
                found[url] = page
    return found


def tree(root: Path) -> dict[str, tuple[int, int]]:
    """Every path below a root with its time of change and size: equal trees were not touched."""
    paths = [root, *root.glob("**/*")] if root.exists() else []
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in paths}


# The web's access log


@dataclass(frozen=True, order=True)
class Request:
    """One line of the web's log; times are of the monotonic clock."""

    start: float
    end: float
    host: str
    path: str
    method: str
    connection: int
    status: int
    agent: str


def requests(log: Path, agent: str = "") -> list[Request]:
    """The requests of those whose name contains `agent`, by their start."""
    lines = log.read_text().splitlines() if log.exists() else []
    found = [Request(**json.loads(line)) for line in lines]
    return sorted(request for request in found if agent in request.agent)


def by_host(asked: list[Request]) -> dict[str, list[Request]]:
    """Each host's requests, by their start."""
    hosts: dict[str, list[Request]] = {}
    for request in asked:
        hosts.setdefault(request.host, []).append(request)
    return hosts


def gaps(asked: list[Request]) -> list[float]:
    """Seconds from each answer's end to the same host's next request; negative: they overlap."""
    pairs = [pair for mine in by_host(asked).values() for pair in pairwise(mine)]
    return [after.start - before.end for before, after in pairs]
