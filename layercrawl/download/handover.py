"""What passes from a task's workers to its one reader, in bounded memory.

Pages differ in size a thousandfold, so it is characters that are counted: a `Handover` holds few at
a time, and `Room` lets few large bodies be text at once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

LARGE = 1 << 20
"""Bytes from which on a body needs room."""
_PATIENCE = 1.0
Answer = TypeVar("Answer")


class Room:
    """Room for few large bodies at a time, each until its worker's turn is over."""

    def __init__(self, most: int = 4) -> None:
        self._free = threading.Semaphore(most)
        self._mine = threading.local()

    def take(self, size: int) -> None:
        """Wait for room for a body of `size` bytes, if it is a large one."""
        if size >= LARGE and not getattr(self._mine, "taken", False):
            self._free.acquire()
            self._mine.taken = True

    def leave(self) -> None:
        """Give back the room that this thread has."""
        if getattr(self._mine, "taken", False):
            self._mine.taken = False
            self._free.release()


class Handover(Generic[Answer]):
    """The way from workers to one reader; once he has left, nobody waits for him."""

    def __init__(self, size: Callable[[Answer], int], most: int = 8_000_000) -> None:
        self._size, self._most = size, most
        self._answers: deque[Answer | BaseException | None] = deque()
        self._held = self._workers = 0
        self._read = True
        self._changed = threading.Condition()

    def put(self, answer: Answer) -> None:
        """Hand an answer over; waits while too much lies there."""
        size = self._size(answer)
        with self._changed:
            while self._read and self._answers and self._held + size > self._most:
                self._changed.wait(_PATIENCE)
            self._held += size
            self._append(answer)

    def expect(self, workers: int) -> None:
        """So many more workers have come; for the reader's thread alone."""
        self._workers += workers

    def leave(self, error: BaseException | None = None) -> None:
        """A worker goes home, or fails."""
        with self._changed:
            self._append(error)

    def gather(self, workers: int, beat: Callable[[], None]) -> Iterator[Answer]:
        """The answers until all workers have gone home, or the error of one of them.

        `beat` is called at least once a second.
        """
        self.expect(workers)
        try:
            while self._workers:
                beat()
                for answer in self._taken():
                    if isinstance(answer, BaseException):
                        raise answer
                    if answer is None:
                        self._workers -= 1
                    else:
                        yield answer
        finally:
            self._read = False

    def _append(self, answer: Answer | BaseException | None) -> None:
        self._answers.append(answer)
        self._changed.notify_all()

    def _taken(self) -> Iterator[Answer | BaseException | None]:
        """The next answer, if one comes within a second."""
        with self._changed:
            if not self._answers:
                self._changed.wait(_PATIENCE)
            if not self._answers:
                return
            answer = self._answers.popleft()
            if answer is not None and not isinstance(answer, BaseException):
                self._held -= self._size(answer)
            self._changed.notify_all()
        yield answer
