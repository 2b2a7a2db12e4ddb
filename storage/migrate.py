"""Bring a database to the schema of this program before anything else touches it."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from storage.database import explained, sqlite_engine
from storage.errors import BrokenDatabase, NewerDatabase, translated
from storage.rows import utc_now
from storage.schema import metadata, to_json

STEPS: Final = Path(__file__).parent / "migrations"
_LEFTOVER: Final = "_alembic_tmp_"
_LOCK: Final = 0x7A0011E2
"""The number of the advisory lock by which processes starting together wait for each other (PostgreSQL)."""


async def migrate(url: URL, patience: float, steps: Sequence[Path] = ()) -> Path | None:
    """Bring the database to the newest schema; return the backup made before, if there was anything to back up.

    `steps` are directories of further steps after the program's own. Raises Unavailable errors; the database is
    then as it was.
    """
    config = configuration(steps)
    script = ScriptDirectory.from_config(config)
    engine = _engine(url, patience)
    try:
        with explained(SQLAlchemyError, OSError):
            async with engine.connect() as connection:
                found = await connection.run_sync(_version, script)
            if found == script.get_current_head():
                return None
            backup = None
            if found is not None and url.get_backend_name() == "sqlite":
                backup = await asyncio.to_thread(back_up, Path(url.database or ""), found)
            async with engine.begin() as connection:
                await connection.run_sync(_upgrade, config, script)
            return backup
    finally:
        await engine.dispose()


def configuration(steps: Iterable[Path] = ()) -> Config:
    """Return Alembic's settings for the program's own steps and further directories of them."""
    config = Config()
    config.set_main_option("path_separator", "newline")
    config.set_main_option("script_location", _escaped(STEPS))
    config.set_main_option("version_locations", "\n".join(_escaped(path) for path in (STEPS / "versions", *steps)))
    config.set_main_option("file_template", "v%%(rev)s_%%(slug)s")
    return config


def back_up(path: Path, version: str) -> Path:
    """Copy an SQLite database beside itself, also while it is in use, and return the copy; Unavailable errors."""
    copy = path.with_name(f"{path.name}.before-migration-{utc_now():%Y%m%d-%H%M%S-%f}-from-{version}")
    part = copy.with_name(copy.name + ".part")
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
        _flush(part)
        part.rename(copy)
    except (sqlite3.Error, OSError) as error:
        part.unlink(missing_ok=True)
        raise translated(error) or error from error
    return copy


def _escaped(path: Path) -> str:
    return str(path).replace("%", "%%")


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _engine(url: URL, patience: float) -> AsyncEngine:
    if url.get_backend_name() == "sqlite":
        # With foreign keys on, replacing a table by its altered copy would delete what refers to it; they can only
        # be switched before the transaction begins.
        return sqlite_engine(url, patience, "BEGIN IMMEDIATE", foreign_keys=False)
    return create_async_engine(url, json_serializer=to_json, poolclass=NullPool, connect_args={"timeout": patience})


def _version(connection: Connection, script: ScriptDirectory) -> str | None:
    """Return the schema version, None for an empty database; NewerDatabase, BrokenDatabase."""
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None:
        strangers = sorted(set(inspect(connection).get_table_names()) & set(metadata.tables))
        if strangers:
            raise BrokenDatabase(reason="not-ours", tables=strangers)
    elif found not in {step.revision for step in script.walk_revisions()}:
        raise NewerDatabase(found=found, known=script.get_current_head())
    return found


def _upgrade(connection: Connection, config: Config, script: ScriptDirectory) -> None:
    sqlite = connection.dialect.name == "sqlite"
    if not sqlite:
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
    if _version(connection, script) == script.get_current_head():
        return
    for name in inspect(connection).get_table_names():
        if name.startswith(_LEFTOVER):
            connection.exec_driver_sql(f'DROP TABLE "{name}"')
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    if sqlite:
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        if broken:
            raise BrokenDatabase(reason="foreign-keys", tables=sorted({row[0] for row in broken}))
