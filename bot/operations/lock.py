"""One program at a time on a database that is a file: two would deliver every board twice."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Final, Self

from filelock import FileLock, Timeout

_USUAL: Final = "tavoliere.db"


class AlreadyRunning(Exception):
    """Another process works on the database."""


def lock_file(database: Path) -> Path:
    """Return the file, beside a database, that a process holds while it works on it, by whatever name it found it."""
    path = database.resolve()
    return path.with_name("tavoliere.lock" if path.name == _USUAL else f"{path.name}.lock")


class DatabaseLock:
    """Holds a database file for this process; the system lets go of it when the process ends, however it ends."""

    def __init__(self, database: Path) -> None:
        """Prepare to hold a database, which need not exist, but its folder."""
        # What stands in where a file system has no locks would outlive a process that is killed.
        self._lock = FileLock(lock_file(database), mode=0o600, blocking=False, fallback_to_soft=False)

    def __enter__(self) -> Self:
        """Take the database; AlreadyRunning, or OSError where nothing can be written."""
        try:
            self._lock.acquire()
        except Timeout as error:
            raise AlreadyRunning(self._lock.lock_file) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
