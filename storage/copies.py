"""Copies of a whole database for safekeeping: made while the program runs, and put back."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from sqlalchemy import URL, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from storage.database import explained, postgres_engine, prepare_file, read_url
from storage.errors import BrokenDatabase, DiskFull, StorageError, Unavailable, Unwritable, translated
from storage.rows import utc_now
from storage.schema import metadata

_PART: Final = ".part"
_PATIENCE: Final = 10.0
_OTHERS: Final = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


class InUse(StorageError):
    """Somebody works on the database that is to be replaced; `connections` says how many do."""

    default = "in-use"


class MissingTool(StorageError):
    """A program that comes with PostgreSQL is not installed here; `tool`."""

    default = "missing-tool"


class ToolFailed(StorageError):
    """A program that comes with PostgreSQL could not do its work; `tool`, `reason`."""

    default = "tool-failed"


def copy_suffix(address: str | Path) -> str:
    """Return how the name of a copy ends: .db for a copy of an SQLite file, .dump for one of PostgreSQL."""
    return ".db" if _is_file(read_url(address)) else ".dump"


async def copy_database(address: str | Path, target: Path) -> Path:
    """Copy a database as it is at one moment, also while it is in use, and return the copy.

    SQLite: a database that was checked and can be opened as it is. PostgreSQL: an archive for pg_restore. The target
    appears when it is whole. Raises the Unavailable errors, MissingTool and ToolFailed.
    """
    url = read_url(address)
    part = target.with_name(target.name + _PART)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        if _is_file(url):
            await asyncio.to_thread(_copy_file, Path(url.database or ""), part)
        else:
            await _tool("pg_dump", url, "--format=custom", "--no-owner", "--no-privileges", "--file", str(part))
        await asyncio.to_thread(_settle, part, target)
    except OSError as error:
        raise _of_the_system(error, target) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return target


async def restore_database(address: str | Path, source: Path, aside: Path) -> Path | None:
    """Put a copy in place of a database that nobody uses; what was there is copied to `aside` first.

    Returns that copy, None if there was nothing. Raises InUse, BrokenDatabase for a copy that is none, the Unavailable
    errors, MissingTool and ToolFailed; the database is then as it was.
    """
    url = read_url(address)
    if not await asyncio.to_thread(source.is_file):
        raise BrokenDatabase(reason="no-file", path=str(source))
    if _is_file(url):
        return await asyncio.to_thread(_replace_file, Path(url.database or ""), source, aside)
    return await _replace_schema(url, source, aside)


async def faults(address: str | Path) -> list[str]:
    """Return what SQLite finds wrong with its own file, in its words; PostgreSQL looks after itself."""
    url = read_url(address)
    return await asyncio.to_thread(_faults, Path(url.database or "")) if _is_file(url) else []


def _is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _copy_file(path: Path, part: Path) -> None:
    if not path.is_file():
        raise BrokenDatabase(reason="no-file", path=str(path))
    with explained(sqlite3.Error, path=str(path)):
        with closing(_opened(path)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
            # A copy is one file: nothing beside it that could be left behind.
            target.execute("PRAGMA journal_mode = DELETE").fetchall()
        found = _faults(part)
    if found:
        raise BrokenDatabase(reason=found[0], path=str(path))


def _opened(path: Path) -> sqlite3.Connection:
    """Return a connection that only reads: a copy never makes or changes what it copies."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _faults(path: Path) -> list[str]:
    with explained(sqlite3.Error, path=str(path)), closing(_opened(path)) as connection:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        strays = {row[0] for row in connection.execute("PRAGMA foreign_key_check")}
        return found + [f"foreign keys: {table}" for table in sorted(strays)]


def _settle(part: Path, target: Path) -> None:
    """Give a whole copy its name once it is safely on the disk."""
    for path in (part, target.parent):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if path == part:
            part.replace(target)


def _replace_file(path: Path, source: Path, aside: Path) -> Path | None:
    _see_that_it_is_ours(source)
    part = path.with_name(path.name + _PART)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        _copy_file(source, part)
        kept = None
        if path.exists():
            kept = _set_aside(path, aside)
        _settle(part, path)
    except OSError as error:
        raise _of_the_system(error, path) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    prepare_file(path, 0.0)
    return kept


def _set_aside(path: Path, aside: Path) -> Path:
    """Move a database away, with what belongs to it: even a damaged one may be wanted again."""
    aside.parent.mkdir(parents=True, exist_ok=True)
    for ending in ("-wal", "-shm", ""):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(aside.with_name(aside.name + ending))
    return aside


def _see_that_it_is_ours(source: Path) -> None:
    found = _faults(source)
    if found:
        raise BrokenDatabase(reason=found[0], path=str(source))
    with explained(sqlite3.Error, path=str(source)), closing(_opened(source)) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"alembic_version", "games", "events"} <= tables:
            raise BrokenDatabase(reason="not-ours", path=str(source))


async def _replace_schema(url: URL, source: Path, aside: Path) -> Path | None:
    # Looked into before anything is touched: a file that is no archive of ours changes nothing.
    listing = await _tool("pg_restore", None, "--list", str(source))
    if "TABLE DATA public alembic_version" not in listing or "TABLE DATA public games" not in listing:
        raise BrokenDatabase(reason="not-ours", path=str(source))
    engine = postgres_engine(url, _PATIENCE, poolclass=NullPool)
    with explained(SQLAlchemyError, OSError):
        async with engine.connect() as connection:
            others = (await connection.execute(text(_OTHERS))).scalar_one()
            tables = await connection.run_sync(lambda sync: set(inspect(sync).get_table_names()) & set(metadata.tables))
        await engine.dispose()
    if others:
        raise InUse(connections=others)
    kept = await copy_database(url.render_as_string(hide_password=False), aside) if tables else None
    arguments = ("--clean", "--if-exists", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error")
    await _tool("pg_restore", url, *arguments, "--dbname", url.database or "", str(source))
    return kept


async def _tool(tool: str, url: URL | None, *arguments: str) -> str:
    """Run a program of PostgreSQL's and return what it printed; the password goes by its environment alone."""
    try:
        process = await asyncio.create_subprocess_exec(
            tool,
            *arguments,
            env=os.environ | (_surroundings(url) if url is not None else {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except FileNotFoundError as error:
        raise MissingTool(tool=tool) from error
    out, complaint = await process.communicate()
    if process.returncode:
        lines = complaint.decode("utf-8", "replace").strip().splitlines()
        raise ToolFailed(tool=tool, reason=lines[0] if lines else str(process.returncode))
    return out.decode("utf-8", "replace")


def _surroundings(url: URL) -> dict[str, str]:
    query = {name: value if isinstance(value, str) else value[0] for name, value in url.query.items()}
    known = {
        "PGHOST": url.host or query.get("host"),
        "PGPORT": str(url.port) if url.port else query.get("port"),
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        "PGSSLMODE": query.get("ssl"),
    }
    return {name: str(value) for name, value in known.items() if value}


def _of_the_system(error: OSError, path: Path) -> Unavailable:
    ours = translated(error) if not error.errno else None
    if isinstance(ours, Unavailable):
        return ours
    kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else Unwritable
    return kind(path=str(path), reason=error.strerror or str(error))


def fresh_name(folder: Path, label: str, address: str | Path) -> Path:
    """Return a name for a copy in a folder that says what it is and when it was made."""
    return folder / f"tavoliere-{label}{utc_now():%Y%m%d-%H%M%S}{copy_suffix(address)}"
