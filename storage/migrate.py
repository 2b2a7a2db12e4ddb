"""Migrating a database to the schema of this program before anything else uses it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.pool import NullPool

from storage.addresses import add_suffix, refuse_special_database
from storage.engines import copy_file, open_read_only, postgres_engine, publish_copy, sqlite_engine, unfinished_copy
from storage.errors import (
    BrokenDatabase,
    NewerDatabase,
    NoDatabase,
    OlderDatabase,
    translate_errors,
    translate_file_errors,
    translate_write_error,
)
from storage.rows import utc_now
from storage.schema import metadata

MIGRATIONS_FOLDER: Final = Path(__file__).parent / "migrations"
MAX_BACKUPS: Final = 3
"""Maximum number of backups from before migrations."""
_LEFTOVER_PREFIX: Final = "_alembic_tmp_"
_MIGRATION_TABLE_PREFIXES: Final = ("alembic_version", _LEFTOVER_PREFIX)
"""The prefixes of the tables that migrations create for themselves."""
_MIGRATION_LOCK: Final = 0x7A0011E2
"""The number of the advisory lock by which processes that start together wait for each other (PostgreSQL)."""


@cache
def read_own_steps() -> ScriptDirectory:
    """Return the program's own migrations; Alembic executes every file to find their order."""
    return ScriptDirectory.from_config(alembic_config())


async def migrate(url: URL, timeout_seconds: float, steps: Sequence[Path] = ()) -> Path | None:
    """Migrate the database to the newest schema; return the backup made before, None if it was empty.

    `steps` are folders of further migrations after the program's own. Raises Unavailable errors, which leave the
    database unchanged.
    """
    config = alembic_config(steps)
    script = ScriptDirectory.from_config(config) if steps else read_own_steps()
    with translate_errors(SQLAlchemyError, sqlite3.Error, OSError):
        # Checked first without a lock: usually there is nothing to do.
        async with _open_transaction(url, timeout_seconds, "BEGIN") as connection:
            if await connection.run_sync(_read_version, script) == script.get_current_head():
                return None
        async with _open_transaction(url, timeout_seconds, "BEGIN IMMEDIATE") as connection:
            await connection.run_sync(_lock)
            # Checked again: another process may have migrated while we waited.
            found = await connection.run_sync(_read_version, script)
            if found == script.get_current_head():
                return None
            backup = None
            if found is not None and url.get_backend_name() == "sqlite":
                backup = await asyncio.to_thread(back_up, Path(url.database or ""), found)
            await connection.run_sync(_upgrade, config)
        return backup


async def check_is_current(url: URL, timeout_seconds: float) -> None:
    """Check the schema of a database without changing it.

    Raises NoDatabase, OlderDatabase, SpecialFile and the other Unavailable errors.
    """
    if url.get_backend_name() == "sqlite":
        await asyncio.to_thread(_check_opens, Path(url.database or ""))
    script = read_own_steps()
    with translate_errors(SQLAlchemyError, sqlite3.Error, OSError):
        async with _open_transaction(url, timeout_seconds, "BEGIN") as connection:
            found = await connection.run_sync(_read_version, script)
    if found is None:
        raise NoDatabase(path=url.database)
    if found != script.get_current_head():
        raise OlderDatabase(found=found, known=script.get_current_head())


def _check_opens(path: Path) -> None:
    """Check that a file can be opened before any engine exists, because aiosqlite fails on one that it cannot open."""
    refuse_special_database(path)
    if not path.is_file():
        raise NoDatabase(path=str(path))
    with translate_file_errors(path), open_read_only(path) as connection:
        connection.execute("PRAGMA schema_version").fetchall()


def alembic_config(steps: Iterable[Path] = ()) -> Config:
    """Return Alembic's configuration for the program's own migrations and further folders of them."""
    config = Config()
    config.set_main_option("path_separator", "newline")
    config.set_main_option("script_location", _escape_percent(MIGRATIONS_FOLDER))
    config.set_main_option(
        "version_locations", "\n".join(_escape_percent(path) for path in (MIGRATIONS_FOLDER / "versions", *steps))
    )
    config.set_main_option("file_template", "v%%(rev)s_%%(slug)s")
    return config


def back_up(path: Path, version: str) -> Path:
    """Copy an SQLite database to a backup in its folder, even while in use; return the path. Unavailable errors."""
    copy = add_suffix(path, f".before-migration-{utc_now():%Y%m%d-%H%M%S-%f}-from-{version}")
    part = add_suffix(path, ".before-migration.part")
    try:
        with translate_file_errors(path), unfinished_copy(part):
            copy_file(path, part)
            publish_copy(part, copy)
        # The names contain the times.
        for old in sorted(path.parent.glob(f"{path.name}.before-migration-*"))[:-MAX_BACKUPS]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise translate_write_error(error, copy) from error
    return copy


def _escape_percent(path: Path) -> str:
    return str(path).replace("%", "%%")


@asynccontextmanager
async def _open_transaction(url: URL, timeout_seconds: float, begin: str) -> AsyncIterator[AsyncConnection]:
    """Open a transaction on a separate engine."""
    if url.get_backend_name() == "sqlite":
        # With foreign keys on, replacing a table by its altered copy would delete the rows that refer to it; they can
        # only be switched before the transaction begins.
        reads_only = begin == "BEGIN"
        engine = sqlite_engine(url, timeout_seconds, reads_only=reads_only, foreign_keys=False, poolclass=NullPool)
    else:
        engine = postgres_engine(url, timeout_seconds, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            if connection.dialect.name == "sqlite":
                driver: Any = (await connection.get_raw_connection()).driver_connection
                driver.opening = begin
            yield connection
    finally:
        await engine.dispose()


def _read_version(connection: Connection, script: ScriptDirectory) -> str | None:
    """Return the schema version, None for an empty database; NewerDatabase, BrokenDatabase.

    A file with foreign tables belongs to another program; on a server our tables may share the database with others.
    """
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None:
        tables = {
            name for name in inspect(connection).get_table_names() if not name.startswith(_MIGRATION_TABLE_PREFIXES)
        }
        strangers = tables if connection.dialect.name == "sqlite" else tables & set(metadata.tables)
        if strangers:
            raise BrokenDatabase(reason="not-ours", tables=sorted(strangers))
    elif found not in {step.revision for step in script.walk_revisions()}:
        raise NewerDatabase(found=found, known=script.get_current_head())
    return found


def _lock(connection: Connection) -> None:
    """Let only one process migrate at a time; on SQLite the BEGIN of the transaction has the same effect."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATION_LOCK})


def _upgrade(connection: Connection, config: Config) -> None:
    for name in inspect(connection).get_table_names():
        if name.startswith(_LEFTOVER_PREFIX):
            connection.exec_driver_sql(f'DROP TABLE "{name}"')
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    if connection.dialect.name == "sqlite":
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        if broken:
            raise BrokenDatabase(reason="foreign-keys", tables=sorted({row[0] for row in broken}))
