"""mrjob's loops over lines and pairs, without calls of Python for each that do nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from mrjob.job import MRJob
from mrjob.step import MRStep

Pair = tuple[Any, Any]


class Loops(MRJob):  # type: ignore[misc]
    """A job whose tasks loop as mrjob's do."""

    def _wrap_protocols(
        self, step_num: int, step_type: str
    ) -> tuple[Callable[[], Iterator[Pair]], Callable[[Any, Any], None]]:
        read, write = self.pick_protocols(step_num, step_type)
        put = self.stdout.write

        def read_lines() -> Iterator[Pair]:
            return (read(line.rstrip(b"\r\n")) for line in self._read_input())

        def write_line(key: Any, value: Any) -> None:
            put(write(key, value) + b"\n")

        return read_lines, write_line

    def _combine_or_reduce_pairs(
        self, pairs: Iterable[Pair], mrc: str, step_num: int = 0
    ) -> Iterator[Pair]:
        step = self._get_step(step_num, MRStep)
        if step[f"{mrc}_init"]:
            yield from step[f"{mrc}_init"]() or ()
        for key, group in groupby(pairs, itemgetter(0)):
            yield from step[mrc](key, map(itemgetter(1), group)) or ()
        if step[f"{mrc}_final"]:
            yield from step[f"{mrc}_final"]() or ()
