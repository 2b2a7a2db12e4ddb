"""Addresses of databases: the path of a file, or a URL."""

from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from storage.errors import InvalidUrl

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
