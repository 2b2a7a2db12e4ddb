"""The rules of Hexapawn: a small board with a row of pawns at each end (Martin Gardner, 1962).

A pawn goes one cell straight ahead onto an empty cell, or one cell diagonally ahead onto an enemy pawn, which it
captures. The player who reaches the farthest row wins; so does the one who has captured all pawns of the other side,
or has left it without a move. Every turn takes a pawn ahead, so no game lasts long, and none is ever drawn.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engine import positions
from engine.core import (
    PASS,
    Action,
    Game,
    IllegalAction,
    InvalidPosition,
    Option,
    Outcome,
    State,
    make_immutable,
    places_with_winner,
)
from engine.facts import Facts
from engine.topology import Topology, list_indices, square_grid

MOVE: Final = "move"
CAPTURE: Final = "capture"

_TYPED: Final = re.compile(r"([a-z]\d+)[\s,;:\-]*(x?)[\s,;:\-]*([a-z]\d+)")


class Board:
    """What never changes on a square board of `size` columns and rows.

    `camps` are the rows from which the two seats start, `goals` those that they want to reach, `ways[seat][cell]` the
    cells where a pawn may move to and those where it may capture, all as bits; `actions` are by their texts.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.name = f"{size}x{size}"
        self.topology: Topology = square_grid(size, size)
        names = self.topology.names
        lowest, highest = (self.topology.bits(name for name in names if name[1:] == row) for row in ("1", str(size)))
        self.camps = (lowest, highest)
        self.goals = (highest, lowest)
        self.ways = tuple([self._ways(seat, name) for name in names] for seat in (0, 1))
        moves = [Action(f"{source}-{target}", MOVE, source, target) for source in names for target in names]
        captures = [Action(f"{source}x{target}", CAPTURE, source, target) for source in names for target in names]
        self.actions = {action.text: action for action in moves + captures}

    def from_here(self, seat: int, source: str, target: str) -> tuple[int, int]:
        """Return how far a cell is from another: to the side, and ahead as the seat looks at the board."""
        rows = int(target[1:]) - int(source[1:])
        return ord(target[0]) - ord(source[0]), -rows if seat else rows

    def _ways(self, seat: int, source: str) -> tuple[int, int]:
        ahead = [name for name in self.topology.names if self.from_here(seat, source, name) == (0, 1)]
        aslant = [name for name in self.topology.names if self.from_here(seat, source, name) in ((-1, 1), (1, 1))]
        return self.topology.bits(ahead), self.topology.bits(aslant)


class HexapawnState(State):
    """A position of Hexapawn: `pawns` are those of the two seats as bits."""

    __slots__ = ("board", "dropped", "outcome", "pawns", "to_move", "turn")

    seats = 2

    def __init__(
        self,
        board: Board,
        seat: int,
        pawns: tuple[int, int],
        turn: int,
        outcome: Outcome | None = None,
        dropped: tuple[int, ...] = (),
    ) -> None:
        self.board = board
        self.pawns = pawns
        self.turn = turn
        self.dropped = dropped
        self.outcome = outcome
        self.to_move = seat if outcome is None else None
        self.__class__ = _Sealed

    @property
    def topology(self) -> Topology:
        """The square board."""
        return self.board.topology

    def legal_actions(self) -> Sequence[Action]:
        """Return all legal actions, pawn by pawn: its step first, then its captures."""
        return () if self.to_move is None else actions(self.board, self.to_move, self.pawns)

    def advance(self, action: Action) -> State:
        """Return the state after an action known to be legal."""
        seat = self.to_move or 0
        if action.verb not in (MOVE, CAPTURE):
            left = Outcome("last-seat", places_with_winner(2, 1 - action.value, (action.value,)))
            return HexapawnState(
                self.board, seat, self.pawns, self.turn + (action.value == seat), left, (action.value,)
            )
        source, target = self.topology.bits([action.source or ""]), self.topology.bits([action.target or ""])
        own, enemy = self.pawns[seat] ^ source ^ target, self.pawns[1 - seat] & ~target
        pawns = (enemy, own) if seat else (own, enemy)
        return HexapawnState(self.board, 1 - seat, pawns, self.turn + 1, shown(self.board, pawns, 1 - seat))

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error that says which rule forbids the action; ValueError for a legal one."""
        hindrance = self._hindrance(action)
        if hindrance is None:
            raise ValueError(action.text)
        return hindrance

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions that the beginning of the text may be meant as, likeliest first."""
        if text.startswith(PASS.text):
            return (PASS,)
        typed = _TYPED.match(text)
        if typed is None or not {typed[1], typed[3]} <= self.topology.index.keys():
            return ()
        move, capture = (self.board.actions[f"{typed[1]}{sign}{typed[3]}"] for sign in "-x")
        return (capture, move) if typed[2] else (move, capture)

    def key(self) -> tuple[Any, ...]:
        """Return the position as a flat tuple."""
        position = (self.board.name, -1 if self.to_move is None else self.to_move, *self.pawns)
        if self.outcome is None:
            return position
        return (*position, self.outcome.reason, *self.outcome.places, *self.dropped)

    def to_json(self) -> dict[str, Any]:
        """Return the position as plain data."""
        return {
            "game": self.game.key,
            "options": {"board": self.board.name},
            "to_move": self.to_move,
            "pawns": positions.cell_lists_to_json(self.topology, self.pawns),
            **positions.ending_fields(self),
        }

    def _hindrance(self, action: Action) -> IllegalAction | None:
        """Return the rule that forbids the action in an unfinished game, None if it is legal."""
        if action.verb == "drop":
            playing = action == Action.drop(action.value) and self.is_playing(action.value)
            return None if playing else self.refuse_unknown(action)
        if action == PASS:
            return IllegalAction("must-move")
        if action.text not in self.board.actions:
            return self.refuse_unknown(action)
        pawn, cell = action.source or "", action.target or ""
        seat = self.to_move or 0
        own, enemy = (set(self.topology.cells(self.pawns[each])) for each in (seat, 1 - seat))
        if pawn not in own:
            return IllegalAction("enemy-pawn" if pawn in enemy else "no-pawn-there", cell=pawn)
        if pawn == cell:
            return IllegalAction("stays-put", cell=cell)
        if cell in own:
            return IllegalAction("own-pawn-there", cell=cell)
        aside, ahead = self.board.from_here(seat, pawn, cell)
        if ahead < 1:
            return IllegalAction("only-ahead", pawn=pawn, cell=cell)
        if ahead > 1 or abs(aside) > 1:
            return IllegalAction("too-far", pawn=pawn, cell=cell)
        if not aside and cell in enemy:
            return IllegalAction("way-blocked", pawn=pawn, cell=cell)
        if action.verb == CAPTURE and cell not in enemy:
            return IllegalAction("nothing-to-capture", cell=cell)
        if action.verb == MOVE and aside:
            return IllegalAction("enemy-there" if cell in enemy else "not-aslant", pawn=pawn, cell=cell)
        return None


_Sealed = make_immutable(HexapawnState)


def actions(board: Board, seat: int, pawns: tuple[int, int]) -> list[Action]:
    """Return what a seat could do with its pawns if it were on the move."""
    own, enemy = pawns[seat], pawns[1 - seat]
    names = board.topology.names
    result = []
    for cell in list_indices(own):
        steps, captures = board.ways[seat][cell]
        result += [board.actions[f"{names[cell]}-{names[to]}"] for to in list_indices(steps & ~(own | enemy))]
        result += [board.actions[f"{names[cell]}x{names[to]}"] for to in list_indices(captures & enemy)]
    return result


def shown(board: Board, pawns: tuple[int, int], seat: int | None) -> Outcome | None:
    """Return the end of the game, if the pawns show one; `seat` is the one to move, if that is known."""
    for winner in (0, 1):
        if pawns[winner] & board.goals[winner]:
            return Outcome("far-row", places_with_winner(2, winner))
    for winner in (0, 1):
        if not pawns[1 - winner]:
            return Outcome("all-captured", places_with_winner(2, winner))
    if seat is not None and not actions(board, seat, pawns):
        return Outcome("no-move", places_with_winner(2, 1 - seat))
    return None


class Hexapawn(Game):
    """The rules of Hexapawn; `load` adds the codes too-many-pawns, nobody-left and two-arrived."""

    key = "hexapawn"
    seats = range(2, 3)
    rules_version = 1
    facts = Facts(captures=frozenset({CAPTURE}), kinds={CAPTURE: MOVE})
    options: Mapping[str, Option] = {"board": Option("4x4", ("3x3", "4x4", "5x5"))}

    def __init__(self) -> None:
        self._boards = {board.name: board for board in map(Board, (3, 4, 5))}

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        return {cell: symbol for cells, symbol in zip(position["pawns"], "○●", strict=True) for cell in cells}

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> State:
        """Return the first state."""
        board = self._boards[str(self.checked_options(seats, options)["board"])]
        return HexapawnState(board, 0, board.camps, 0)

    def load(self, position: Mapping[str, Any]) -> State:
        """Return the state that the dictionary describes."""
        fields = positions.check_fields(self, position, ("pawns",))
        board = self._boards[str(positions.options_of(self, fields)["board"])]
        white, black = fields["pawns"].cell_lists(board.topology, 2)
        for seat, pawns in enumerate((white, black)):
            if pawns.bit_count() > board.size:
                raise InvalidPosition("too-many-pawns", seat=seat, pawns=pawns.bit_count(), most=board.size)
        if not white | black:
            raise InvalidPosition("nobody-left")
        if (white & board.goals[0]).bit_count() + (black & board.goals[1]).bit_count() > 1:
            raise InvalidPosition("two-arrived")
        dropped = positions.check_dropped(fields, 2)
        to_move = positions.to_move_of(fields, 2, dropped)
        found = positions.last_seat(2, dropped) or shown(board, (white, black), to_move)

        def is_blocked(outcome: Outcome) -> bool:
            """Say whether the game may have ended for want of a move: whose turn it was, the position does not tell."""
            return any(outcome == shown(board, (white, black), seat) for seat in (0, 1))

        outcome = positions.settle_outcome(fields, 2, found, is_blocked)
        turn = positions.Extra(fields).integer("turn")
        return HexapawnState(board, to_move or 0, (white, black), turn, outcome, dropped)


GAME: Final = Hexapawn()
HexapawnState.game = GAME
