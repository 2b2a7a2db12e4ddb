"""Space of an SQLite file that nothing needs any more goes back to the system, a little at a time, beside all else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from storage.errors import explained

MIN_FREE_PAGES: Final = 256
"""From so many free pages on (a MiB) a file is made smaller."""
PAGES_PER_TRANSACTION: Final = 512
"""How many pages are given back in one transaction: others who write wait for no more."""
_INCREMENTAL: Final = 2


def enable_incremental_vacuum(path: Path, timeout_seconds: float) -> None:
    """See that a file can give space back; one made before that was so is written anew once. Unavailable errors.

    Readers are not disturbed and a crash leaves the file as it was; it needs the file's size in free space meanwhile.
    """
    with explained(sqlite3.Error, path=str(path)), _opened(path, timeout_seconds) as connection:
        if connection.execute("PRAGMA auto_vacuum").fetchone() == (_INCREMENTAL,):
            return
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("VACUUM")


def release_free_pages(path: Path, timeout_seconds: float) -> int:
    """Return how many bytes of a file went back to the system; Unavailable errors."""
    with explained(sqlite3.Error, path=str(path)), _opened(path, timeout_seconds) as connection:
        (free,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_size"))
        if free < MIN_FREE_PAGES:
            return 0
        for _ in range(0, free, PAGES_PER_TRANSACTION):
            # As a script: a single statement would free one page for each time that it is stepped on.
            connection.executescript(f"PRAGMA incremental_vacuum({PAGES_PER_TRANSACTION})")
        left = connection.execute("PRAGMA freelist_count").fetchone()[0]
        # Until then what was freed stands in the file, or beside it. Nobody is kept waiting for that.
        connection.execute("PRAGMA busy_timeout = 50")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return int((free - left) * size)


def file_size(path: Path) -> int:
    """Return how many bytes a file takes together with those beside it."""
    found = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]
    return sum(each.stat().st_size for each in found if each.exists())


def _opened(path: Path, timeout_seconds: float) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, timeout=timeout_seconds, isolation_level=None))
