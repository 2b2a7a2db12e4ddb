"""Creating states of Real Queen: the first one, and from dictionaries."""

from collections.abc import Mapping
from typing import Any, Final

from engine.core import Game, InvalidPosition, Option, Outcome, places_with_draw, places_with_winner
from engine.facts import Facts
from engine.games.real_queen.pending import read_pending
from engine.games.real_queen.prover import PROVER
from engine.games.real_queen.state import Pair, RealQueenState
from engine.games.real_queen.tables import BOARD, MAX_IDLE_TURNS, NEIGHBOUR_BITS, PIECES, find_alignments
from engine.positions import (
    Extra,
    cell_lists,
    cell_or_none,
    check_dropped,
    check_fields,
    check_integers,
    check_items,
    last_seat,
    options_of,
    settle_outcome,
    to_move_of,
)
from engine.prover import Prover
from engine.topology import list_indices
from engine.vocabulary import list_marks


class RealQueen(Game):
    """Real Queen, a game for two (Leonardo Catano, 2021)."""

    key = "real-queen"
    order = 2
    seats = range(2, 3)
    rules_version = 1
    options: Mapping[str, Option] = {}
    prover: Prover | None = PROVER
    facts = Facts(captures=frozenset({"capture"}), weighty=frozenset({"crown", "step"}), grand=frozenset({"royal"}))
    words: Mapping[str, str] = {
        **list_marks("q", "queen regina donna"),
        **list_marks("r", "return returns rientra rientro torna ritorna riprendo"),
        **list_marks("", "posa poso sposto sposta shift step"),
    }

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        found = {cell: symbol for cells, symbol in zip(position["pieces"], "○●", strict=True) for cell in cells}
        return found | {queen: symbol for queen, symbol in zip(position["queens"], "♕♛", strict=True) if queen}

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> RealQueenState:
        self.checked_options(seats, options)
        return RealQueenState(0, (0, 0), (0, 0), (PIECES, PIECES))

    def load(self, position: Mapping[str, Any]) -> RealQueenState:
        position = check_fields(self, position, ("pieces", "queens", "reserve", "pending"))
        options_of(self, position)
        dropped = check_dropped(position, 2)
        seat = to_move_of(position, 2, dropped)
        white, black = cell_lists(position["pieces"], "pieces", BOARD, 2)
        pieces = (white, black)
        queens = _queens(position["queens"], white | black)
        first, second = check_integers(position["reserve"], "reserve", 2, 0, PIECES)
        reserve = (first, second)
        for owner in range(2):
            if pieces[owner].bit_count() + reserve[owner] > PIECES:
                count = pieces[owner].bit_count()
                raise InvalidPosition("too-many-pieces", seat=owner, board=count, reserve=reserve[owner], most=PIECES)
        extra = Extra(position)
        idle, turn = extra.integer("idle", most=MAX_IDLE_TURNS), extra.integer("turn")
        outcome = settle_outcome(position, 2, last_seat(2, dropped), lambda given: _is_possible(given, pieces, queens))
        if outcome or seat is None:
            return RealQueenState(None, pieces, queens, reserve, idle=idle, turn=turn, outcome=outcome, dropped=dropped)
        if idle == MAX_IDLE_TURNS:
            raise InvalidPosition("out-of-range", field="extra.idle", value=idle, least=0, most=MAX_IDLE_TURNS - 1)
        history = extra.history()
        if position["pending"] is None:
            state = RealQueenState(seat, pieces, queens, reserve, idle=idle, turn=turn, history=history)
            if history and history.key != state.repetition_key():
                raise InvalidPosition("history-differs")
            return state
        free = BOARD.all & ~(white | black | queens[0] | queens[1])
        captures, returns, runs, crossing = read_pending(
            position["pending"], pieces[seat], queens[seat], pieces[1 - seat], free
        )
        return RealQueenState(seat, pieces, queens, reserve, captures, returns, runs, crossing, 0, turn, history)


GAME: Final = RealQueen()
RealQueenState.game = GAME


def _queens(value: object, taken: int) -> Pair:
    result = []
    for seat, item in enumerate(check_items(value, "queens", 2)):
        index = cell_or_none(item, f"queens[{seat}]", BOARD)
        queen = 0 if index is None else 1 << index
        if queen & taken:
            raise InvalidPosition("cell-twice", field=f"queens[{seat}]", cell=item)
        taken |= queen
        result.append(queen)
    return result[0], result[1]


def _is_possible(outcome: Outcome, pieces: Pair, queens: Pair) -> bool:
    """Return whether a position may have this outcome: a winner's alignment must still be there."""
    if outcome.reason in ("repetition", "no-progress"):
        return outcome.places == places_with_draw(2)
    winner = outcome.winner
    if outcome.reason not in ("plain", "royal") or winner is None:
        return False
    queen, enemy_queen = queens[winner], queens[1 - winner]
    near = NEIGHBOUR_BITS[enemy_queen.bit_length() - 1] if enemy_queen else 0
    own = pieces[winner] | queen
    runs = [run for index in list_indices(own) for run in find_alignments(index, own) if run & near]
    if outcome.reason == "royal":
        runs = [run for run in runs if run & queen]
    return bool(runs) and outcome.places == places_with_winner(2, winner)
