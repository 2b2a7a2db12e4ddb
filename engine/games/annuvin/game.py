"""Creating positions of Annuvin: the start, and dictionaries (docs/rules/annuvin.md)."""

from collections.abc import Mapping
from typing import Any, Final

from engine import positions
from engine.core import Game, InvalidPosition, Option, Outcome, State, places_with_draw
from engine.facts import Facts
from engine.games.annuvin.oracle import ORACLE
from engine.games.annuvin.state import AnnuvinState, win_shown
from engine.games.annuvin.tables import QUIET_LIMIT, Board, Variant
from engine.oracle import Oracle
from engine.vocabulary import STOPPING, list_marks

_FIELDS: Final = ("pieces", "reserve", "lost", "moving")


class Annuvin(Game):
    """The rules of Annuvin; `load` adds the codes pieces-do-not-add-up, nobody-left, not-capturing, no-capture-left."""

    key = "annuvin"
    order = 1
    seats = range(2, 3)
    rules_version = 1
    options: Mapping[str, Option] = {
        "board": Option("hexagon", ("hexagon", "square")),
        "setup": Option("classic", ("classic", "empty")),
    }
    facts = Facts(captures=frozenset({"capture"}), kinds={"capture": "move"})

    words: Mapping[str, str] = {**list_marks("stop", STOPPING), **list_marks("", "posa poso")}
    oracle: Oracle | None = ORACLE

    def __init__(self) -> None:
        boards = [Board(str(name)) for name in self.options["board"].values]
        self._variants: dict[tuple[str | int, ...], Variant] = {
            (board.name, setup): Variant(board, str(setup))
            for board in boards
            for setup in self.options["setup"].values
        }

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        return {cell: symbol for cells, symbol in zip(position["pieces"], "○●", strict=True) for cell in cells}

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> State:
        """Return the first state."""
        chosen = self.checked_options(seats, options)
        variant = self._variants[chosen["board"], chosen["setup"]]
        white, black = variant.camps
        return AnnuvinState(variant, 0, white, black, variant.reserve, 0)

    def load(self, position: Mapping[str, Any]) -> State:
        """Return the state that the dictionary describes."""
        position = positions.check_fields(self, position, _FIELDS)
        chosen = positions.options_of(self, position)
        variant = self._variants[chosen["board"], chosen["setup"]]
        board = variant.board
        pieces = positions.cell_lists(position["pieces"], "pieces", board.topology, 2)
        white, black = positions.check_integers(position["reserve"], "reserve", 2, 0, variant.reserve[0])
        reserve = (white, black)
        lost = positions.check_integers(position["lost"], "lost", 2, 0, board.size)
        for seat in (0, 1):
            have = pieces[seat].bit_count()
            if have + reserve[seat] + lost[seat] != board.size:
                counts = {"pieces": have, "reserve": reserve[seat], "lost": lost[seat], "size": board.size}
                raise InvalidPosition("pieces-do-not-add-up", seat=seat, **counts)
        if lost == (board.size, board.size):
            raise InvalidPosition("nobody-left")
        dropped = positions.check_dropped(position, 2)
        to_move = positions.to_move_of(position, 2, dropped)
        found = positions.last_seat(2, dropped)
        for winner in (0, 1):
            found = found or win_shown(board, winner, pieces[winner], pieces[1 - winner], reserve)
        outcome = positions.settle_outcome(position, 2, found, _is_draw)
        seat = to_move or 0
        own, enemy = pieces[seat], pieces[1 - seat]
        moving, left = -1, 0
        if position["moving"] is not None:
            if outcome is not None or reserve[seat] or not lost[1 - seat]:
                raise InvalidPosition("not-capturing")
            moving, left = _loaded_moving(position["moving"], board, own, enemy)
        extra = positions.Extra(position)
        turn, quiet = extra.integer("turn"), extra.integer("quiet", most=QUIET_LIMIT - (outcome is None))
        return AnnuvinState(
            variant, seat, own, enemy, reserve, turn, quiet, extra.history(), moving, left, outcome, dropped
        )


def _is_draw(outcome: Outcome) -> bool:
    return outcome.reason in ("repetition", "no-progress") and outcome.places == places_with_draw(2)


def _loaded_moving(value: object, board: Board, own: int, enemy: int) -> tuple[int, int]:
    """Return the piece in the middle of its captures and its remaining range."""
    fields = positions.mapping(value, "moving", ("piece", "range"))
    piece = positions.check_cell(fields["piece"], "moving.piece", board.topology)
    if not own >> piece & 1:
        raise InvalidPosition("not-capturing")
    # the capture before has used at least one step of the range
    left = positions.check_integer(fields["range"], "moving.range", 1, board.size - own.bit_count())
    if not board.reach[piece][left] & enemy:
        raise InvalidPosition("no-capture-left", cell=fields["piece"], range=left)
    return piece, left


GAME: Final = Annuvin()
AnnuvinState.game = GAME
