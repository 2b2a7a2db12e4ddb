"""Finding and repairing unreadable values in all tables of an SQLite file.

PostgreSQL accepts no text that it cannot decode, no invalid time and no invalid JSON.
"""

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Boolean, Column, Integer, LargeBinary, Table

from storage.addresses import database_file
from storage.columns import Count, DateText, Figure, JsonText, Utc
from storage.errors import translate_file_errors
from storage.schema import metadata

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
"""Columns that only the events of the game or competition could restore; until then the row is set aside."""
_DISPOSABLE_TABLES: Final = frozenset(
    {"key_values", "pulses", "link_codes", "form_drafts", "analyses", "lessons", "processed_events"}
)
"""Tables whose rows may be deleted: the program, or the person concerned, creates another one."""
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
        """True if only the events of a game or competition could restore the value."""
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
    with (
        translate_file_errors(path),
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection,
    ):
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
                key = ", ".join(map(_format_value, values[: len(keys)]))
                yield Damage(table.name, key, column.name, row)


def _can_be_read(column: Column[Any], value: Any) -> bool:
    """Return whether a value is one of its column; a text is given as its bytes."""
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
    table = metadata.tables[damage.table]
    column = table.columns[damage.column]
    where = f'"{damage.table}" WHERE rowid = ?'
    if column.foreign_keys and isinstance(column.type, Integer) and not column.nullable:
        return _remove(connection, damage)
    if damage.table in _DISPOSABLE_TABLES and not column.nullable and not isinstance(column.type, Utc):
        return _remove(connection, damage)
    (value,) = connection.execute(f'SELECT "{damage.column}" FROM {where}', (damage.row,)).fetchone() or ("",)  # noqa: S608
    changed = f'UPDATE "{damage.table}" SET "{damage.column}" = ? WHERE rowid = ?'  # noqa: S608
    try:
        if damage.table == "rooms":
            return _restore_rooms(connection, damage)
        connection.execute(changed, (_choose_replacement(connection, damage, column, value, at), damage.row))
    except sqlite3.IntegrityError:
        # The repaired key exists already, or the row that it refers to does not.
        return _remove(connection, damage)
    if damage.table == "posts":
        # Shown again, with a new message if the id of the old one is lost.
        again = ", announced = NULL" if damage.column == "message" else ""
        due = f"UPDATE posts SET due_at = ?{again} WHERE rowid = ? AND NOT gone AND NOT waiting"  # noqa: S608
        connection.execute(due, (_to_stored_time(at), damage.row))
    if damage.table == "places" and damage.column in ("platform", "channel", "thread"):
        # The place does not exist, so nothing can be shown there.
        gone = "UPDATE posts SET gone = 1, due_at = NULL WHERE place = ?"
        connection.execute(gone, (damage.row,))
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


def _restore_rooms(connection: sqlite3.Connection, damage: Damage) -> str:
    """Restore the list of rooms from their messages, and drop rooms with unreadable names."""
    connection.execute("DELETE FROM rooms WHERE rowid = ?", (damage.row,))
    connection.execute(
        "INSERT INTO rooms (name, change) SELECT room, max(change) FROM room_messages"
        " WHERE room NOT IN (SELECT name FROM rooms) GROUP BY room"
    )
    return "mended"


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
            return value  # as it is now, with U+FFFD for what cannot be decoded
        return None if column.nullable else "[]" if column.type.kind is list else "{}"
    if isinstance(column.type, (Count, Figure, DateText)):
        return column.type.if_unreadable
    return None if (damage.table, damage.column) == ("posts", "message") else str(value)


def _to_stored_time(at: datetime) -> str:
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
