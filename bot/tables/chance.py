"""Chance at a table: draws follow from the secret seed, from who joined, and from what people gave when they were made.

What a draw took besides the seed stands in the data of its event, and was fixed when it was drawn first: taken back and
played again, by whomever and however, it is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from bot.tables.contributions import SeedContributions, read_contributions
from bot.tables.line import Line
from engine import fair
from engine.core import Random
from storage import Event, GameBrief, GameRow

IDS_KEY: Final = "ids"
"""Where the data of an event holds what its draw took: a list of pairs of a seat and an id."""

Ids = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class TableDraws:
    """The draws of a game whose seats are taken: a new one takes `ids`, one of `earlier` what it took then."""

    row: GameRow
    ids: Ids = ()
    earlier: Mapping[int, Ids] = field(default_factory=dict)

    def __call__(self, number: int) -> Random:
        """Return the source of a draw."""
        taken = [each for _, each in self.ids_for_draw(number)]
        return fair.Draw(self.row.seed, public_parts(self.row), number, taken if self.row.chance is not None else None)

    def ids_for_draw(self, number: int) -> Ids:
        """Return what a draw takes besides the seed."""
        return self.earlier.get(number, self.ids)

    def data(self, number: int | None) -> dict[str, Any]:
        """Return what the event of a draw says of that, nothing for other events."""
        taken = self.ids_for_draw(number) if number is not None and self.row.chance is not None else ()
        return {IDS_KEY: [list(pair) for pair in taken]} if taken else {}


def is_drawn(row: GameRow, line: Line | None) -> bool:
    """Say whether chance decides anything in a game: its seats, unless they have gone round, its dice or its deal."""
    if not row.seed or line is None:
        return False
    return not row.terms.rotated or line.draws > 0 or line.state.game.has_chance(row.seat_count, row.options)


def draws_for(row: GameRow, given: SeedContributions | None = None, earlier: Iterable[Event] = ()) -> TableDraws:
    """Return the draws of a game; `earlier` are its events, where draws of it may be made again.

    `given` is what has been given to its chance, if not what its row says.
    """
    known = stored_contributions(row) if given is None else given
    before: dict[int, Ids] = {}
    for event in earlier:
        number = event.data.get("draw")
        if number is not None:
            before.setdefault(int(number), read_ids(event.data))
    return TableDraws(row, tuple(sorted(known.ids.items())), before)


def read_ids(data: Mapping[str, Any]) -> Ids:
    """Return what the data of an event says that its draw took."""
    return tuple((int(seat), str(each)) for seat, each in data.get(IDS_KEY, ()))


def stored_contributions(row: GameRow) -> SeedContributions:
    """Return what has been given to the chance of a game."""
    return read_contributions(row.chance)


def with_contributions(row: GameRow, given: SeedContributions, line: Line | None = None) -> GameRow:
    """Return the row of a game with what has been given, and with the draws of a line it has come to."""
    if row.chance is None:
        return row
    drawn = given.drawn if line is None else max(given.drawn, line.draws)
    return replace(row, chance=replace(given, drawn=drawn).to_json())


def draw_seats(row: GameRow, ids: Sequence[str] = ()) -> tuple[int, ...]:
    """Return the seat of everybody who joined, in the order of joining."""
    return fair.lot(row.seed, public_parts(row), len(row.seats), ids if row.chance is not None else None)


def public_parts(brief: GameBrief) -> str:
    """Return what is public of the chance of a game: its id, and the joining events in their order."""
    return fair.public_text(brief.id, [entry.joined_by or "" for entry in brief.seats])
