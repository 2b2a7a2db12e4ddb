"""The largest capture of a month: the turn by which somebody took the most, found by playing its games again."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from bot.core.browsers import find_sharers
from bot.core.context import Context
from bot.core.request_context import list_seated_people
from bot.interface.refusals import Refused
from bot.play.records import turns_of
from bot.tables.table import BrokenGame, Table
from bot.words.describe import captured_cells
from engine import EngineError, Turn, games

MAX_GAMES_SEARCHED: Final = 500
"""So many of a month's games are played again at most, the newest."""
MIN_TITLE_PIECES: Final = 2
"""So many pieces make a capture worth a title."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Capture:
    """A turn of a game by which a person took so many pieces of others."""

    table: Table
    turn: Turn
    person: int
    pieces: int


async def find_largest_capture(context: Context, codes: Sequence[str]) -> Capture | None:
    """Return the largest capture of people in games, the earliest of equal ones; None where nothing was taken.

    Games between names of one browser, or of one person, are left out.
    """
    best: Capture | None = None
    for code in codes[:MAX_GAMES_SEARCHED]:
        try:
            table = await context.table(code)
            if table.row.game not in games or table.row.rules_version != games[table.row.game].rules_version:
                continue
            turns = await turns_of(context, table)
            found = await asyncio.to_thread(_largest, turns, _people_by_seat(table))
        except (BrokenGame, Refused, EngineError) as error:
            log.warning("month-without-game", game=code, reason=repr(error))
            continue
        if found is not None and (best is None or found[1] >= best.pieces):
            people = list_seated_people(table.row)
            if len(people) > len(set(people)) or await find_sharers(context, people):
                continue
            turn, pieces, person = found
            best = Capture(table, turn, person, pieces)
    return best


def _people_by_seat(table: Table) -> Mapping[int, int]:
    """Return who sits in which seat; computers hold no titles."""
    return {
        entry.seat: entry.person
        for entry in table.row.seats
        if entry.seat is not None and entry.person is not None and not entry.computer
    }


def _largest(turns: Sequence[Turn], people: Mapping[int, int]) -> tuple[Turn, int, int] | None:
    best: tuple[Turn, int, int] | None = None
    for turn in turns:
        if turn.seat not in people:
            continue
        pieces = sum(len(cells) for seat, cells in captured_cells(turn).items() if seat != turn.seat)
        if pieces and (best is None or pieces > best[1]):
            best = (turn, pieces, people[turn.seat])
    return best
