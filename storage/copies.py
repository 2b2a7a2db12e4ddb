"""Backups of a database, and the repair of unreadable values.

Backups are made while the program runs. Unreadable values are found and repaired in all tables of an SQLite file.

PostgreSQL has none: it refuses text that it cannot decode, invalid times and invalid JSON.
"""

import asyncio
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any, Final

from sqlalchemy import URL, Boolean, Column, Connection, Integer, LargeBinary, Table, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from storage.addresses import (
    add_suffix,
    database_file,
    list_files,
    read_url,
    refuse_special_database,
    refuse_special_files,
)
from storage.columns import Count, DateText, Figure, JsonText, Utc
from storage.engines import copy_file, open_read_only, postgres_engine, prepare_file, publish_copy, unfinished_copy
from storage.errors import (
    BrokenDatabase,
    NoDatabase,
    StorageError,
    is_disk_full,
    translate_errors,
    translate_file_errors,
    translate_write_error,
)
from storage.migrate import read_own_steps
from storage.rows import utc_now
from storage.schema import metadata
from storage.sqlite import decode_leniently

_MAX_ERROR_LINES: Final = 4
_PREFIX_PATTERN: Final = re.compile(r"^\w+:(?:\S+:\d+:)? (?:(?:error|fatal|detail|hint|warning): +)?", re.IGNORECASE)


class MissingTool(StorageError):
    """A command-line tool of PostgreSQL is not installed; `tool`."""

    default = "missing-tool"


class ToolFailed(StorageError):
    """A command-line tool of PostgreSQL failed; `tool`, `reason`."""

    default = "tool-failed"


async def run_tool(tool: str, url: URL | None, *arguments: str) -> str:
    """Run a tool of PostgreSQL and return its output; the password is passed by the environment only.

    Raises MissingTool and ToolFailed.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            tool,
            *arguments,
            env=os.environ | (_build_environment(url) if url is not None else {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (FileNotFoundError, PermissionError) as error:
        raise MissingTool(tool=tool) from error
    out, complaint = await process.communicate()
    if process.returncode:
        reason = _extract_reason(complaint.decode("utf-8", "replace")) or str(process.returncode)
        raise ToolFailed(tool=tool, reason=reason)
    return out.decode("utf-8", "replace")


def _extract_reason(complaint: str) -> str:
    """Return a tool's error in one line; for a version mismatch, the second line, which names both versions."""
    # The failed statement follows, which may be very long.
    message = complaint.partition("Command was:")[0]
    lines = [_PREFIX_PATTERN.sub("", line.strip()).rstrip(".") for line in message.splitlines() if line.strip()]
    return "; ".join(lines[:_MAX_ERROR_LINES])


def _build_environment(url: URL) -> dict[str, str]:
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


_PART_SUFFIX: Final = ".part"
_LOCK_TIMEOUT_SECONDS: Final = 10.0
FOREIGN_KEY_FAULT: Final = "foreign keys"
"""The prefix of a fault about rows that refer to missing rows."""
_OTHER_SESSIONS_SQL: Final = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
"""Count the sessions of other clients, without the server's own workers such as autovacuum."""
_SESSION_END_TIMEOUT_SECONDS: Final = 2.0
"""Seconds that the server gets to end the sessions of a program that has just stopped."""
_SESSION_POLL_SECONDS: Final = 0.1
_REQUIRED_TABLES: Final = frozenset({"alembic_version", "games", "events"})
_VERSION_PATTERN: Final = re.compile(r"^COPY public\.alembic_version .*;\n(\w+)$", re.MULTILINE)


class InUse(StorageError):
    """The database to be replaced is in use; `connections` is the number of users."""

    default = "in-use"


class BadCopy(StorageError):
    """The backup to be restored is missing, unreadable, damaged, foreign or newer; `path`, perhaps `reason`."""

    default = "copy-damaged"


class BadTarget(StorageError):
    """A backup cannot be written there: unwritable, full, a folder, the database itself; `path`, perhaps `reason`."""

    default = "target-unwritable"


def backup_file_name(folder: Path, label: str, address: str | Path) -> Path:
    """Return the path of a new backup in a folder: its name has the label, the database and the current time."""
    suffix = ".dump" if database_file(address) is None else ".db"
    return folder / f"tavoliere-{label}{utc_now():%Y%m%d-%H%M%S}{suffix}"


async def copy_database(address: str | Path, target: Path, *, spared: Sequence[Path] = ()) -> Path:
    """Write a consistent copy of a database, also while it is in use, and return its path.

    SQLite: a checked database file. PostgreSQL: an archive for pg_restore. The target appears once it is complete; it
    may be none of the files in `spared`, nor one of the database's files. Raises BadTarget, SpecialFile, the
    Unavailable errors, MissingTool and ToolFailed.
    """
    url, file = read_url(address), database_file(address)
    refuse_special_files(target)
    if file is not None:
        refuse_special_database(file)
        # Checked before the folder is created, which may be a mistyped path.
        if not file.is_file():
            raise NoDatabase(path=str(file))
    try:
        own = () if file is None else (*list_files(file), *list_files(file.resolve()))
        part = _get_part_path(target, [*spared, *own])
        with unfinished_copy(part):
            if file is not None:
                await asyncio.to_thread(_copy_database_file, file, part)
            else:
                await run_tool("pg_dump", url, "--format=custom", "--no-owner", "--no-privileges", "--file", str(part))
            await asyncio.to_thread(publish_copy, part, target)
    except OSError as error:
        raise _make_bad_target(error, target) from error
    return target


async def restore_database(address: str | Path, source: Path, aside: Path) -> Path | None:
    """Replace an unused database by a copy; the previous database is kept as `aside`.

    Returns the path of the previous database, None if there was none. Raises BadCopy, InUse, BadTarget for `aside`,
    SpecialFile, the Unavailable errors, MissingTool and ToolFailed; an error leaves the database unchanged.
    """
    url, file = read_url(address), database_file(address)
    refuse_special_files(source)
    if file is not None:
        refuse_special_database(file)
        # The log files are in the folder of the file, not in that of a link to it.
        return await asyncio.to_thread(_replace_file, file.resolve(), source, aside)
    return await _replace_schema(url, source, aside)


async def find_faults(address: str | Path) -> list[str]:
    """Return the faults that SQLite finds in its file, in its words; none for PostgreSQL, which does not need it."""
    file = database_file(address)
    return [] if file is None else await asyncio.to_thread(_find_database_faults, file)


def _get_part_path(target: Path, spared: Sequence[Path]) -> Path:
    """Return the temporary path of an unfinished copy; BadTarget if it or the target may not be overwritten."""
    if target.is_dir():
        raise BadTarget("target-folder", path=str(target))
    part = add_suffix(target, _PART_SUFFIX)
    for path in (target, part):
        if any(_is_same_file(path, file) for file in spared):
            raise BadTarget("target-database", path=str(path))
    return part


def _is_same_file(one: Path, other: Path) -> bool:
    """Return whether two paths refer to the same file, also by links, whether it exists or not."""
    return one.resolve() == other.resolve() or (one.exists() and other.exists() and one.samefile(other))


def _copy_database_file(path: Path, part: Path) -> None:
    with translate_file_errors(path):
        copy_file(path, part)
    found = _find_database_faults(part)
    if found:
        raise BrokenDatabase(reason=found[0], path=str(path))


def _find_database_faults(path: Path) -> list[str]:
    with translate_file_errors(path), open_read_only(path) as connection:
        return _find_faults(connection)


def _find_faults(connection: sqlite3.Connection) -> list[str]:
    # The names of tables may be damaged as well.
    connection.text_factory = decode_leniently
    messages = (str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok")
    # An entry may have many lines: the first line of the first entry is enough.
    found = [line for each in messages for line in each.splitlines()[:2] if not line.startswith("***")]
    strays = {row[0] for row in connection.execute("PRAGMA foreign_key_check")}
    return found + [f"{FOREIGN_KEY_FAULT}: {table}" for table in sorted(strays)]


def _replace_file(path: Path, source: Path, aside: Path) -> Path | None:
    _check_copy(source)
    part = add_suffix(path, _PART_SUFFIX)
    if _is_same_file(part, source):
        part = add_suffix(part, _PART_SUFFIX)
    try:
        with unfinished_copy(part):
            with _attribute_errors_to(source):
                copy_file(source, part)
            previous = _set_aside(path, aside)
            try:
                publish_copy(part, path)
            except OSError:
                if previous:
                    _move(aside, path)
                raise
    except OSError as error:
        raise translate_write_error(error, path) from error
    prepare_file(path, 0.0)
    return aside if aside.exists() else None


def _set_aside(path: Path, aside: Path) -> bool:
    """Move a database away, even a damaged one, which may still be needed; return whether there was one."""
    try:
        aside.parent.mkdir(parents=True, exist_ok=True)
        return _move(path, aside)
    except OSError as error:
        raise _make_bad_target(error, aside) from error


def _move(database: Path, to: Path) -> bool:
    """Move a database with all its files, or none; return whether there was one."""
    moved: list[tuple[Path, Path]] = []
    try:
        for file, there in zip(list_files(database), list_files(to), strict=True):
            if file.exists():
                # The backup may be on another disk.
                shutil.move(file, there)
                moved.append((file, there))
    except OSError:
        for file, there in reversed(moved):
            with suppress(OSError):
                shutil.move(there, file)
        raise
    return bool(moved)


def _check_copy(source: Path) -> None:
    """Check that a file is a complete backup of our database, no newer than this program; BadCopy."""
    _see_that_it_opens(source)
    with _attribute_errors_to(source), open_read_only(source) as connection:
        found = _find_faults(connection)
        if found:
            raise BadCopy(path=str(source), reason=found[0])
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        rows = (
            connection.execute("SELECT version_num FROM alembic_version").fetchall()
            if tables >= _REQUIRED_TABLES
            else []
        )
    _see_that_it_is_known(source, str(rows[0][0]) if rows else None)


def _see_that_it_opens(source: Path) -> None:
    try:
        with source.open("rb"):
            pass
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BadCopy("copy-missing", path=str(source)) from error
    except OSError as error:
        raise BadCopy("copy-unreadable", path=str(source), reason=error.strerror or str(error)) from error


def _see_that_it_is_known(source: Path, version: str | None) -> None:
    if version is None:
        raise BadCopy("copy-foreign", path=str(source))
    if version not in {step.revision for step in read_own_steps().walk_revisions()}:
        raise BadCopy("copy-newer", path=str(source), found=version)


@contextmanager
def _attribute_errors_to(source: Path) -> Iterator[None]:
    """Raise SQLite's errors while reading a copy as errors of the copy, not of the database."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        codes = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
        damaged = isinstance(error, UnicodeDecodeError) or getattr(error, "sqlite_errorcode", 0) & 0xFF in codes
        code = "copy-damaged" if damaged else "copy-unreadable"
        raise BadCopy(code, path=str(source), reason=str(error)) from error


def _make_bad_target(error: OSError, target: Path) -> BadTarget:
    code = "target-full" if is_disk_full(error) else "target-unwritable"
    return BadTarget(code, path=str(target), reason=error.strerror or str(error))


async def _replace_schema(url: URL, source: Path, aside: Path) -> Path | None:
    script = add_suffix(aside, ".sql" + _PART_SUFFIX)
    try:
        await asyncio.to_thread(aside.parent.mkdir, parents=True, exist_ok=True)
        await _write_script(source, script)
        tables = await _list_unused_tables(url)
        previous = await copy_database(url.render_as_string(hide_password=False), aside) if tables else None
        # All existing tables are dropped, including those missing in the copy, at which pg_restore would stop.
        names = ", ".join(f'public."{name}"' for name in sorted(tables))
        drop = f"SET client_min_messages = warning; DROP TABLE IF EXISTS {names} CASCADE" if tables else "SELECT 1"
        safely = ("--no-psqlrc", "--quiet", "--no-password", "--single-transaction", "--set", "ON_ERROR_STOP=1")
        await run_tool("psql", url, *safely, "--command", drop, "--file", str(script))
    except OSError as error:
        raise _make_bad_target(error, aside) from error
    finally:
        with suppress(OSError):
            script.unlink(missing_ok=True)
    return previous


async def _write_script(source: Path, script: Path) -> None:
    """Write the SQL script of an archive of ours that is no newer than this program; BadCopy, MissingTool."""
    await asyncio.to_thread(_see_that_it_opens, source)
    archive = str(Path.cwd() / source)
    table = ("--data-only", "--table=alembic_version", "--file", "-")
    whole = ("--clean", "--if-exists", "--no-owner", "--no-privileges", "--file", str(script))
    try:
        listing = await run_tool("pg_restore", None, "--list", archive)
        version = _VERSION_PATTERN.search(await run_tool("pg_restore", None, *table, archive))
        ours = "TABLE DATA public alembic_version" in listing and "TABLE DATA public games" in listing
        _see_that_it_is_known(source, version[1] if version and ours else None)
        # The list of contents is at the beginning: only reading everything shows a truncated file.
        await run_tool("pg_restore", None, *whole, archive)
    except ToolFailed as error:
        raise BadCopy("copy-unreadable", path=str(source), reason=error.params["reason"]) from error


async def _list_unused_tables(url: URL) -> set[str]:
    """Return the tables of an unused database of ours, with all tables that refer to them; InUse."""
    engine = postgres_engine(url, _LOCK_TIMEOUT_SECONDS, poolclass=NullPool)
    deadline = monotonic() + _SESSION_END_TIMEOUT_SECONDS
    with translate_errors(SQLAlchemyError, OSError):
        while True:
            # Inside a transaction the server would keep showing the sessions at its start.
            async with engine.connect() as connection:
                others = (await connection.execute(text(_OTHER_SESSIONS_SQL))).scalar_one()
                tables = await connection.run_sync(_list_own_tables)
            if not others or monotonic() > deadline:
                break
            await asyncio.sleep(_SESSION_POLL_SECONDS)
        await engine.dispose()
    if others:
        raise InUse(connections=others)
    return tables


def _list_own_tables(connection: Connection) -> set[str]:
    inspector = inspect(connection)
    names = set(inspector.get_table_names())
    keys = {name: {key["referred_table"] for key in inspector.get_foreign_keys(name)} for name in names}
    ours = names & {*metadata.tables, "alembic_version"}
    # A newer program may have tables that this one does not know.
    while more := {name for name in names - ours if keys[name] & ours}:
        ours |= more
    return ours


_GAME_COLUMNS: Final = {
    "games": {
        "id", "game", "status", "options", "seed", "seed_hash", "position", "last_turn", "terms", "offers", "outcome",
        "revision", "turn", "seat_count", "rules_version", "place", "starter",
    },
    "seats": {"game", "number", "seat", "state", "computer", "joined_by"},
    "events": {"game", "number", "kind", "data", "cause"},
    "competitions": {"id", "status", "game_key", "seed", "seed_hash", "revision", "place", "maker"},
    "competition_events": {"competition", "number", "kind", "data", "cause"},
    "competition_games": {"competition", "game", "slot"},
    "entrants": {"competition", "number", "joined_by"},
}  # fmt: skip
"""Columns that only the events of the game or competition can restore; until then the row is set aside."""
_DISPOSABLE_TABLES: Final = frozenset(
    {"key_values", "pulses", "link_codes", "form_drafts", "analyses", "lessons", "processed_events"}
)
"""Tables whose rows may be deleted, because the program, or the person concerned, creates new ones."""
_DUE_COLUMNS: Final = {(table, "due_at") for table in ("posts", "notices", "competitions")}


@dataclass(frozen=True, slots=True)
class Damage:
    """An unreadable value: the table, the `key` of the row, and the column."""

    table: str
    key: str
    column: str
    row: int

    @property
    def is_game_data(self) -> bool:
        """True if only the events of a game or competition can restore the value."""
        return self.column in _GAME_COLUMNS.get(self.table, ())


@dataclass(frozen=True, slots=True)
class Repair:
    """The result for a damaged row: "mended", "removed" (it is in the backup made before), or "left" unchanged."""

    damage: Damage
    outcome: str


async def find_damage(address: str | Path) -> list[Damage]:
    """Return all unreadable values in the order of the tables; the Unavailable errors."""
    file = database_file(address)
    return [] if file is None else await asyncio.to_thread(_find_damage, file)


async def repair_damage(address: str | Path, damaged: Sequence[Damage], at: datetime) -> list[Repair]:
    """Repair what can be repaired and remove disposable rows, in one transaction; the Unavailable errors."""
    file = database_file(address)
    return [] if file is None else await asyncio.to_thread(_repair_rows, file, damaged, at)


def _find_damage(path: Path) -> list[Damage]:
    with translate_file_errors(path), open_read_only(path) as connection:
        connection.text_factory = bytes
        return [damage for table in metadata.sorted_tables for damage in _find_damage_in_table(connection, table)]


def _find_damage_in_table(connection: sqlite3.Connection, table: Table) -> Iterator[Damage]:
    columns: list[Column[Any]] = [column for column in table.columns if not isinstance(column.type, LargeBinary)]
    keys = [column.name for column in table.primary_key.columns]
    names = ", ".join(f'"{name}"' for name in [*keys, *(column.name for column in columns)])
    if not columns:
        return
    for row, *values in connection.execute(f'SELECT rowid, {names} FROM "{table.name}"'):  # noqa: S608 - our own names
        for column, value in zip(columns, values[len(keys) :], strict=True):
            if value is not None and not _can_be_read(column, value):
                yield Damage(table.name, ", ".join(map(_format_value, values[: len(keys)])), column.name, row)


def _can_be_read(column: Column[Any], value: Any) -> bool:
    """Return whether a value is valid for its column; a text is given as bytes."""
    if isinstance(column.type, Boolean):
        return value in (0, 1)
    kind: Any = column.type
    try:
        return bool(kind.is_readable(value.decode() if isinstance(value, bytes) else value))
    except (ValueError, TypeError):
        return False


def _format_value(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _repair_rows(path: Path, damaged: Sequence[Damage], at: datetime) -> list[Repair]:
    with translate_file_errors(path), closing(sqlite3.connect(path)) as connection, connection:
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        connection.execute("PRAGMA foreign_keys = ON")
        return [Repair(damage, _repair_value(connection, damage, at)) for damage in damaged]


def _repair_value(connection: sqlite3.Connection, damage: Damage, at: datetime) -> str:
    """Repair one value and return the result."""
    if damage.is_game_data:
        return "left"
    column = metadata.tables[damage.table].columns[damage.column]
    is_lost_key = column.foreign_keys and isinstance(column.type, Integer)
    is_disposable = damage.table in _DISPOSABLE_TABLES and not isinstance(column.type, Utc)
    if not column.nullable and (is_lost_key or is_disposable):
        return _remove(connection, damage)
    where = f'"{damage.table}" WHERE rowid = ?'
    (value,) = connection.execute(f'SELECT "{damage.column}" FROM {where}', (damage.row,)).fetchone() or ("",)  # noqa: S608
    changed = f'UPDATE "{damage.table}" SET "{damage.column}" = ? WHERE rowid = ?'  # noqa: S608
    try:
        if damage.table == "rooms":
            # Their messages say which rooms there are; one with an unreadable name is dropped.
            connection.execute("DELETE FROM rooms WHERE rowid = ?", (damage.row,))
            connection.execute(
                "INSERT INTO rooms (name, change) SELECT room, max(change) FROM room_messages"
                " WHERE room NOT IN (SELECT name FROM rooms) GROUP BY room"
            )
            return "mended"
        connection.execute(changed, (_choose_replacement(connection, damage, column, value, at), damage.row))
    except sqlite3.IntegrityError:
        # The repaired key exists already, or refers to a row that does not exist.
        return _remove(connection, damage)
    if damage.table == "posts":
        # Show it again, with a new message if the id of the old one is lost.
        again = ", announced = NULL" if damage.column == "message" else ""
        due = f"UPDATE posts SET due_at = ?{again} WHERE rowid = ? AND NOT gone AND NOT waiting"  # noqa: S608
        connection.execute(due, (_to_stored_time(at), damage.row))
    if damage.table == "places" and damage.column in ("platform", "channel", "thread"):
        # The place does not exist, so nothing can be shown in it.
        connection.execute("UPDATE posts SET gone = 1, due_at = NULL WHERE place = ?", (damage.row,))
    return "mended"


def _remove(connection: sqlite3.Connection, damage: Damage) -> str:
    """Delete a disposable row."""
    try:
        if damage.table == "room_messages":
            connection.execute("DELETE FROM room_pictures WHERE message = ?", (damage.row,))
        connection.execute(f'DELETE FROM "{damage.table}" WHERE rowid = ?', (damage.row,))  # noqa: S608 - our own names
    except sqlite3.IntegrityError:
        return "left"
    return "removed"


def _choose_replacement(
    connection: sqlite3.Connection, damage: Damage, column: Column[Any], value: object, at: datetime
) -> object:
    """Return the replacement for an unreadable value."""
    if (damage.table, damage.column) == ("games", "created_at"):
        first = "SELECT min(events.at) FROM events JOIN games ON games.id = events.game WHERE games.rowid = ?"
        (begun,) = connection.execute(first, (damage.row,)).fetchone()
        return begun if begun is not None else _to_stored_time(at)
    if isinstance(column.type, Utc):
        at_once = not column.nullable or (damage.table, damage.column) in _DUE_COLUMNS
        return _to_stored_time(at) if at_once else None
    if isinstance(column.type, (Boolean, Integer)):
        return None if column.nullable else 0
    if isinstance(column.type, JsonText):
        if _can_be_read(column, str(value).encode()):
            return value  # unchanged, except for U+FFFD in place of undecodable bytes
        return None if column.nullable else "[]" if column.type.kind is list else "{}"
    if isinstance(column.type, (Count, Figure, DateText)):
        return column.type.if_unreadable
    return None if (damage.table, damage.column) == ("posts", "message") else str(value)


def _to_stored_time(at: datetime) -> str:
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
