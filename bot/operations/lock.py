"""A lock that admits one process to a file database: two would deliver every board twice."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from filelock import FileLock, Timeout

_DEFAULT_FILE: Final = "tavoliere.db"


class AlreadyRunning(Exception):
    """Another process uses the database."""


def lock_file(database: Path) -> Path:
    """Return the lock file beside a database, the same for every path to it."""
    path = database.resolve()
    return path.with_name("tavoliere.lock" if path.name == _DEFAULT_FILE else f"{path.name}.lock")


class DatabaseLock:
    """Locks a database file for this process; the system releases the lock when the process ends in any way.

    On Linux the file itself is locked, too, so that another name for it (a hard link) makes no difference. SQLite's own
    locks are of another kind there, and independent of this one.
    """

    def __init__(self, database: Path) -> None:
        """Create the lock of a database, which need not exist, unlike its folder."""
        # The soft lock that replaces a missing lock facility would outlive a killed process.
        self._lock = FileLock(lock_file(database), mode=0o600, blocking=False, fallback_to_soft=False)
        self._database = database
        self._held: int | None = None

    def __enter__(self) -> Self:
        """Take the lock; AlreadyRunning, or OSError if nothing can be written."""
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
        """Lock the file itself, if it exists by now; AlreadyRunning if another process has locked it under any name."""
        if sys.platform != "linux" or self._held is not None:
            return
        import fcntl

        with suppress(FileNotFoundError):
            # Opened read-only, so that network file systems, where these locks conflict with SQLite's, refuse.
            held = os.open(self._database, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(held)
                raise AlreadyRunning(str(self._database)) from None
            except OSError:
                pass  # this file system has no such locks
            # Closed only at the end: closing it would release SQLite's own locks of this process.
            self._held = held

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None
        self._lock.release()
