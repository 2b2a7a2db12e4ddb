"""One program at a time in a data folder: two would deliver every board twice."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self


class AlreadyRunning(Exception):
    """Another process works in the folder."""


class FolderLock:
    """Holds a folder for this process; the system lets go of it when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        """Prepare to hold the folder, which must exist."""
        self._path = folder / "tavoliere.lock"
        self._file: int | None = None

    def __enter__(self) -> Self:
        """Take the folder; AlreadyRunning, or OSError where nothing can be written."""
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _hold(self._file)
        except OSError as error:
            os.close(self._file)
            raise AlreadyRunning(self._path.parent) from error
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
