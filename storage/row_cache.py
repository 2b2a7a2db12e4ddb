"""Games and people that were read, kept where this process is the only writer: on an SQLite file.

What was read stays true until this process changes it. A transaction names what it changes by key, and its commit puts
that right: a game gets its new row, anything else is dropped. Inside a transaction the database alone is asked. What is
read while anything changes is not kept. On a server, where others write too, nothing is.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from cachetools import LRUCache

from storage.schema import GameRow, Person

MAX_ROWS: Final = 8000
"""Maximum number of games and people kept: a game takes some 8 KB."""

Key = str | int
"""The id of a game, or that of a person."""
CachedRow = GameRow | Person


class RowCache:
    """The rows that are kept; none while `is_active` is False."""

    def __init__(self, *, is_active: bool = True) -> None:
        self.is_active = is_active
        self.changes = 0
        """How often something has changed: what was read before the last change is not kept."""
        self._rows: LRUCache[Key, CachedRow] = LRUCache(MAX_ROWS)

    def get_game(self, game: str) -> GameRow | None:
        """Return an unfinished game, None if it is not kept."""
        known = self._rows.get(game)
        return known if isinstance(known, GameRow) else None

    def get_people(self, ids: Iterable[int]) -> dict[int, Person]:
        """Return those of some people who are kept, by id."""
        return {person: known for person in ids if isinstance(known := self._rows.get(person), Person)}

    def keep(self, rows: Iterable[CachedRow], changes: int) -> None:
        """Keep rows as they were after so many changes, unless there were more; few read a game that is over."""
        if self.is_active and changes == self.changes:
            for row in rows:
                if isinstance(row, Person) or (row.status != "over" and not row.unread):
                    self._rows[row.id] = row

    def put_right(self, changed: Mapping[Key, CachedRow | None], *, everything: bool = False) -> None:
        """Keep the rows that a commit has stored, and drop those of which only the key is known, or `everything`."""
        if everything:
            self.clear()
        elif changed:
            self.changes += 1
            for key in changed:
                self._rows.pop(key, None)
            self.keep((row for row in changed.values() if row is not None), self.changes)

    def clear(self) -> None:
        """Drop everything."""
        self.changes += 1
        self._rows.clear()

    @property
    def contents(self) -> dict[Key, CachedRow]:
        """All rows by key, to be compared with the database."""
        return dict(self._rows)
