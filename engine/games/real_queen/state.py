"""Positions of Real Queen and their legal actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.core import (
    PASS,
    Action,
    GameOver,
    IllegalAction,
    Outcome,
    Random,
    State,
    make_immutable,
    places_with_draw,
    places_with_winner,
    shorten_value,
)
from engine.games.real_queen import reading, refusals
from engine.games.real_queen.tables import (
    BOARD,
    CAPTURE,
    CAPTURES,
    CROWN,
    CROWNS,
    MAX_IDLE_TURNS,
    MIN_ALIGNMENT,
    MOVES,
    NEIGHBOUR_BITS,
    PASSING,
    PLACE,
    PLACES,
    RETURNS,
    SHIFT,
    SHIFTS,
    STEP,
    STEPS,
    compute_payment,
    find_alignments,
    find_completing_cells,
)
from engine.positions import History, cell_lists_to_json, ending_fields
from engine.topology import Topology, list_indices, nth_index

Pair = tuple[int, int]


class RealQueenState(State):
    """A position of Real Queen; sets of cells are bits by `BOARD`'s index, pairs have one entry per seat.

    `queens` are bits (0: still in hand). In the middle of a turn `captures` and `returns` say what is still
    due, `runs` are the alignments' cells not yet returned and `crossing` is the piece that must go back first.
    `idle` counts the turns in a row without an alignment. `history` is None where nothing before this
    position can come again.
    """

    __slots__ = (
        "captures",
        "crossing",
        "dropped",
        "history",
        "idle",
        "outcome",
        "pieces",
        "queens",
        "reserve",
        "returns",
        "runs",
        "to_move",
        "turn",
    )

    seats = 2

    def __init__(
        self,
        to_move: int | None,
        pieces: Pair,
        queens: Pair,
        reserve: Pair,
        captures: int = 0,
        returns: int = 0,
        runs: tuple[int, ...] = (),
        crossing: int = 0,
        idle: int = 0,
        turn: int = 0,
        history: History | None = None,
        outcome: Outcome | None = None,
        dropped: tuple[int, ...] = (),
    ) -> None:
        self.to_move = to_move
        self.pieces = pieces
        self.queens = queens
        self.reserve = reserve
        self.captures = captures
        self.returns = returns
        self.runs = runs
        self.crossing = crossing
        self.idle = idle
        self.turn = turn
        self.history = history
        self.outcome = outcome
        self.dropped = dropped
        self.__class__ = _Sealed

    @property
    def topology(self) -> Topology:
        return BOARD

    @property
    def free(self) -> int:
        """The free cells."""
        pieces, queens = self.pieces, self.queens
        return BOARD.all & ~(pieces[0] | pieces[1] | queens[0] | queens[1])

    def due(self) -> int:
        """Return the pieces of which one must be captured or returned now, 0 if none is due."""
        seat = self.to_move
        if seat is None:
            return 0
        if self.captures:
            return self.pieces[1 - seat]
        if self.crossing:
            return self.crossing
        members = 0
        for run in self.runs:
            members |= run
        return members & self.pieces[seat]

    def queen_targets(self, seat: int, free: int) -> int:
        """Return the free cells where the queen may enter, or move once she is in play."""
        queen = self.queens[seat]
        if queen:
            return NEIGHBOUR_BITS[queen.bit_length() - 1] & free
        return find_completing_cells(self.pieces[seat]) & free if self.reserve[seat] else free

    def may_shift(self, seat: int) -> bool:
        """Return whether the seat's normal pieces on the board may move."""
        return bool(self.queens[seat]) and not self.reserve[seat]

    def legal_actions(self) -> Sequence[Action]:
        seat = self.to_move
        if seat is None:
            return ()
        if self.returns:
            table = CAPTURES if self.captures else RETURNS
            return [table[cell] for cell in list_indices(self.due())]
        free = self.free
        cells = list_indices(free)
        actions = [PLACES[cell] for cell in cells] if self.reserve[seat] else []
        queen = self.queens[seat]
        crowning = STEPS[queen.bit_length() - 1] if queen else CROWNS
        actions += [crowning[cell] for cell in list_indices(self.queen_targets(seat, free))]
        if self.may_shift(seat):
            for source in list_indices(self.pieces[seat]):
                row = SHIFTS[source]
                actions += [row[cell] for cell in cells]
        return actions or [PASS]

    def random_action(self, rng: Random) -> Action:
        """Draw one legal action uniformly: the one at a random index of `legal_actions`."""
        seat = self.to_move
        if seat is None:
            raise GameOver
        if self.returns:
            due = self.due()
            cell = nth_index(due, rng.randrange(due.bit_count()))
            return (CAPTURES if self.captures else RETURNS)[cell]
        free = self.free
        queen = self.queens[seat]
        targets = self.queen_targets(seat, free)
        width = free.bit_count()
        places = width if self.reserve[seat] else 0
        moves = targets.bit_count()
        shifts = width * self.pieces[seat].bit_count() if queen and not places else 0
        if not places + moves + shifts:
            return PASS
        number = rng.randrange(places + moves + shifts)
        if number < places:
            return PLACES[nth_index(free, number)]
        number -= places
        if number < moves:
            cell = nth_index(targets, number)
            return STEPS[queen.bit_length() - 1][cell] if queen else CROWNS[cell]
        source, target = divmod(number - moves, width)
        return SHIFTS[nth_index(self.pieces[seat], source)][nth_index(free, target)]

    def is_legal(self, action: Action) -> bool:
        return self.to_move is not None and refusals.hindrance(self, action) is None

    def refusal(self, action: Action) -> IllegalAction:
        return refusals.hindrance(self, action) or IllegalAction("foreign-action", text=shorten_value(action.text))

    def refusal_after(self, action: Action, text: str) -> IllegalAction:
        if self.returns or action.target is None or self.advance(action).outcome:
            return super().refusal_after(action, text)
        return IllegalAction("makes-no-line", cell=action.target, least=MIN_ALIGNMENT)

    def advance(self, action: Action) -> RealQueenState:
        move = MOVES.get(action.text)
        if move is None:
            return self._without(action.value)
        kind, source, target = move
        if kind >= CAPTURE:
            return self._capture(1 << target) if kind == CAPTURE else self._return(1 << target)
        seat = 0 if self.to_move == 0 else 1
        own, enemy = self.pieces[seat], self.pieces[1 - seat]
        queen, reserve = self.queens[seat], self.reserve[seat]
        lasting = False
        if kind == PLACE:
            own |= 1 << target
            reserve -= 1
            # Back to the reserve without a capture on the way: only while the enemy has no piece to capture.
            lasting = enemy != 0
        elif kind == CROWN:
            queen = 1 << target
            lasting = True
        elif kind == STEP:
            queen = 1 << target
        elif kind == SHIFT:
            own ^= 1 << source | 1 << target
        runs = [] if kind == PASSING else find_alignments(target, own | queen)
        if seat:
            pieces, queens, reserves = (enemy, own), (self.queens[0], queen), (self.reserve[0], reserve)
        else:
            pieces, queens, reserves = (own, enemy), (queen, self.queens[1]), (reserve, self.reserve[1])
        history = None if lasting else self.history or History(self.repetition_key())
        if not runs:
            return _next_turn(seat, pieces, queens, reserves, self.idle + 1, self.turn + 1, history)
        reason = _winning(runs, queen, queens[1 - seat])
        if reason:
            outcome = Outcome(reason, places_with_winner(2, seat))
            return RealQueenState(None, pieces, queens, reserves, turn=self.turn + 1, outcome=outcome)
        captures, returns = compute_payment(runs, queen)
        crossing = 1 << target if len(runs) > 1 and queen != 1 << target else 0
        captures = min(captures, enemy.bit_count())
        return RealQueenState(
            seat, pieces, queens, reserves, captures, returns, tuple(runs), crossing, 0, self.turn, history
        )

    def find_captures(self, actions: Iterable[Action]) -> frozenset[Action]:
        """Return the captures, and what makes an alignment that captures or that wins next to the enemy queen."""
        if self.returns:
            return super().find_captures(actions)
        return frozenset(action for action in actions if self._takes(action))

    def _takes(self, action: Action) -> bool:
        after = self.advance(action)
        return after.captures > 0 or (after.outcome is not None and after.outcome.winner is not None)

    def _capture(self, cell: int) -> RealQueenState:
        white, black = self.pieces
        pieces = (white ^ cell, black) if self.to_move else (white, black ^ cell)
        return RealQueenState(
            self.to_move,
            pieces,
            self.queens,
            self.reserve,
            self.captures - 1,
            self.returns,
            self.runs,
            self.crossing,
            0,
            self.turn,
        )

    def _return(self, cell: int) -> RealQueenState:
        (white, black), (first, second) = self.pieces, self.reserve
        if self.to_move:
            pieces, reserve = (white, black ^ cell), (first, second + 1)
        else:
            pieces, reserve = (white ^ cell, black), (first + 1, second)
        if self.returns == 1:
            return _next_turn(self.to_move or 0, pieces, self.queens, reserve, 0, self.turn + 1, self.history)
        runs = tuple([run & ~cell for run in self.runs])
        return RealQueenState(
            self.to_move, pieces, self.queens, reserve, 0, self.returns - 1, runs, 0, 0, self.turn, self.history
        )

    def _without(self, seat: int) -> RealQueenState:
        outcome = Outcome("last-seat", places_with_winner(2, 1 - seat, (seat,)))
        return RealQueenState(
            None,
            self.pieces,
            self.queens,
            self.reserve,
            idle=self.idle,
            turn=self.turn + (seat == self.to_move),
            outcome=outcome,
            dropped=(seat,),
        )

    def readings(self, action: Action) -> Iterable[str]:
        return reading.readings(action)

    def well_formed(self, text: str) -> Iterable[Action]:
        return reading.well_formed(self, text)

    def repetition_key(self) -> int:
        """Return the key that distinguishes the positions of one history.

        Captured pieces, and so reserves, are constant.
        """
        return _repetition_key(self.to_move or 0, self.pieces, self.queens)

    def key(self) -> tuple[Any, ...]:
        board = (*self.pieces, *self.queens, *self.reserve)
        if self.outcome:
            return (*board, -1, self.outcome.reason, *self.outcome.places, *self.dropped)
        return (*board, self.to_move, self.captures, self.returns, self.crossing, *sorted(self.runs))

    def to_json(self) -> dict[str, Any]:
        pending = None
        if self.returns:
            pending = {
                "captures": self.captures,
                "returns": self.returns,
                "runs": sorted(cell_lists_to_json(BOARD, self.runs), key=_in_board_order),
                "crossing": _name(self.crossing),
            }
        return {
            "game": self.game.key,
            "options": {},
            "to_move": self.to_move,
            "pieces": cell_lists_to_json(BOARD, self.pieces),
            "queens": [_name(queen) for queen in self.queens],
            "reserve": list(self.reserve),
            "pending": pending,
            **ending_fields(self, self.history, idle=self.idle),
        }


_Sealed = make_immutable(RealQueenState)


def _next_turn(
    seat: int, pieces: Pair, queens: Pair, reserve: Pair, idle: int, turn: int, history: History | None
) -> RealQueenState:
    """Return the state after a turn that did not win; `history` is the one before it."""
    reason = ""
    if history is not None:
        history = History(_repetition_key(1 - seat, pieces, queens), history)
        if history.is_draw:
            reason = "repetition"
    if idle >= MAX_IDLE_TURNS and not reason:
        reason = "no-progress"
    if reason:
        outcome = Outcome(reason, places_with_draw(2))
        return RealQueenState(None, pieces, queens, reserve, idle=idle, turn=turn, outcome=outcome)
    return RealQueenState(1 - seat, pieces, queens, reserve, 0, 0, (), 0, idle, turn, history)


def _winning(runs: list[int], queen: int, enemy_queen: int) -> str:
    """Return the reason for which the alignments win (rules, End), empty if they do not."""
    if not enemy_queen:
        return ""
    near = NEIGHBOUR_BITS[enemy_queen.bit_length() - 1]
    winning = [run for run in runs if run & near]
    if not winning:
        return ""
    return "royal" if any(run & queen for run in winning) else "plain"


def _repetition_key(to_move: int, pieces: Pair, queens: Pair) -> int:
    width = len(BOARD)
    key = pieces[0] << width | pieces[1]
    return (key << 6 | queens[0].bit_length()) << 7 | queens[1].bit_length() << 1 | to_move


def _name(cell: int) -> str | None:
    return BOARD.names[cell.bit_length() - 1] if cell else None


def _in_board_order(cells: list[str]) -> list[int]:
    return [BOARD.index[cell] for cell in cells]
