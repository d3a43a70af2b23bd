"""One input tried: whether the target holds, in how much time, in how much memory, growing how.

Times are those of this thread's CPU, so that a busy machine accuses nobody.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable

from layercrawl.peak import peak_mb

Target = Callable[[bytes], None]
SECONDS = 1.0
SECONDS_PER_BYTE = 10e-6
MEMORY_MB = 300
"""Bytes that one input may take beyond what the process had taken before."""
_STRETCHED_ONE_IN = 16
_SIZES = (1 << 13, 1 << 15, 1 << 17)
_SUSPECT = 0.1  # seconds for the shortest
_GROWTH = 2 * 4


class Broken(AssertionError):
    """A bound that an input broke; the message says which."""


def attempt(target: Target, data: bytes) -> float:
    """Try `data`, and one input in sixteen made long as well; return the CPU seconds it took.

    Raises what the target raises, and Broken.
    """
    before = peak_mb()
    seconds = _seconds(target, data)
    bound = SECONDS + SECONDS_PER_BYTE * len(data)
    if seconds > bound and (again := _seconds(target, data)) > bound:
        raise Broken(f"{len(data)} bytes take {again:.2f} s")
    if data and zlib.crc32(data) % _STRETCHED_ONE_IN == 0:
        _check_growth(target, data)
    if (after := peak_mb()) > before + MEMORY_MB:
        raise Broken(f"memory rises from {before:.0f} to {after:.0f} MB")
    return seconds


def stretched(data: bytes, size: int) -> bytes:
    """`data` with a part of it, chosen by its checksum, repeated until it has about `size` bytes.

    >>> stretched(b"<p>", 12)
    b'<<<<<<<<<<p>'
    """
    choice = zlib.crc32(data)
    start = choice // 7 % len(data)
    length = 1 + choice // 77 % min(len(data) - start, 64)
    part = data[start : start + length]
    times = max(1, (size - len(data) + length) // length)
    return data[:start] + part * times + data[start + length :]


def _check_growth(target: Target, data: bytes) -> None:
    """Four times the bytes may take about four times as long, now and then more: not twice."""
    seconds = _seconds(target, stretched(data, _SIZES[0]))
    taken = [f"{seconds:.2f} s"]
    for size in _SIZES[1:] if seconds > _SUSPECT else ():
        before, seconds = seconds, _seconds(target, stretched(data, size))
        taken.append(f"{seconds:.2f} s")
        if seconds < _GROWTH * before:
            return
    if len(taken) > 1:
        raise Broken(f"about {_SIZES} bytes take {', '.join(taken)}")


def _seconds(target: Target, data: bytes) -> float:
    start = time.thread_time()
    target(data)
    return time.thread_time() - start
