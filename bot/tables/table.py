"""A game at its table: the stored row together with its position and the people around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Self

from cachetools import LRUCache

from bot.language.names import clean_name
from bot.language.rich_text import Span
from bot.language.texts import Speaker
from bot.tables.line import Line, read_line
from engine import CHANCE, Game, games
from storage.rows import GameBrief, GameRow, Person, Seat

_COMPUTER_PATTERN: Final = re.compile(r"Computer(?: [1-9])? \(level ([1-5])\)")

LINE_CACHE_SIZE: Final = 512
FORGOTTEN_NAME: Final = "…"
"""The name of somebody who wanted to be forgotten."""


@dataclass(frozen=True, slots=True)
class GamePeople:
    """Who sits where; a name for every seat, that of a computer in the language of `voice`.

    Without a voice computers have the names that records give them.
    """

    brief: GameBrief
    people: Mapping[int, Person]
    voice: Speaker | None = field(default=None, kw_only=True)

    def in_language(self, voice: Speaker | None) -> Self:
        """Return the same with names in another language."""
        return replace(self, voice=voice)

    @property
    def game(self) -> Game:
        """The rules that are played by."""
        return games[self.brief.game]

    def seat_entry(self, seat: int | None) -> Seat | None:
        """Return the entry of a seat of the game, None before the lot is drawn."""
        return next((entry for entry in self.brief.seats if entry.seat == seat), None) if seat is not None else None

    def person_at(self, seat: int | None) -> int | None:
        """Return who has a seat, None for a computer or nobody."""
        entry = self.seat_entry(seat)
        return entry.person if entry else None

    def level_at(self, seat: int | None) -> int | None:
        """Return the level of the computer that has a seat, None for a person or nobody."""
        entry = self.seat_entry(seat)
        return int(entry.computer) if entry is not None and entry.computer is not None else None

    def seat_of(self, person: int) -> int | None:
        """Return the seat that somebody has, None if they do not play or the lot is not drawn yet."""
        return next((entry.seat for entry in self.brief.seats if entry.person == person), None)

    def entry_of(self, person: int) -> Seat | None:
        """Return the entry of somebody who was invited or has joined."""
        return next((entry for entry in self.brief.seats if entry.person == person), None)

    def name(self, seat: int) -> str:
        """Return the name at a seat."""
        entry = self.seat_entry(seat)
        return self.entry_name(entry) if entry else "?"

    def entry_name(self, entry: Seat) -> str:
        """Return the name of the person or computer of an entry."""
        if entry.person is not None and entry.person in self.people:
            return self.people[entry.person].name or FORGOTTEN_NAME
        if entry.computer is not None:
            return computer_name(self.voice, entry.computer, self.computer_number(entry))
        return clean_name(entry.name or "?")

    def computer_number(self, entry: Seat) -> int | None:
        """Return which of several computers has an entry, counted as the seats are shown; None where it is alone."""
        seats = self.brief.seats
        computers = sorted(
            (each for each in seats if each.computer is not None),
            key=lambda each: (len(seats) if each.seat is None else each.seat, each.number),
        )
        numbers = [each.number for each in computers]
        return numbers.index(entry.number) + 1 if entry.number in numbers and len(numbers) > 1 else None

    def name_span(self, seat: int) -> Span:
        """Return the name at a seat as rich text."""
        entry = self.seat_entry(seat)
        return self.entry_span(entry) if entry else Span("?")

    def entry_span(self, entry: Seat) -> Span:
        """Return the name of the person or computer of an entry as rich text."""
        is_handle = entry.state == "invited" and entry.person is None
        return Span(self.entry_name(entry), bold=True, person=entry.person, handle=is_handle)

    def person_span(self, person: int) -> Span:
        """Return the name of one of the people as rich text."""
        known = self.people.get(person)
        return Span((known.name if known else "?") or FORGOTTEN_NAME, bold=True, person=person)

    @property
    def names(self) -> tuple[str, ...]:
        """The names by seat of the game, once the lot is drawn."""
        return tuple(self.name(seat) for seat in range(self.brief.seat_count))


def computer_name(voice: Speaker | None, level: str, number: int | None = None) -> str:
    """Return the name of a computer player, with its number where a game has several; without a voice in English."""
    if voice is None:
        return f"Computer (level {level})" if number is None else f"Computer {number} (level {level})"
    if number is None:
        return voice.line("computer.name", level=level)
    return voice.line("computer.name.one-of", number=number, level=level)


def computer_level(name: str) -> str | None:
    """Return the level of the computer player whose name stands in a record, None for a person's name."""
    found = _COMPUTER_PATTERN.fullmatch(name)
    return found[1] if found else None


@dataclass(frozen=True, slots=True)
class Table(GamePeople):
    """A game with its row; `line` is None in the lobby."""

    row: GameRow
    line: Line | None

    @property
    def playing(self) -> Line:
        """The line of a game that has started."""
        if self.line is None:
            raise ValueError(f"game {self.row.id} has not started")
        return self.line

    @property
    def mover(self) -> int | None:
        """The seat to move, None when the game is over or has not started."""
        seat = self.line.state.to_move if self.line and self.row.status == "playing" else None
        return None if seat == CHANCE else seat


class LineCache:
    """Remembers the newest lines, so that a press need not read a whole position again.

    A line is kept under its game, revision and time: what the database says is never contradicted, not even where
    a transaction failed after its line was kept.
    """

    def __init__(self, most: int = LINE_CACHE_SIZE) -> None:
        self._lines: LRUCache[tuple[str, int, datetime], Line] = LRUCache(most)

    def read(self, row: GameRow) -> Line | None:
        """Return the line of a row; InvalidPosition if it is broken."""
        if row.position is None:
            return None
        line = self._lines.get(_key(row))
        if line is None:
            line = read_line(games[row.game], row.position, row.last_turn)
            self.keep(row, line)
        return line

    def keep(self, row: GameRow, line: Line) -> None:
        """Remember the line of a row."""
        self._lines[_key(row)] = line


def _key(row: GameRow) -> tuple[str, int, datetime]:
    return row.id, row.revision, row.updated_at
