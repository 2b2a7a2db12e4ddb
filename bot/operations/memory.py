"""Returning freed memory to the system: on Linux, the C library keeps it by default."""

import ctypes
from contextlib import suppress
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
"""Options of `mallopt`, from malloc.h."""
LARGE_BLOCK_BYTES: Final = 2 * 1024 * 1024
"""The size from which blocks are taken from the system and returned one by one.

No block that one board needs is as large: with fresh pages for each of them, drawing costs a tenth more.
"""
MAX_UNUSED_BYTES: Final = 8 * 1024 * 1024
"""How much unused memory stays at the end of an arena."""


def trim_memory() -> None:
    """Return large blocks to the system as soon as they are free; call this before threads are started.

    By default, glibc keeps an arena for each thread and raises its threshold for large blocks with every freed one:
    after some films three times as much memory stays as is used. Elsewhere there is no such setting, and nothing is
    done.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for option, value in (
            (_ARENA_MAX, 2),
            (_MMAP_THRESHOLD, LARGE_BLOCK_BYTES),
            (_TRIM_THRESHOLD, MAX_UNUSED_BYTES),
        ):
            library.mallopt(option, value)
