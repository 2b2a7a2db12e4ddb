"""Paths that are no ordinary files: a pipe keeps its reader waiting, and a device would be replaced by a file."""

import stat
from pathlib import Path
from typing import Final

from storage.errors import StorageError

DATABASE_SUFFIXES: Final = ("-wal", "-shm", "-journal", "")
"""The suffixes of the files of an SQLite database; the database file itself comes last."""


class SpecialFile(StorageError):
    """A pipe, a socket or a device where a file is needed; `path`."""

    default = "special-file"


def refuse_special_files(*paths: Path) -> None:
    """Raise SpecialFile for a path that exists and is neither a file nor a folder, without opening it."""
    for path in paths:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue  # opening it says why it cannot be used
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise SpecialFile(path=str(path))


def refuse_special_database(database: Path) -> None:
    """Raise SpecialFile if one of the files of an SQLite database is no ordinary file."""
    refuse_special_files(*(database.with_name(database.name + suffix) for suffix in DATABASE_SUFFIXES))
