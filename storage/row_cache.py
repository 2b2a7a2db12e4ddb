"""Games and people that were read, kept where this process is the only writer: on an SQLite file.

What was read stays true until this process changes it. A transaction names what it changes by key, and its commit puts
that right: a game gets its new row, anything else is dropped. Inside a transaction the database alone is asked. What a
commit changes while it is being read is not kept. On a server, where others write too, nothing is.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from cachetools import LRUCache

from storage.schema import GameRow, Person

MAX_ROWS: Final = 8000
"""Maximum number of games and people kept: a game takes some 8 KB."""

Key = str | int
"""The id of a game, or that of a person."""
CachedRow = GameRow | Person


class Reading:
    """A read under way: what changes meanwhile is not kept."""

    def __init__(self, cache: "RowCache") -> None:
        self._cache = cache
        self.changed: set[Key] = set()
        self.all_changed = not cache.is_active

    def keep(self, rows: Iterable[CachedRow]) -> None:
        """Keep rows that were read, but for those that have changed meanwhile."""
        if not self.all_changed:
            self._cache.keep(row for row in rows if row.id not in self.changed)


class RowCache:
    """The rows that are kept; none while `is_active` is False."""

    def __init__(self, *, is_active: bool = True) -> None:
        self.is_active = is_active
        self._rows: LRUCache[Key, CachedRow] = LRUCache(MAX_ROWS)
        self._readings: list[Reading] = []

    def get_game(self, game: str) -> GameRow | None:
        """Return an unfinished game, None if it is not kept."""
        known = self._rows.get(game)
        return known if isinstance(known, GameRow) else None

    def get_people(self, ids: Iterable[int]) -> dict[int, Person]:
        """Return those of some people who are kept, by id."""
        return {person: known for person in ids if isinstance(known := self._rows.get(person), Person)}

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """Note what changes inside, where rows are read that are to be kept."""
        reading = Reading(self)
        self._readings.append(reading)
        try:
            yield reading
        finally:
            self._readings.remove(reading)

    def keep(self, rows: Iterable[CachedRow]) -> None:
        """Keep rows that are as stored; a game that is over is not read often enough."""
        for row in rows:
            if isinstance(row, Person) or (row.status != "over" and not row.unread):
                self._rows[row.id] = row

    def put_right(self, changed: Mapping[Key, CachedRow | None]) -> None:
        """Keep the rows that a commit has stored, and drop those of which only the key is known."""
        for reading in self._readings:
            reading.changed.update(changed)
        for key in changed:
            self._rows.pop(key, None)
        if self.is_active:
            self.keep(row for row in changed.values() if row is not None)

    def clear(self) -> None:
        """Drop everything."""
        for reading in self._readings:
            reading.all_changed = True
        self._rows.clear()

    @property
    def contents(self) -> dict[Key, CachedRow]:
        """All rows by key, to be compared with the database."""
        return dict(self._rows)
