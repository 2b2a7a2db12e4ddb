"""What goes wrong around a database, brought about by SQLite's own means."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine, event

from storage.sqlite import Cursor

NO_LIMIT = 1 << 30


class Disk:
    """A disk that may be full: then no database may grow."""

    has_room = False


@contextmanager
def full_disk() -> Iterator[Disk]:
    """Have all SQLite databases be on a full disk until it has room."""
    disk = Disk()
    run = Cursor.run

    def limited(cursor: Cursor, connection: sqlite3.Connection, *statement: Any) -> None:
        # Less than there is means: not more than there is.
        connection.execute(f"PRAGMA max_page_count = {NO_LIMIT if disk.has_room else 1}").close()
        run(cursor, connection, *statement)

    with patch.object(Cursor, "run", limited):
        yield disk


@contextmanager
def with_pragma(pragma: str) -> Iterator[None]:
    """Have every new connection be told something by SQLite's own means: to write nothing, or no more than so much."""

    def tell(connection: sqlite3.Connection, _: object) -> None:
        connection.cursor().execute(f"PRAGMA {pragma}")

    event.listen(Engine, "connect", tell)
    try:
        yield
    finally:
        event.remove(Engine, "connect", tell)
