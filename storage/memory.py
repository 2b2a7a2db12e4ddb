"""What the database holds and rarely changes, kept in memory: dropped by the store's news, never trusted for a write.

Whatever is kept here the database has said, and is dropped when it says something else: a change of this process by
its own news, one of another process by what PostgreSQL tells of it, and everything where some of that may have been
missed. A write decides by the database alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, NamedTuple

from cachetools import LRUCache

from storage.rows import GameRow, Identity, Json, Person, RequestSource

CACHE_BYTES: Final = 32 * 1024 * 1024
"""How much the positions of tables may take; some five thousand of them."""
CACHE_ROWS: Final = 20_000
"""How many people, and how many of what else is known of them, are kept."""

_ROW_BYTES: Final = 3_000
"""What a row takes besides its JSON."""
_BYTES_OF_A_VALUE: Final = 90
"""What a value in JSON takes, with its key: measured over the positions of all games."""

ArrivalKey = tuple[str | bool | None, ...]
"""Everything that a platform says of who an event comes from and where."""


class Generation(NamedTuple):
    """How often games were changed, and people and places."""

    tables: int = 0
    people: int = 0


class _Known(NamedTuple):
    arrival: RequestSource
    seen_at: datetime


class RowCache:
    """What was read or written last of tables and people; empty and deaf while `is_current` is False.

    `generation` is another one after everything that somebody may have read before it was changed.
    """

    def __init__(self, cache_bytes: int = CACHE_BYTES, cache_rows: int = CACHE_ROWS) -> None:
        self.is_current = True
        self.generation = Generation()
        """Another one after every change: what was read before it is not kept."""
        self.breaks = 0
        """Another one after every change of games that did not come by a commit of this process."""
        self._tables: LRUCache[str, GameRow] = LRUCache(cache_bytes, weight_of)
        self._people: LRUCache[int, Person] = LRUCache(cache_rows)
        self._identities: LRUCache[int, tuple[Identity, ...]] = LRUCache(cache_rows)
        self._members: LRUCache[tuple[int, int], bool] = LRUCache(cache_rows)
        self._arrivals: LRUCache[ArrivalKey, _Known] = LRUCache(cache_rows)

    def table(self, game: str) -> GameRow | None:
        """Return the row of a game that is not over, None if it is not known."""
        return self._tables.get(game)

    def keep_table(self, row: GameRow, generation: Generation) -> None:
        """Keep the row of a game that was read when the generation began."""
        if self.is_current and generation.tables == self.generation.tables and row.status != "over" and not row.unread:
            _put(self._tables, row.id, row)

    def committed(self, row: GameRow, breaks: int) -> None:
        """Take over a row that was stored in a transaction which began after so many breaks."""
        self.generation = self.generation._replace(tables=self.generation.tables + 1)
        known = self._tables.get(row.id)
        if known is not None and known.revision > row.revision:
            return
        self._tables.pop(row.id, None)
        if self.is_current and breaks == self.breaks and row.status != "over" and not row.unread:
            _put(self._tables, row.id, row)

    def forget_table(self, game: str) -> None:
        """Drop the row of a game."""
        self.generation = self.generation._replace(tables=self.generation.tables + 1)
        self.breaks += 1
        self._tables.pop(game, None)

    def people(self, ids: Collection[int]) -> dict[int, Person]:
        """Return those of some people who are known."""
        return {person: known for person in ids if (known := self._people.get(person)) is not None}

    def keep_people(self, people: Iterable[Person], generation: Generation) -> None:
        """Keep people who were read when the generation began."""
        if self.is_current and generation.people == self.generation.people:
            for person in people:
                self._people[person.id] = person

    def identities(self, person: int) -> tuple[Identity, ...] | None:
        """Return the identities of a person, None if they are not known."""
        return self._identities.get(person)

    def keep_identities(self, person: int, found: Iterable[Identity], generation: Generation) -> None:
        """Keep the identities of a person, which were read when the generation began."""
        if self.is_current and generation.people == self.generation.people:
            self._identities[person] = tuple(found)

    def was_seen(self, place: int, person: int) -> bool | None:
        """Say whether somebody was ever seen in a place, None if that is not known."""
        return self._members.get((place, person))

    def keep_seen(self, place: int, people: Collection[int], seen: Collection[int], generation: Generation) -> None:
        """Keep which of some people were ever seen in a place, as it was read when the generation began."""
        if self.is_current and generation.people == self.generation.people:
            for person in people:
                self._members[place, person] = person in seen

    def arrival(self, key: ArrivalKey) -> _Known | None:
        """Return who somebody is and where, and when they were seen there last; None if that is not known."""
        return self._arrivals.get(key)

    def keep_arrival(self, key: ArrivalKey, arrival: RequestSource, seen_at: datetime, generation: Generation) -> None:
        """Keep who somebody is and where, as it was read when the generation began."""
        if self.is_current and generation.people == self.generation.people:
            self._arrivals[key] = _Known(arrival, seen_at)

    def apply_change(self, kind: str, what: Any) -> None:
        """Drop what a change may have made untrue, of this process (but for commits) or of another one."""
        if kind in _OF_NO_MATTER:
            return
        if what is None:
            # It was too much to be told, or may be anybody: all of it may be untrue.
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
            # What is set in a channel holds in its threads, too.
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
        """Everything that is cached, by kind, to compare it with the database."""
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
    }
)
"""News of what is not kept here."""


def weight_of(row: GameRow) -> int:
    """Return how many bytes the row of a game takes, nearly."""
    parts: tuple[Json | None, ...] = (row.position, row.last_turn, row.chance, row.options, row.outcome)
    return _ROW_BYTES + _BYTES_OF_A_VALUE * sum(map(_values_in, parts))


def _values_in(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_values_in, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_values_in, value))
    return 1


def _put(tables: LRUCache[str, GameRow], game: str, row: GameRow) -> None:
    # What is larger than all the room there is is read each time.
    with suppress(ValueError):
        tables[game] = row
