"""Returning freed memory to the system: on Linux, the C library keeps it by default."""

import ctypes
from contextlib import suppress
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
"""Options of `mallopt`, from malloc.h."""


def trim_memory() -> None:
    """Return large blocks to the system as soon as they are free; call this before threads are started.

    By default, glibc keeps an arena for each thread and raises its threshold for large blocks with every freed one:
    after some films three times as much memory stays as is used. Elsewhere there is no such setting, and nothing is
    done.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for option, value in ((_ARENA_MAX, 2), (_MMAP_THRESHOLD, 256 * 1024), (_TRIM_THRESHOLD, 1024 * 1024)):
            library.mallopt(option, value)
