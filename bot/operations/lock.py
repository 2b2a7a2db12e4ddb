"""One program at a time on a database that is a file: two would deliver every board twice."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from filelock import FileLock, Timeout

_DEFAULT_FILE: Final = "tavoliere.db"


class AlreadyRunning(Exception):
    """Another process works on the database."""


def lock_file(database: Path) -> Path:
    """Return the file, beside a database, that a process holds while it works on it, by whatever name it found it."""
    path = database.resolve()
    return path.with_name("tavoliere.lock" if path.name == _DEFAULT_FILE else f"{path.name}.lock")


class DatabaseLock:
    """Holds a database file for this process; the system lets go of it when the process ends, however it ends.

    On Linux the file itself is held, too, so that another name for it (a hard link) makes no difference. SQLite's own
    locks are of another kind there, and know nothing of this one.
    """

    def __init__(self, database: Path) -> None:
        """Prepare to hold a database, which need not exist, but its folder."""
        # What stands in where a file system has no locks would outlive a process that is killed.
        self._lock = FileLock(lock_file(database), mode=0o600, blocking=False, fallback_to_soft=False)
        self._database = database
        self._held: int | None = None

    def __enter__(self) -> Self:
        """Take the database; AlreadyRunning, or OSError where nothing can be written."""
        try:
            self._lock.acquire()
        except Timeout as error:
            raise AlreadyRunning(self._lock.lock_file) from error
        try:
            self.hold_file()
        except AlreadyRunning:
            self._lock.release()
            raise
        return self

    def hold_file(self) -> None:
        """Hold the file itself, if it is there by now; AlreadyRunning if another process does, by whatever name."""
        if sys.platform != "linux" or self._held is not None:
            return
        import fcntl

        with suppress(FileNotFoundError):
            # Only for reading: so a network's file system, where these locks are SQLite's as well, refuses.
            held = os.open(self._database, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(held)
                raise AlreadyRunning(str(self._database)) from None
            except OSError:
                pass  # this file system has no such locks
            # Closed at the end only: that would take SQLite's own locks away from this process.
            self._held = held

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None
        self._lock.release()
