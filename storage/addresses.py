"""The addresses of databases, and the paths of files: what is no ordinary file is refused."""

import stat
from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from storage.errors import InvalidUrl, StorageError

_URL_PARAMETERS: Final = {"host", "port", "sslmode", "ssl", "prepared_statement_cache_size"}


def read_url(address: str | Path) -> URL:
    """Return the URL for the path of an SQLite file, or for an sqlite: or postgresql: address; InvalidUrl.

    A string is an address: a path given as a string would silently create a new, empty database.
    """
    if isinstance(address, Path):
        return URL.create("sqlite+aiosqlite", database=str(address.absolute()))
    try:
        url = make_url(address)
        for host in (url.host or "", *url.normalized_query.get("host", ())):
            if not host.startswith("/"):  # the folder of a socket
                host.encode("idna")  # as the driver does, which is not prepared for what cannot be encoded
    except (ArgumentError, ValueError) as error:
        raise InvalidUrl(address=address.partition("://")[0]) from error
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        unknown = sorted(set(url.query) - _URL_PARAMETERS)
        if unknown:
            raise InvalidUrl(address=kind, parameters=unknown)
        # The driver's name for sslmode.
        query = {"ssl" if name == "sslmode" else name: value for name, value in url.query.items()}
        return url.set(drivername="postgresql+asyncpg", query=query)
    if kind == "sqlite" and url.database and url.database != ":memory:":
        return URL.create("sqlite+aiosqlite", database=str(Path(url.database).absolute()))
    raise InvalidUrl(address=kind)


def database_file(address: str | Path) -> Path | None:
    """Return the SQLite file of a path or an address, None for a database on a server; InvalidUrl."""
    url = read_url(address)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


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
