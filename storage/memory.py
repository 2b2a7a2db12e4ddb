"""The cache of rarely changing rows: invalidated by change notifications, and never trusted for a write.

Every entry comes from the database and is dropped when it changes: by this process's own commits, by PostgreSQL's
notifications of other processes, and completely when notifications may have been missed.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, NamedTuple

from cachetools import LRUCache

from storage.rows import GameRow, Identity, Json, Person, RequestSource

CACHE_BYTES: Final = 32 * 1024 * 1024
"""Maximum bytes of cached positions: some five thousand of them."""
CACHE_ROWS: Final = 20_000
"""Maximum number of cached people, and of each other kind of entry."""

_ROW_BYTES: Final = 3_000
"""Estimated bytes of a cached row without its JSON."""
_BYTES_OF_A_VALUE: Final = 90
"""Estimated bytes of a JSON value with its key, measured over the positions of all games."""

ArrivalKey = tuple[str | bool | None, ...]
"""Everything that a platform says about the author and the place of an event."""


class Generation(NamedTuple):
    """Counters of the changes of games, and of people and places."""

    tables: int = 0
    people: int = 0


class _Known(NamedTuple):
    arrival: RequestSource
    seen_at: datetime


class RowCache:
    """The cached rows of games and people; empty and inactive while `is_current` is False.

    `generation` changes whenever something read before may be out of date.
    """

    def __init__(self, cache_bytes: int = CACHE_BYTES, cache_rows: int = CACHE_ROWS) -> None:
        self.is_current = True
        self.generation = Generation()
        """Changes with every update: rows read before the update are not cached."""
        self.breaks = 0
        """Changes with every change of games that was not a commit of this process."""
        self._tables: LRUCache[str, GameRow] = LRUCache(cache_bytes, estimate_bytes)
        self._people: LRUCache[int, Person] = LRUCache(cache_rows)
        self._identities: LRUCache[int, tuple[Identity, ...]] = LRUCache(cache_rows)
        self._members: LRUCache[tuple[int, int], bool] = LRUCache(cache_rows)
        self._arrivals: LRUCache[ArrivalKey, _Known] = LRUCache(cache_rows)

    def table(self, game: str) -> GameRow | None:
        """Return the cached row of an unfinished game, None if it is not cached."""
        return self._tables.get(game)

    def keep_table(self, row: GameRow, generation: Generation) -> None:
        """Cache the row of a game that was read in a generation."""
        if self.is_current and generation.tables == self.generation.tables and row.status != "over" and not row.unread:
            _put(self._tables, row.id, row)

    def committed(self, row: GameRow, breaks: int) -> None:
        """Cache a row that was stored by a transaction which began after this number of breaks."""
        self.generation = self.generation._replace(tables=self.generation.tables + 1)
        known = self._tables.get(row.id)
        if known is not None and known.revision > row.revision:
            return
        self._tables.pop(row.id, None)
        if self.is_current and breaks == self.breaks and row.status != "over" and not row.unread:
            _put(self._tables, row.id, row)

    def forget_table(self, game: str) -> None:
        """Drop the cached row of a game."""
        self.generation = self.generation._replace(tables=self.generation.tables + 1)
        self.breaks += 1
        self._tables.pop(game, None)

    def people(self, ids: Collection[int]) -> dict[int, Person]:
        """Return those of some people who are cached."""
        return {person: known for person in ids if (known := self._people.get(person)) is not None}

    def keep_people(self, people: Iterable[Person], generation: Generation) -> None:
        """Cache people who were read in a generation."""
        if self.is_current and generation.people == self.generation.people:
            for person in people:
                self._people[person.id] = person

    def identities(self, person: int) -> tuple[Identity, ...] | None:
        """Return the identities of a person, None if they are not cached."""
        return self._identities.get(person)

    def keep_identities(self, person: int, found: Iterable[Identity], generation: Generation) -> None:
        """Cache the identities of a person that were read in a generation."""
        if self.is_current and generation.people == self.generation.people:
            self._identities[person] = tuple(found)

    def was_seen(self, place: int, person: int) -> bool | None:
        """Return whether a person was ever seen in a place, None if that is not cached."""
        return self._members.get((place, person))

    def keep_seen(self, place: int, people: Collection[int], seen: Collection[int], generation: Generation) -> None:
        """Cache which of some people were ever seen in a place, as read in a generation."""
        if self.is_current and generation.people == self.generation.people:
            for person in people:
                self._members[place, person] = person in seen

    def arrival(self, key: ArrivalKey) -> _Known | None:
        """Return the author and place of an event and when they were last seen there; None if that is not cached."""
        return self._arrivals.get(key)

    def keep_arrival(self, key: ArrivalKey, arrival: RequestSource, seen_at: datetime, generation: Generation) -> None:
        """Cache the author and place of an event, as read in a generation."""
        if self.is_current and generation.people == self.generation.people:
            self._arrivals[key] = _Known(arrival, seen_at)

    def apply_change(self, kind: str, what: Any) -> None:
        """Drop the entries that a change of this process (except its commits) or of another one invalidates."""
        if kind in _OF_NO_MATTER:
            return
        if what is None:
            # Details are missing, so any entry may be out of date.
            self.clear()
            return
        if kind in ("game", "table"):
            self.forget_table(str(what))
            return
        self.generation = self.generation._replace(people=self.generation.people + 1)
        if kind == "seen":
            place, person = what
            self._members.pop((place, person), None)
        elif kind == "person":
            self._people.pop(what, None)
            self._identities.pop(what, None)
            self._drop_arrivals(person=what)
        elif kind == "place":
            # Threads inherit the settings of their channel.
            self._arrivals.clear()
        else:
            self.clear()

    def clear(self) -> None:
        """Drop everything."""
        self.generation = Generation(self.generation.tables + 1, self.generation.people + 1)
        self.breaks += 1
        for each in (self._tables, self._people, self._identities, self._members, self._arrivals):
            each.clear()

    def _drop_arrivals(self, person: int) -> None:
        theirs = [key for key, known in self._arrivals.items() if known.arrival.person.id == person]
        for key in theirs:
            del self._arrivals[key]

    @property
    def contents(self) -> dict[str, dict[Any, Any]]:
        """Return all cached entries by kind, for comparison with the database."""
        return {
            "tables": dict(self._tables.items()),
            "people": dict(self._people.items()),
            "identities": dict(self._identities.items()),
            "members": dict(self._members.items()),
            "arrivals": dict(self._arrivals.items()),
        }


_OF_NO_MATTER: Final = frozenset(
    {
        "shown",
        "lessons",
        "attempts",
        "puzzle",
        "room",
        "bans",
        "competition",
        "due",
        "notices",
        "thinking",
        "webhooks",
        "teams",
        "value",
    }
)
"""Kinds of changes that concern no cached entry."""


def estimate_bytes(row: GameRow) -> int:
    """Return the approximate size of a game's row in bytes."""
    parts: tuple[Json | None, ...] = (row.position, row.last_turn, row.chance, row.options, row.outcome)
    return _ROW_BYTES + _BYTES_OF_A_VALUE * sum(map(_count_values, parts))


def _count_values(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_count_values, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_count_values, value))
    return 1


def _put(tables: LRUCache[str, GameRow], game: str, row: GameRow) -> None:
    # A row larger than the whole cache is never cached.
    with suppress(ValueError):
        tables[game] = row
