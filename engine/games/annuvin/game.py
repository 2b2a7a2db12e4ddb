"""Creating positions of Annuvin: the start, and dictionaries (docs/rules/annuvin.md).

Proven values of Annuvin positions: the hexagon up to four pieces a side, the square completely.

The tables ignore history. A draw stays a draw whatever came before. A win is safe if no position can occur for the
third time before its next capture: the winner gets nearer to that capture with every turn, so each position on the way
occurs once, and only positions that have occurred twice and are nearer to it matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from engine import positions
from engine.core import Game, GameOptions, InvalidPosition, Option, Outcome, Position, State, places_with_draw
from engine.facts import Facts
from engine.games.annuvin.rules import QUIET_LIMIT, AnnuvinState, Board, Variant, win_shown
from engine.notation import STOPPING, list_marks
from engine.oracle import Oracle, Verdict
from engine.positions import REPETITIONS_FOR_DRAW, History, PositionField
from engine.topology import list_indices, list_symmetries

if TYPE_CHECKING:
    from engine.games.annuvin.codes import Kind

MAX_PIECES: Final = 4
"""Maximum number of pieces a side of covered positions."""

DRAW: Final = 0
"""The code of a draw; a win is 2d and a loss 2d + 1, with the next capture d turns away."""
WON_AT_ONCE: Final = 2
"""The code of a win by an immediate capture."""

_MAX_RESERVE: Final = {"hexagon": 0, "square": 4}
_CACHE_SIZE: Final = 8192
"""Number of sets of cells whose rows are cached."""
_CELL_BITS: Final = 64
"""A history key consists of both sets of cells, this many bits each, and the seat (`AnnuvinState`)."""


class AnnuvinOracle(Oracle):
    """Looks positions up in the tables, and follows captures to their end where the tables are silent."""

    def probe(self, state: State) -> Verdict | None:
        """Return the verdict on a position with a seat on the move; None if it is not known."""
        assert isinstance(state, AnnuvinState)  # noqa: S101
        if not self.covers(state):
            return None
        seat, own, enemy = state.seat, state.own, state.enemy
        endings = _endings(state.variant.board)
        own_reserve, enemy_reserve = state.reserve[seat], state.reserve[1 - seat]
        if state.moving >= 0:
            code = endings.amid(state.moving, state.range, own, enemy, own_reserve, enemy_reserve)
        else:
            code = endings.code(own, enemy, own_reserve, enemy_reserve)
        if code == DRAW:
            return Verdict((0.5, 0.5), None)
        turns, lost = code >> 1, code & 1
        if state.moving < 0 and not _is_safe(state, endings, code):
            return None
        return Verdict((1.0, 0.0) if seat == lost else (0.0, 1.0), turns)

    def covers(self, state: State) -> bool:
        """Return whether the position is covered, whatever came before."""
        assert isinstance(state, AnnuvinState)  # noqa: S101
        reserve = _MAX_RESERVE[state.variant.board.name]
        return (
            state.outcome is None
            and state.own.bit_count() <= MAX_PIECES
            and state.enemy.bit_count() <= MAX_PIECES
            and state.reserve[0] <= reserve
            and state.reserve[1] <= reserve
        )


class _Endings:
    """The tables of one board, indexed by sets of cells as the mover sees them."""

    def __init__(self, board: Board) -> None:
        from engine.games.annuvin.codes import Codes  # when it is first asked: a start needs none of it

        self.board = board
        self.codes = Codes(board.name)
        symmetries = list_symmetries(board.topology)
        self.images = [tuple([1 << there for there in image]) for image in symmetries]
        """The symmetries of the board: for each cell its image as a bit."""
        self.choose = [[math.comb(n, k) for k in range(6)] for n in range(len(board.topology) + 1)]
        self.places: dict[int, tuple[int, int, tuple[int, ...]]] = {}

    def code(self, own: int, enemy: int, own_reserve: int, enemy_reserve: int) -> int:
        """Return the code of a position at the start of a turn."""
        kind = (own.bit_count(), enemy.bit_count(), own_reserve, enemy_reserve)
        if kind in self.codes.exact:
            return self.written(kind, own, enemy)
        best = self.captured(own, enemy, own_reserve, enemy_reserve)
        if best > 0:
            return WON_AT_ONCE
        code = self.written(kind, own, enemy)
        return DRAW if best == 0 and (code & 1) else code

    def written(self, kind: Kind, own: int, enemy: int) -> int:
        """Return the table's code, which may be wrong where a capture wins or draws."""
        found = self.places.get(own)
        if found is None:
            found = self.places[own] = self.place(own)
        row, taken, image = found
        turned = 0
        while enemy:
            low = enemy & -enemy
            enemy ^= low
            turned |= image[low.bit_length() - 1]
        column, count = 0, 1
        choose = self.choose
        while turned:
            low = turned & -turned
            turned ^= low
            column += choose[low.bit_length() - 1 - (taken & (low - 1)).bit_count()][count]
            count += 1
        return self.codes.code(kind, row, column)

    def place(self, own: int) -> tuple[int, int, tuple[int, ...]]:
        """Return the row of a set of cells, its smallest image, and the symmetry that leads there."""
        if len(self.places) >= _CACHE_SIZE:
            self.places.clear()
        cells = list_indices(own)
        best, chosen = -1, self.images[0]
        for image in self.images:
            turned = 0
            for cell in cells:
                turned |= image[cell]
            if best < 0 or turned < best:
                best, chosen = turned, image
        return self.codes.rows[len(cells)][best], best, chosen

    def captured(self, own: int, enemy: int, own_reserve: int, enemy_reserve: int) -> int:
        """Return the best result of a turn with a capture: 1 a win, 0 a draw, -1 a loss or no capture."""
        board = self.board
        reach = 1 if own_reserve else board.size + 1 - own.bit_count()
        best = -1
        for piece in list_indices(own):
            if board.reach[piece][reach] & enemy:
                best = max(best, self.going_on(piece, reach, own, enemy, own_reserve, enemy_reserve))
                if best > 0:
                    return best
        return best

    def going_on(self, piece: int, left: int, own: int, enemy: int, own_reserve: int, enemy_reserve: int) -> int:
        """Return the best result of captures by a piece with some range left."""
        board = self.board
        best = -1
        distance = board.distance[piece]
        for cell in list_indices(board.reach[piece][left] & enemy):
            fewer, moved = enemy ^ 1 << cell, own ^ 1 << piece ^ 1 << cell
            remaining = fewer.bit_count() + enemy_reserve
            if remaining == 0 or (remaining == 1 and own.bit_count() + own_reserve == board.size):
                return 1
            code = self.code(fewer, moved, enemy_reserve, own_reserve)
            if code & 1:
                return 1
            if code == DRAW:
                best = 0
            further = left - distance[cell]
            if further and board.reach[cell][further] & fewer:
                best = max(best, self.going_on(cell, further, moved, fewer, own_reserve, enemy_reserve))
                if best > 0:
                    return best
        return best

    def amid(self, piece: int, left: int, own: int, enemy: int, own_reserve: int, enemy_reserve: int) -> int:
        """Return the code of a position in which a piece may continue capturing or stop."""
        best = self.going_on(piece, left, own, enemy, own_reserve, enemy_reserve)
        if best > 0:
            return WON_AT_ONCE
        stopped = self.code(enemy, own, enemy_reserve, own_reserve)
        if stopped & 1:
            return stopped + 1
        return DRAW if best == 0 or stopped == DRAW else stopped + 3


def _is_safe(state: AnnuvinState, endings: _Endings, code: int) -> bool:
    """Return whether neither the no-progress rule nor repetition can apply before the next capture."""
    turns, lost = code >> 1, code & 1
    if state.quiet + turns > QUIET_LIMIT:
        return False
    here: History | None = state.history
    seen = set[int]()
    node = here.previous if here is not None else None
    while node is not None:
        key = node.key
        if node.occurrences >= REPETITIONS_FOR_DRAW - 1 and isinstance(key, int) and key not in seen:
            seen.add(key)
            seat = key & 1
            pieces = key >> 1
            own, enemy = pieces >> _CELL_BITS, pieces & (1 << _CELL_BITS) - 1
            there = endings.code(own, enemy, state.reserve[seat], state.reserve[1 - seat])
            # Whose win it is there, seen from the mover here.
            loses = there & 1 if seat == state.seat else 1 - (there & 1)
            if there != DRAW and loses == lost and there >> 1 < turns:
                return False
        node = node.previous
    return True


@cache
def _endings(board: Board) -> _Endings:
    return _Endings(board)


ORACLE: Final = AnnuvinOracle()


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

    def symbols(self, position: Position) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        return {cell: symbol for cells, symbol in zip(position["pieces"], "○●", strict=True) for cell in cells}

    def start(self, seats: int = 2, options: GameOptions | None = None) -> State:
        """Return the first state."""
        chosen = self.checked_options(seats, options)
        variant = self._variants[chosen["board"], chosen["setup"]]
        white, black = variant.camps
        return AnnuvinState(variant, 0, white, black, variant.reserve, 0)

    def load(self, position: Position) -> State:
        """Return the state that the dictionary describes."""
        fields = positions.check_fields(self, position, _FIELDS)
        chosen = positions.options_of(self, fields)
        variant = self._variants[chosen["board"], chosen["setup"]]
        board = variant.board
        pieces = fields["pieces"].cell_lists(board.topology, 2)
        white, black = fields["reserve"].integers(2, 0, variant.reserve[0])
        reserve = (white, black)
        lost = fields["lost"].integers(2, 0, board.size)
        for seat in (0, 1):
            have = pieces[seat].bit_count()
            if have + reserve[seat] + lost[seat] != board.size:
                counts = {"pieces": have, "reserve": reserve[seat], "lost": lost[seat], "size": board.size}
                raise InvalidPosition("pieces-do-not-add-up", seat=seat, **counts)
        if lost == (board.size, board.size):
            raise InvalidPosition("nobody-left")
        dropped = positions.check_dropped(fields, 2)
        to_move = positions.to_move_of(fields, 2, dropped)
        found = positions.last_seat(2, dropped)
        for winner in (0, 1):
            found = found or win_shown(board, winner, pieces[winner], pieces[1 - winner], reserve)
        outcome = positions.settle_outcome(fields, 2, found, _is_draw)
        seat = to_move or 0
        own, enemy = pieces[seat], pieces[1 - seat]
        moving, left = -1, 0
        if fields["moving"].value is not None:
            if outcome is not None or reserve[seat] or not lost[1 - seat]:
                raise InvalidPosition("not-capturing")
            moving, left = _loaded_moving(fields["moving"], board, own, enemy)
        extra = positions.Extra(fields)
        turn, quiet = extra.integer("turn"), extra.integer("quiet", most=QUIET_LIMIT - (outcome is None))
        return AnnuvinState(
            variant, seat, own, enemy, reserve, turn, quiet, extra.history(), moving, left, outcome, dropped
        )


def _is_draw(outcome: Outcome) -> bool:
    return outcome.reason in ("repetition", "no-progress") and outcome.places == places_with_draw(2)


def _loaded_moving(moving: PositionField, board: Board, own: int, enemy: int) -> tuple[int, int]:
    """Return the piece in the middle of its captures and its remaining range."""
    fields = moving.mapping(("piece", "range"))
    piece = fields["piece"].cell(board.topology)
    if not own >> piece & 1:
        raise InvalidPosition("not-capturing")
    # the capture before has used at least one step of the range
    left = fields["range"].integer(1, board.size - own.bit_count())
    if not board.reach[piece][left] & enemy:
        raise InvalidPosition("no-capture-left", cell=fields["piece"].value, range=left)
    return piece, left


GAME: Final = Annuvin()
AnnuvinState.game = GAME
