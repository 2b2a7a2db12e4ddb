"""The errors of the storage: each has a `code` and `params`, for which the catalogues have sentences."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import exc

from storage.columns import Json


class StorageError(Exception):
    """An error of the storage; `code` names it, `params` are its details."""

    default: str = "storage"

    def __init__(self, code: str | None = None, **params: Any) -> None:
        self.code = code or self.default
        self.params: Json = params
        super().__init__(self.code, params)

    def __str__(self) -> str:
        details = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        return f"{self.code}({details})" if details else self.code


class Unavailable(StorageError):
    """The database cannot be used now: the operator has to act, or a retry may succeed later."""

    default = "unavailable"


class Unwritable(Unavailable):
    """The database, or its folder, is not writable; `path`."""

    default = "unwritable"


class DiskFull(Unavailable):
    """The disk of the database is full."""

    default = "disk-full"


class Locked(Unavailable):
    """Another process has locked the database for longer than the timeout."""

    default = "locked"


class Unreachable(Unavailable):
    """The database server does not answer or refuses the connection; `reason`."""

    default = "unreachable"


class BrokenDatabase(Unavailable):
    """The file is damaged, not a database, or the database of another program; `reason`."""

    default = "broken-database"


class NewerDatabase(Unavailable):
    """The database was written by a newer version of the program; `found` and `known` are schema versions."""

    default = "newer-database"


class OlderDatabase(Unavailable):
    """The database is from an older version of the program; `found` and `known` are schema versions."""

    default = "older-database"


class NoDatabase(Unavailable):
    """There is no database at `path`, where one was expected."""

    default = "no-database"


class InvalidUrl(StorageError):
    """The address of a database is not valid."""

    default = "invalid-url"


class NoSuchGame(StorageError):
    """There is no game with this id; `game`."""

    default = "no-such-game"


class CodeTaken(StorageError):
    """A game with the requested id exists already; `game`."""

    default = "code-taken"


class Stranger(StorageError):
    """The author of an event is another person now, or has been `banned` meanwhile; `platform`, `user`."""

    default = "stranger"


class Planned(StorageError):
    """A person has planned a reply to a step that was made without checking plans; `game`."""

    default = "planned"


class Conflict(StorageError):
    """The `game`, or something else of that id, has changed since it was read; `revision` is the current one."""

    default = "moved"


class AlreadyProcessed(StorageError):
    """The platform's event was processed before; `reply` is the reply that was stored with it."""

    default = "already-handled"

    def __init__(self, platform: str, event: str, reply: Json | None) -> None:
        super().__init__(platform=platform, event=event)
        self.reply = reply


_SQLITE_ERRORS: Final[dict[int, type[StorageError]]] = {
    sqlite3.SQLITE_BUSY: Locked,
    sqlite3.SQLITE_LOCKED: Locked,
    sqlite3.SQLITE_FULL: DiskFull,
    sqlite3.SQLITE_READONLY: Unwritable,
    sqlite3.SQLITE_CANTOPEN: Unwritable,
    sqlite3.SQLITE_PERM: Unwritable,
    sqlite3.SQLITE_IOERR: Unavailable,
    sqlite3.SQLITE_CORRUPT: BrokenDatabase,
    sqlite3.SQLITE_NOTADB: BrokenDatabase,
}

_NO_SUCH: Final = ("no such table", "no such column")

# The first two characters of an SQLSTATE are its class; complete states are looked up first.
_POSTGRES_ERRORS: Final[dict[str, type[StorageError]]] = {
    "53100": DiskFull,
    "25006": Unwritable,
    "42501": Unwritable,
    "55P03": Locked,
    "3D000": Unreachable,
    "08": Unreachable,
    "28": Unreachable,
    "57": Unreachable,
    "53": Unreachable,
}


def translate_error(error: BaseException) -> StorageError | None:
    """Return the storage error for an error of the driver or the operating system; None for a bug of ours."""
    for cause in _iterate_causes(error):
        number = getattr(cause, "sqlite_errorcode", None)
        if isinstance(number, int):
            # A row refers to a missing row, or a table or column has another name: the file is damaged.
            lost = number == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY or str(cause).startswith(_NO_SUCH)
            kind = BrokenDatabase if lost else _SQLITE_ERRORS.get(number & 0xFF)
            return kind(reason=str(cause)) if kind else None
        state = getattr(cause, "sqlstate", None)
        if isinstance(state, str):
            kind = _POSTGRES_ERRORS.get(state) or _POSTGRES_ERRORS.get(state[:2])
            return kind(reason=str(cause)) if kind else None
        if isinstance(cause, UnicodeDecodeError):
            # SQLite's message quotes damaged bytes, which Python cannot decode.
            return BrokenDatabase(reason=f"{cause.object[:80]!r} is no text")
        if isinstance(cause, exc.TimeoutError):
            return Locked(reason="no connection became free")
        if isinstance(cause, OSError):
            return Unreachable(reason=str(cause))
        if isinstance(cause, exc.DBAPIError) and cause.connection_invalidated:
            return Unreachable(reason=str(cause.orig))
    return None


def is_disk_full(error: OSError) -> bool:
    """Return True if a write failed for lack of space."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def translate_write_error(error: OSError, path: Path) -> Unavailable:
    """Return the storage error for a file or a folder that could not be written."""
    kind = DiskFull if is_disk_full(error) else Unwritable
    return kind(path=str(path), reason=error.strerror or str(error))


def _iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        original = getattr(error, "orig", None)
        if original is not None:
            yield original
        error = error.__cause__ or getattr(original, "__cause__", None)


@contextmanager
def translate_errors(*kinds: type[Exception], **params: str) -> Iterator[None]:
    """Translate errors of these kinds that concern the operator into storage errors with `params`.

    For SQLite these include damaged bytes that cannot be decoded.
    """
    caught: tuple[type[Exception], ...] = (*kinds, UnicodeDecodeError) if sqlite3.Error in kinds else kinds
    try:
        yield
    except caught as error:
        if (translated := translate_error(error)) is None:
            raise
        translated.params.update(params)
        raise translated from error


def translate_file_errors(path: Path) -> AbstractContextManager[None]:
    """Translate SQLite's errors about a file into storage errors with its path."""
    return translate_errors(sqlite3.Error, path=str(path))
