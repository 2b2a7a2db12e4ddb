"""The rules of Game Key."""

# New game: say in the docstring what the game is, and whose. What is here plays already, so that all the other parts
# have something to show: seats place pieces in turn, and the player who fills the board wins. Replace it rule by rule.
# engine/core.py says what Game and State must do; a package instead of a module, where it passes 400 lines.

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

BOARD: Final[Topology] = square_grid(3, 3)
PLACE: Final = "place"

# Actions are made once, never in a loop of a search.
_PLACEMENTS: Final = tuple(Action(name, PLACE, target=name) for name in BOARD.names)
_BY_TEXT: Final = {action.text: action for action in _PLACEMENTS}
_TYPED: Final = re.compile(r"[a-z]\d+")


class GameKeyState(State):
    """A position of Game Key: `pieces` are those of the seats as bits."""

    __slots__ = ("dropped", "outcome", "pieces", "to_move", "turn")

    seats = 2

    def __init__(
        self,
        seat: int,
        pieces: tuple[int, int],
        turn: int,
        outcome: Outcome | None = None,
        dropped: tuple[int, ...] = (),
    ) -> None:
        self.pieces = pieces
        self.turn = turn
        self.dropped = dropped
        self.outcome = outcome
        self.to_move = seat if outcome is None else None
        self.__class__ = _Sealed

    @property
    def topology(self) -> Topology:
        """The board."""
        return BOARD

    def legal_actions(self) -> Sequence[Action]:
        """Return all legal actions."""
        if self.to_move is None:
            return ()
        return [_PLACEMENTS[cell] for cell in list_indices(BOARD.all & ~(self.pieces[0] | self.pieces[1]))]

    def advance(self, action: Action) -> State:
        """Return the state after an action known to be legal."""
        seat = self.to_move or 0
        if action.is_drop:
            left = Outcome("last-seat", places_with_winner(2, 1 - action.value, (action.value,)))
            return GameKeyState(seat, self.pieces, self.turn + (action.value == seat), left, (action.value,))
        own = self.pieces[seat] | BOARD.bits([action.target or ""])
        pieces = (self.pieces[0], own) if seat else (own, self.pieces[1])
        return GameKeyState(1 - seat, pieces, self.turn + 1, find_outcome(pieces))

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error that says which rule forbids the action here."""
        if action == PASS:
            return IllegalAction("must-act")
        if action.text not in _BY_TEXT:
            return self.refuse_unknown(action)
        # New game: one code for each rule that can stand in the way, with the cells and numbers that its words need.
        return IllegalAction("cell-taken", cell=action.target)

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions, legal or not, that the beginning of a text may be meant as."""
        if text.startswith(PASS.text):
            return (PASS,)
        typed = _TYPED.match(text)
        return (_BY_TEXT[typed[0]],) if typed and typed[0] in _BY_TEXT else ()

    def key(self) -> tuple[Any, ...]:
        """Return the position as a flat tuple."""
        position = (-1 if self.to_move is None else self.to_move, *self.pieces)
        return position if self.outcome is None else (*position, self.outcome.reason, *self.outcome.places)

    def to_json(self) -> dict[str, Any]:
        """Return the position as plain data."""
        return {
            "game": self.game.key,
            "options": {},
            "to_move": self.to_move,
            "pieces": positions.cell_lists_to_json(BOARD, self.pieces),
            **positions.ending_fields(self),
        }


_Sealed = make_immutable(GameKeyState)


def find_outcome(pieces: tuple[int, int]) -> Outcome | None:
    """Return the end of the game, if the pieces show one."""
    if pieces[0] | pieces[1] != BOARD.all:
        return None
    last = 0 if pieces[0].bit_count() > pieces[1].bit_count() else 1
    return Outcome("board-full", places_with_winner(2, last))


class GameKey(Game):
    """The rules of Game Key; `load` adds the code pieces-do-not-add-up."""

    key = "game-key"
    seats = range(2, 3)
    rules_version = 1
    options: Mapping[str, Option] = {}
    # New game: what there is in it, for everybody who deals with any game (engine/facts.py).
    facts = Facts()

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        return {cell: symbol for cells, symbol in zip(position["pieces"], "○●", strict=True) for cell in cells}

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> State:
        """Return the first state."""
        self.checked_options(seats, options)
        return GameKeyState(0, (0, 0), 0)

    def load(self, position: Mapping[str, Any]) -> State:
        """Return the state that the dictionary describes."""
        fields = positions.check_fields(self, position, ("pieces",))
        positions.options_of(self, fields)
        white, black = fields["pieces"].cell_lists(BOARD, 2)
        if white.bit_count() - black.bit_count() not in (0, 1):
            raise InvalidPosition("pieces-do-not-add-up", white=white.bit_count(), black=black.bit_count())
        dropped = positions.check_dropped(fields, 2)
        to_move = positions.to_move_of(fields, 2, dropped)
        found = positions.last_seat(2, dropped) or find_outcome((white, black))
        outcome = positions.settle_outcome(fields, 2, found, lambda _outcome: False)
        turn = positions.Extra(fields).integer("turn")
        return GameKeyState(to_move or 0, (white, black), turn, outcome, dropped)


GAME: Final = GameKey()
GameKeyState.game = GAME
