"""The cache of rarely changing rows: invalidated by change notifications, and never trusted for a write.

Every entry comes from the database and is dropped when it changes: by this process's own commits, by PostgreSQL's
notifications of other processes, and completely when notifications may have been missed.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
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

GameWithPeople = tuple[GameRow, dict[int, Person]]
"""A game, and the people in its seats by id."""
GamesRead = dict[str, GameWithPeople]


@dataclass
class Recalled:
    """Whether a block has used the cache, and whether it has written anything; with `anew` the cache is bypassed.

    `read` are the games that the block has read from the database, by id; with `anew` those that the block before it
    has read and that this one has not asked for yet.
    """

    anew: bool
    read: GamesRead
    used: bool = False
    has_stored: bool = False

    def take_read(self, game: str) -> GameWithPeople | None:
        """Return, only once, a game that the block before this one has read from the database."""
        return self.read.pop(game, None) if self.anew and not self.has_stored else None

    def note_read(self, game: str, found: GameWithPeople, *, ahead: bool = False) -> None:
        """Note a game that was read from the database, for a block that handles the same request once more.

        With `ahead`, it was only looked at by what comes before the handling: the same block takes it, too.
        """
        if ahead or not self.anew:
            self.read[game] = found


class ChangeLog:
    """Numbers changes of games, and tells whether a game has changed since a number."""

    def __init__(self, max_games: int = CACHE_ROWS) -> None:
        self.number = 0
        self._max_games = max_games
        self._changed_at: dict[str, int] = {}
        self._all_changed_at = 0

    def add(self, game: str) -> None:
        """Note that a game has changed."""
        self.number += 1
        self._changed_at.pop(game, None)
        self._changed_at[game] = self.number
        if len(self._changed_at) > self._max_games:
            # What is not remembered counts as changed: too little is cached rather than too much.
            self._all_changed_at = self._changed_at.pop(next(iter(self._changed_at)))

    def add_all(self) -> None:
        """Note that any game may have changed."""
        self.number += 1
        self._all_changed_at = self.number
        self._changed_at.clear()

    def is_unchanged(self, game: str, since: int) -> bool:
        """Return whether a game has not changed after this number."""
        return since >= max(self._all_changed_at, self._changed_at.get(game, 0))


class Generation(NamedTuple):
    """Counters of the changes of games, and of people and places."""

    tables: int = 0
    people: int = 0


class _Known(NamedTuple):
    arrival: RequestSource
    seen_at: datetime


class RowCache:
    """The cached rows of games and people; empty and inactive while `is_current` is False."""

    def __init__(self, cache_bytes: int = CACHE_BYTES, cache_rows: int = CACHE_ROWS) -> None:
        self.is_current = True
        self._changes = ChangeLog()
        self._breaks = ChangeLog()
        """The changes of games that were not commits of this process."""
        self._people_generation = 0
        self._tables: LRUCache[str, GameRow] = LRUCache(cache_bytes, estimate_bytes)
        self._people: LRUCache[int, Person] = LRUCache(cache_rows)
        self._identities: LRUCache[int, tuple[Identity, ...]] = LRUCache(cache_rows)
        self._members: LRUCache[tuple[int, int], bool] = LRUCache(cache_rows)
        self._arrivals: LRUCache[ArrivalKey, _Known] = LRUCache(cache_rows)

    @property
    def generation(self) -> Generation:
        """What a read notes before it begins: rows that change meanwhile are not cached."""
        return Generation(self._changes.number, self._people_generation)

    @property
    def breaks(self) -> int:
        """What a transaction notes before it begins: its row is not cached if another process changes it meanwhile."""
        return self._breaks.number

    def table(self, game: str) -> GameRow | None:
        """Return the cached row of an unfinished game, None if it is not cached."""
        return self._tables.get(game)

    def keep_table(self, row: GameRow, generation: Generation) -> None:
        """Cache the row of a game that was read in a generation."""
        if self._changes.is_unchanged(row.id, generation.tables):
            self._put(row)

    def committed(self, row: GameRow, breaks: int) -> None:
        """Cache a row that was stored by a transaction which began after this number of breaks."""
        self._changes.add(row.id)
        known = self._tables.get(row.id)
        if known is not None and known.revision > row.revision:
            return
        self._tables.pop(row.id, None)
        if self._breaks.is_unchanged(row.id, breaks):
            self._put(row)

    def _put(self, row: GameRow) -> None:
        if self.is_current and row.status != "over" and not row.unread:
            # A row larger than the whole cache is never cached.
            with suppress(ValueError):
                self._tables[row.id] = row

    def forget_table(self, game: str) -> None:
        """Drop the cached row of a game."""
        self._changes.add(game)
        self._breaks.add(game)
        self._tables.pop(game, None)

    def people(self, ids: Collection[int]) -> dict[int, Person]:
        """Return those of some people who are cached."""
        return {person: known for person in ids if (known := self._people.get(person)) is not None}

    def keep_people(self, people: Iterable[Person], generation: Generation) -> None:
        """Cache people who were read in a generation."""
        if self.is_current and generation.people == self._people_generation:
            for person in people:
                self._people[person.id] = person

    def identities(self, person: int) -> tuple[Identity, ...] | None:
        """Return the identities of a person, None if they are not cached."""
        return self._identities.get(person)

    def keep_identities(self, person: int, found: Iterable[Identity], generation: Generation) -> None:
        """Cache the identities of a person that were read in a generation."""
        if self.is_current and generation.people == self._people_generation:
            self._identities[person] = tuple(found)

    def was_seen(self, place: int, person: int) -> bool | None:
        """Return whether a person was ever seen in a place, None if that is not cached."""
        return self._members.get((place, person))

    def keep_seen(self, place: int, people: Collection[int], seen: Collection[int], generation: Generation) -> None:
        """Cache which of some people were ever seen in a place, as read in a generation."""
        if self.is_current and generation.people == self._people_generation:
            for person in people:
                self._members[place, person] = person in seen

    def arrival(self, key: ArrivalKey) -> _Known | None:
        """Return the author and place of an event and when they were last seen there; None if that is not cached."""
        return self._arrivals.get(key)

    def keep_arrival(self, key: ArrivalKey, arrival: RequestSource, seen_at: datetime, generation: Generation) -> None:
        """Cache the author and place of an event, as read in a generation."""
        if self.is_current and generation.people == self._people_generation:
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
        self._people_generation += 1
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
        self._changes.add_all()
        self._breaks.add_all()
        self._people_generation += 1
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


_CONTAINERS: Final = (dict, list)  # a union of them takes twice as long to ask


def _count_values(value: Any) -> int:
    """Return about how many values there are in some JSON: the last item of a list counts for all of them."""
    if isinstance(value, dict):
        return 1 + sum(_count_values(each) if isinstance(each, _CONTAINERS) else 1 for each in value.values())
    if isinstance(value, list) and value:
        return 1 + len(value) * (_count_values(value[-1]) if isinstance(value[-1], _CONTAINERS) else 1)
    return 1
