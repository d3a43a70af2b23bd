"""The `local` runner: mrjob's inline runner with each task in a forked, warm process.

mrjob's own local runner starts a new Python for every task, which imports for longer than a small
layer takes. Here a task is a fork of the driver, as many at a time as there are cores, and `sort`
runs outside of Python, so that a stage never sits in memory.
"""

from __future__ import annotations

import ctypes
import glob
import os
import selectors
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from mrjob.cat import is_compressed
from mrjob.inline import InlineMRJobRunner

from layercrawl.job import splitting

_PR_SET_PDEATHSIG = 1
_STATUS = b"reporter:status:"
# Bytes below which another task costs more (10 ms of CPU to fork and set up) than it saves.
_SMALL_FILE = 1 << 20
_SMALL_SORTED = 1 << 15


class TaskFailed(RuntimeError):
    """A task that did not finish: `why` in short; the message is its traceback, if it has one."""

    def __init__(self, why: str, trace: str = "") -> None:
        super().__init__(trace or why)
        self.why = why


def described(error: BaseException) -> str:
    """An error as one says it, without its traceback.

    >>> described(ValueError("no")), described(KeyboardInterrupt())
    ('ValueError: no', 'KeyboardInterrupt')
    """
    return f"{type(error).__name__}: {error}".removesuffix(": ")


class Forked(InlineMRJobRunner):  # type: ignore[misc]
    """Runs tasks in forked processes; `largest` is the peak memory of one, in kB."""

    largest = 0
    watch: Callable[[list[str]], None] = staticmethod(lambda lines: None)

    def _run_multiple(self, funcs: Iterable[Callable[[], None]], num_processes: Any = None) -> None:
        waiting = iter(list(funcs))
        running: dict[int, int] = {}  # the read end of a task's pipe → its process
        try:
            with selectors.DefaultSelector() as ends:
                self._start(waiting, running, ends)
                while running:
                    for key, _ in ends.select(timeout=0.5):
                        ends.unregister(key.fd)
                        self._finish(key.fd, running)
                    self._start(waiting, running, ends)
                    self.watch(self._statuses())
        finally:
            for end, process in running.items():
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                os.close(end)

    def _start(self, waiting: Any, running: dict[int, int], ends: selectors.BaseSelector) -> None:
        while len(running) < self._num_cores() and (task := next(waiting, None)):
            end, process = _fork(task)
            running[end] = process
            ends.register(end, selectors.EVENT_READ)

    def _finish(self, end: int, running: dict[int, int]) -> None:
        with open(end, "rb") as pipe:
            said = pipe.read()
        _, status, usage = os.wait4(running.pop(end), 0)
        self.largest = max(self.largest, usage.ru_maxrss)
        if status:
            why, _, trace = said.decode().partition("\0")
            raise TaskFailed(why or _ended(status), trace)

    def _statuses(self) -> list[str]:
        found = []
        for path in glob.glob(os.path.join(self._get_local_tmp_dir(), "step/*/*/*/stderr")):
            with open(path, "rb") as stderr:
                stderr.seek(max(0, os.path.getsize(path) - 2000))
                lines = [x for x in stderr if x.startswith(_STATUS) and x.endswith(b"\n")]
            found += [line[len(_STATUS) :].decode(errors="replace") for line in lines[-1:]]
        return found

    def _pick_mapper_split_size(self, paths: list[str], step_num: int) -> int:
        return max(_SMALL_FILE, int(super()._pick_mapper_split_size(paths, step_num)))

    def _split_mapper_input(self, paths: Iterable[str], step_num: int) -> list[dict[str, Any]]:
        paths = list(paths)
        if any(map(is_compressed, paths)):
            split: list[dict[str, Any]] = super()._split_mapper_input(paths, step_num)
            return split
        files = self._yield_split_fileobjs("mapper", step_num)
        least = self._pick_mapper_split_size(paths, step_num)
        return [
            {"file": path, "start": start, "length": end - start}
            for path in paths
            for start, end in _split(path, least, splitting.end_of_line, files)
        ]

    def _split_reducer_input(self, step_num: int) -> int:
        path = self._sorted_reducer_input_path(step_num)
        least = int(os.path.getsize(path) // (self._num_reducers(step_num) * 2))
        files = self._yield_split_fileobjs("reducer", step_num)
        return sum(1 for _ in _split(path, least, splitting.end_of_key, files))

    def _num_reducers(self, step_num: int) -> float:
        # mrjob cuts the sorted input into twice this many pieces: one a core, or one alone.
        small = os.path.getsize(self._sorted_reducer_input_path(step_num)) < _SMALL_SORTED
        return 0.5 if small else max(1, int(self._num_cores()) // 2)

    def _sort_input_func(self) -> Callable[[list[str], str], None]:
        return _sort_lines if self._sort_values else _sort_keys


def _split(
    path: str, least: int, boundary: splitting.Boundary, files: Iterator[IO[bytes]]
) -> Iterator[tuple[int, int]]:
    """Copy a file's pieces into the next of some files; where they began and ended."""
    with open(path, "rb") as lines:
        for start, end in splitting.pieces(lines, least, boundary):
            with next(files) as target:
                splitting.copy(lines, start, end, target)
            yield start, end


def _fork(task: Callable[[], None]) -> tuple[int, int]:
    read, write = os.pipe()
    parent = os.getpid()
    process = os.fork()
    if process:
        os.close(write)
        return read, process
    os.close(read)
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's to answer
    code = 1
    try:
        task()
        code = 0
    except BaseException as error:
        said = f"{described(error)}\0{traceback.format_exc()}"
        with open(write, "wb") as pipe:
            pipe.write(said.encode(errors="backslashreplace"))
    finally:
        os._exit(code)


def _ended(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"a task ended with exit code {code} and without a word"
    hint = "; memory may have run out" if code == -signal.SIGKILL else ""
    return f"a task was ended by signal {-code} ({signal.strsignal(-code)}){hint}"


def die_with(parent: int) -> None:
    """Have the kernel end this process when the driver dies (Linux; elsewhere tasks look)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _sort_lines(paths: list[str], output: str) -> None:
    _sort([], paths, output)


def _sort_keys(paths: list[str], output: str) -> None:
    _sort(["-t", "\t", "-k", "1,1", "-s"], paths, output)


def _sort(keys: list[str], paths: list[str], output: str) -> None:
    if not paths:
        open(output, "wb").close()
        return
    folder = os.path.dirname(output)
    words = ["sort", "-S", "128M", "-T", folder, *keys, "-o", output, "--", *paths]
    done = subprocess.run(words, env={**os.environ, "LC_ALL": "C"}, capture_output=True)
    if done.returncode:
        raise TaskFailed(done.stderr.decode(errors="replace") or "sort failed")
