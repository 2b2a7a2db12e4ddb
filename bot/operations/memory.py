"""What the C library does with memory that the program has freed: on Linux it keeps it, unless it is told not to."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
"""Numbers of `mallopt`, from malloc.h."""


def trim_memory() -> None:
    """Have large pieces go back to the system as soon as they are free; to be called before threads are started.

    Of itself glibc makes room for each thread and raises what counts as large with every piece that was: after some
    films three times as much memory stays as is used. Elsewhere there is no such setting, and nothing is done.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for option, value in ((_ARENA_MAX, 2), (_MMAP_THRESHOLD, 256 * 1024), (_TRIM_THRESHOLD, 1024 * 1024)):
            library.mallopt(option, value)
