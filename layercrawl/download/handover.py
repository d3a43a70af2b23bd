"""What passes from a task's workers to its one reader, in bounded memory.

Pages differ in size a thousandfold, so it is bytes that are counted: `Room` lets few bodies be text
at a time, and a `Handover` holds few at a time, a large one until it is written down.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

_PATIENCE = 0.25
Answer = TypeVar("Answer")


class Room:
    """Room for bodies of `most` bytes in all, or one that is larger; each worker has one."""

    def __init__(self, most: int = 16_000_000) -> None:
        self._most, self._taken = most, 0
        self._door = threading.Lock()  # one waits here at a time, so that a large one gets in
        self._changed = threading.Condition()
        self._mine = threading.local()

    def take(self, size: int) -> None:
        """Wait for room for a body of `size` bytes, in the place of what this thread has."""
        self.leave()
        with self._door, self._changed:
            while self._taken and self._taken + size > self._most:
                self._changed.wait()
            self._taken += size
        self._mine.size = size

    def leave(self) -> None:
        """Give back the room that this thread has."""
        with self._changed:
            self._taken -= getattr(self._mine, "size", 0)
            self._changed.notify()
        self._mine.size = 0


class Handover(Generic[Answer]):
    """The way from workers to one reader; once he has left, nobody waits for him."""

    def __init__(self, size: Callable[[Answer], int], most: int = 8_000_000) -> None:
        self._size, self._most = size, most
        self._answers: deque[tuple[Answer | BaseException | None, int]] = deque()
        self._held = self._workers = 0
        self._read = True
        self._changed = threading.Condition()

    def put(self, answer: Answer) -> None:
        """Hand an answer over; waits while too much lies there, of a large one until it is read."""
        size = self._size(answer)
        with self._changed:
            while self._read and self._held and self._held + size > self._most:
                self._changed.wait(_PATIENCE)
            self._held += size
            self._append(answer, size)
            while self._read and self._held > self._most:
                self._changed.wait(_PATIENCE)

    def expect(self, workers: int) -> None:
        """So many more workers have come; for the reader's thread alone."""
        self._workers += workers

    def leave(self, error: BaseException | None = None) -> None:
        """A worker goes home, or fails."""
        with self._changed:
            self._append(error)

    def gather(self, workers: int, beat: Callable[[], None]) -> Iterator[Answer]:
        """The answers until all workers have gone home, or the error of one of them.

        Whoever asks for the next one has done with the one before. `beat` is called at least once
        a second.
        """
        self.expect(workers)
        try:
            while self._workers:
                beat()
                yield from self._next()
        finally:
            self._read = False

    def _next(self) -> Iterator[Answer]:
        """The next answer, if one comes within a second; nothing of it stays here."""
        with self._changed:
            if not self._answers:
                self._changed.wait(_PATIENCE)
            if not self._answers:
                return
            answer, size = self._answers.popleft()
        if isinstance(answer, BaseException):
            raise answer
        if answer is None:
            self._workers -= 1
            return
        yield answer
        del answer
        self._done(size)

    def _append(self, answer: Answer | BaseException | None, size: int = 0) -> None:
        self._answers.append((answer, size))
        self._changed.notify_all()

    def _done(self, size: int) -> None:
        with self._changed:
            self._held -= size
            self._changed.notify_all()
