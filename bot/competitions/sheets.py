"""The contents of tables' pictures: cross tables, results round by round, and brackets."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from bot.competitions.boards import CupGame
from bot.competitions.competition import Competition
from bot.competitions.events import COMPUTER_ENTRANT, Format
from bot.competitions.history import game_points
from bot.competitions.knockout import BracketMatch, bracket
from bot.competitions.standings import StandingRow, format_points, ranking

ResultKind = Literal["win", "draw", "loss", "none", "self"]
ROWS_PER_PAGE: Final = 16
"""Rows of a table, or slots of a bracket's first round, on a page."""
_BRACKET_ROUNDS_PER_PAGE: Final = 4
_MAX_ROUNDS_PER_PAGE: Final = 12
"""Maximum number of rounds on a page, the newest ones."""
WALKOVER: Final = "+"
LOST_WALKOVER: Final = "–"


@dataclass(frozen=True)
class SheetCell:
    """A result as text, and its kind."""

    text: str
    kind: ResultKind


@dataclass(frozen=True)
class SheetLine:
    """A line: the entrant's row of the standings, and a cell of results for each label.

    `number` identifies it in other lines if places are shared; empty if its place does.
    """

    row: StandingRow
    number: str
    cells: tuple[tuple[SheetCell, ...], ...]


@dataclass(frozen=True)
class ResultsSheet:
    """A page of a table: its column labels and lines; `first` is the number of the first line from 1."""

    labels: tuple[str, ...]
    lines: tuple[SheetLine, ...]
    first: int


def page_count(stands: Competition) -> int:
    """Return the number of pages; a large bracket has its parts, and a page of the last rounds."""
    if stands.terms.format == Format.KNOCKOUT:
        rounds = (len(stands.lots) - 1).bit_length()
        return 1 if rounds <= _BRACKET_ROUNDS_PER_PAGE else (1 << (rounds - _BRACKET_ROUNDS_PER_PAGE)) + 1
    return max(1, -(-len(stands.lots) // ROWS_PER_PAGE))


def current_page(stands: Competition) -> int:
    """Return the page to show first: the top of a table; for a large bracket the last rounds once they are played."""
    last = page_count(stands) - 1
    return last if stands.terms.format == Format.KNOCKOUT and len(stands.rounds) > _BRACKET_ROUNDS_PER_PAGE else 0


def results_sheet(stands: Competition, page: int = 0) -> ResultsSheet:
    """Return a page of the table: a cross table, or results round by round with the opponents' numbers."""
    table = ranking(stands)
    rows = table.rows[page * ROWS_PER_PAGE : (page + 1) * ROWS_PER_PAGE]
    apart = len({row.place for row in table.rows if row.place is not None}) == len(table.rows)
    names = {row.entrant: str(at) for at, row in enumerate(table.rows, start=1)}
    numbers = dict.fromkeys(names, "") if apart else names
    if stands.terms.format.is_round_robin:
        lines = tuple(
            SheetLine(row, numbers[row.entrant], tuple(_crossing(stands, row, other) for other in table.rows))
            for row in rows
        )
        return ResultsSheet(tuple(names.values()), lines, page * ROWS_PER_PAGE + 1)
    first = max(0, len(stands.rounds) - _MAX_ROUNDS_PER_PAGE)
    lines = tuple(
        SheetLine(
            row,
            numbers[row.entrant],
            tuple(_round_cells(stands, row.entrant, number, names) for number in range(first, len(stands.rounds))),
        )
        for row in rows
    )
    return ResultsSheet(
        tuple(str(number + 1) for number in range(first, len(stands.rounds))), lines, page * ROWS_PER_PAGE + 1
    )


def bracket_sheet(stands: Competition, page: int = 0) -> list[list[BracketMatch]]:
    """Return the columns of a page of the bracket."""
    rounds = bracket(stands)
    parts = page_count(stands) - 1
    if not parts:
        return rounds
    if page == parts:
        return rounds[_BRACKET_ROUNDS_PER_PAGE:]
    shown_here = []
    for number in range(_BRACKET_ROUNDS_PER_PAGE):
        each = len(rounds[number]) // parts
        shown_here.append(rounds[number][page * each : (page + 1) * each])
    return shown_here


def _crossing(stands: Competition, row: StandingRow, other: StandingRow) -> tuple[SheetCell, ...]:
    """Return the results of one entrant against another; two if they meet twice."""
    if row is other:
        return (SheetCell("", "self"),)
    found = []
    for each in stands.rounds:
        for board in each.boards:
            if {row.entrant, other.entrant} <= set(board.entrants):
                found += [_result(stands, game, row.entrant) for game in board.games if game.places is not None]
        for walkover in each.walkovers:
            if (walkover.winner, walkover.loser) == (row.entrant, other.entrant):
                found.append(SheetCell(WALKOVER, "none"))
            elif (walkover.loser, walkover.winner) == (row.entrant, other.entrant):
                found.append(SheetCell(LOST_WALKOVER, "none"))
    return tuple(found)


def _result(stands: Competition, game: CupGame, entrant: int) -> SheetCell:
    seat = game.seats.index(entrant)
    points: Fraction = game_points(stands, game)[seat]
    return SheetCell(format_points(points), _kind(game, seat))


def _kind(game: CupGame, seat: int) -> ResultKind:
    if (game.places or ())[seat] > 1:
        return "loss"
    return "draw" if game.is_draw else "win"


def _round_cells(stands: Competition, entrant: int, number: int, names: Mapping[int, str]) -> tuple[SheetCell, ...]:
    """Return an entrant's results in a round: the opponent, or the place at a larger table."""
    each = stands.rounds[number]
    for board in each.boards:
        if entrant in board.entrants:
            others = [other for other in board.entrants if other not in (entrant, COMPUTER_ENTRANT)]
            game = board.last
            seat = game.seats.index(entrant)
            if stands.terms.seats > 2:
                return () if game.places is None else (SheetCell(str(game.places[seat]), _kind(game, seat)),)
            met = names[others[0]] if others else ""
            return (SheetCell(met, "none" if game.places is None else _kind(game, seat)),)
    if entrant in each.byes or any(walkover.winner == entrant for walkover in each.walkovers):
        return (SheetCell(WALKOVER, "none"),)
    return ()
