"""Creating states of Fagocitare: the first one, and from dictionaries."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.core import Game, InvalidPosition, Option
from engine.facts import Facts
from engine.games.fagocitare.prover import PROVER
from engine.games.fagocitare.state import FagocitareState, Line, Pair, judge
from engine.games.fagocitare.tables import SIZES, Enclosed, Sheet, is_crossed, sheet
from engine.positions import (
    Extra,
    cell_lists,
    check_cell,
    check_dropped,
    check_fields,
    check_items,
    last_seat,
    options_of,
    settle_outcome,
    to_move_of,
)
from engine.prover import Prover
from engine.vocabulary import list_marks


class Fagocitare(Game):
    """Fagocitare, a game for two with paper and pens."""

    key = "fagocitare"
    order = 3
    seats = range(2, 3)
    rules_version = 1
    options: Mapping[str, Option] = {"size": Option(10, SIZES)}
    prover: Prover | None = PROVER
    facts = Facts(traps=frozenset({"draw"}))
    words: Mapping[str, str] = list_marks("", "draw dot disegna disegno pallino punto")

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        lists = [*position["dots"], *position["dead"]]
        return {cell: symbol for cells, symbol in zip(lists, "●○■□", strict=True) for cell in cells}

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> FagocitareState:
        paper = sheet(int(self.checked_options(seats, options)["size"]))
        return FagocitareState(paper, 0, paper.board.all, (0, 0), (0, 0), ((), ()), 0, 0, 0)

    def load(self, position: Mapping[str, Any]) -> FagocitareState:
        position = check_fields(self, position, ("dots", "dead", "lines"))
        paper = sheet(int(options_of(self, position)["size"]))
        dropped = check_dropped(position, 2)
        seat = to_move_of(position, 2, dropped)
        first, second = cell_lists(position["dots"], "dots", paper.board, 2)
        third, fourth = cell_lists(position["dead"], "dead", paper.board, 2, first | second)
        live, dead = (first, second), (third, fourth)
        free = paper.board.all & ~(first | second | third | fourth)
        lines, inked, ends = _lines(position["lines"], paper, live, dead)
        found = last_seat(2, dropped) or judge(dead, free)
        outcome = settle_outcome(position, 2, found, lambda _: False)
        turn = Extra(position).integer("turn")
        seat = None if outcome else seat
        return FagocitareState(paper, seat, free, live, dead, lines, inked, ends, turn, outcome, dropped)


GAME: Final = Fagocitare()
FagocitareState.game = GAME


def _lines(
    value: object, paper: Sheet, live: Pair, dead: Pair
) -> tuple[tuple[tuple[Line, ...], tuple[Line, ...]], int, int]:
    """Return the capture lines by captor, with the points between their ends and the cells they end in."""
    result: list[tuple[Line, ...]] = []
    inked = ends = 0
    for captor, item in enumerate(check_items(value, "lines", 2)):
        lines = []
        for number, pair in enumerate(check_items(item, f"lines[{captor}]")):
            field = f"lines[{captor}][{number}]"
            line = _line(check_items(pair, field, 2), field, paper)
            points, tips = paper.segments[line], 1 << line[0] | 1 << line[1]
            # An end may have been captured since, but it was a dot of the captor.
            if tips & ~(live[captor] | dead[1 - captor]):
                raise InvalidPosition("line-without-attackers", field=field)
            if not points & dead[captor]:
                raise InvalidPosition("line-without-captives", field=field)
            if is_crossed(paper, Enclosed(*line, 0, 0), inked, ends):
                raise InvalidPosition("lines-cross", field=field)
            inked |= points
            ends |= tips
            lines.append(line)
        result.append(tuple(sorted(lines)))
    return (result[0], result[1]), inked, ends


def _line(pair: Sequence[Any], field: str, paper: Sheet) -> Line:
    low, high = sorted(check_cell(end, field, paper.board) for end in pair)
    if (low, high) not in paper.segments:
        raise InvalidPosition("no-line", field=field)
    return low, high
