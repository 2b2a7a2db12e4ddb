"""One program at a time on a database that is a file: two would deliver every board twice."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Final, Self

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
        self._path = lock_file(database)
        self._file: int | None = None

    def __enter__(self) -> Self:
        """Take the database; AlreadyRunning, or OSError where nothing can be written."""
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _hold(self._file)
        except OSError as error:
            os.close(self._file)
            self._file = None
            raise AlreadyRunning(self._path) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


if sys.platform == "win32":
    import msvcrt

    def _hold(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _hold(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
