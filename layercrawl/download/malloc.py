"""What the C library does with memory that is freed.

glibc keeps blocks like those that it has seen freed, in each of many arenas that threads share out
among them: 16 threads with bodies of 10 MB each kept 130 MB that nothing was in.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress

_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h; once set, it stays
LARGE = 1 << 20


def return_large_blocks() -> None:
    """Have blocks of LARGE bytes and more go back to the system when they are freed.

    This holds for the whole process; where the C library is another, nothing changes.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE)
