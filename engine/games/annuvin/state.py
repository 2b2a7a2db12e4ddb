"""Positions of Annuvin and their legal actions (docs/rules/annuvin.md)."""

from collections.abc import Iterable, Sequence
from typing import Any

from engine import positions
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
)
from engine.games.annuvin import refusals
from engine.games.annuvin.tables import CAPTURE, GO_ON, HALT, MOVE, PLACE, QUIET_LIMIT, STOP, Board, Variant
from engine.positions import REPETITIONS_FOR_DRAW, History
from engine.topology import Topology, list_indices, nth_index


class AnnuvinState(State):
    """A position of Annuvin, seen by the seat on the move.

    `own` and `enemy` are the pieces of `seat` and of the other as bits, `reserve` is by seat. `range` is the range of
    the mover's pieces; in the middle of a turn `moving` is the capturing piece (else -1) and `range` its remaining
    range. `quiet` counts turns without capture or placement.
    """

    __slots__ = (
        "dropped",
        "enemy",
        "history",
        "moving",
        "outcome",
        "own",
        "quiet",
        "range",
        "reserve",
        "seat",
        "to_move",
        "turn",
        "variant",
    )

    seats = 2

    def __init__(
        self,
        variant: Variant,
        seat: int,
        own: int,
        enemy: int,
        reserve: tuple[int, int],
        turn: int,
        quiet: int = 0,
        previous: History | None = None,
        moving: int = -1,
        left: int = 0,
        outcome: Outcome | None = None,
        dropped: tuple[int, ...] = (),
    ) -> None:
        """Create a state; without outcome and moving piece it starts a turn after `previous` and may be a draw."""
        self.variant = variant
        self.seat = seat
        self.own = own
        self.enemy = enemy
        self.reserve = reserve
        self.turn = turn
        self.quiet = quiet
        self.moving = moving
        self.range = left
        self.dropped = dropped
        self.history: History | None = None
        if outcome is None and moving < 0:
            self.range = 1 if reserve[seat] else variant.board.size + 1 - own.bit_count()
            self.history = history = History((own << 64 | enemy) << 1 | seat, previous)
            if history.occurrences >= REPETITIONS_FOR_DRAW:
                outcome = Outcome("repetition", places_with_draw(2))
            elif quiet >= QUIET_LIMIT:
                outcome = Outcome("no-progress", places_with_draw(2))
        self.outcome = outcome
        self.to_move = seat if outcome is None else None
        self.__class__ = _Sealed

    @property
    def board(self) -> Board:
        """The tables of the hexagon or the square."""
        return self.variant.board

    @property
    def topology(self) -> Topology:
        """The hexagon or the square."""
        return self.variant.board.topology

    def legal_actions(self) -> Sequence[Action]:
        """Return all legal actions: captures, then moves, piece by piece; for a capturing piece `stop` comes last."""
        if self.to_move is None:
            return ()
        board, enemy, reach = self.variant.board, self.enemy, self.range
        if self.moving >= 0:
            going_on = board.goings_on[self.moving]
            return [*(going_on[to] for to in list_indices(board.reach[self.moving][reach] & enemy)), STOP]
        result: list[Action] = []
        pieces = self.own
        empty = board.topology.all & ~(pieces | enemy)
        bytes_of_board = board.bytes
        while pieces:
            low = pieces & -pieces
            pieces ^= low
            piece = low.bit_length() - 1
            near = board.reach[piece][reach]
            targets = near & enemy
            while targets:
                low = targets & -targets
                targets ^= low
                result.append(board.captures[piece][low.bit_length() - 1])
            targets = near & empty
            for moves, byte in zip(board.moves_by_byte[piece], targets.to_bytes(bytes_of_board, "little"), strict=True):
                result += moves[byte]
        if self.reserve[self.seat]:
            placements = board.placements
            result += [placements[to] for to in list_indices(empty)]
        return result

    def find_reach(self, seat: int) -> frozenset[str]:
        """Return the cells within the range that the seat's next turn has, as its pieces stand (rules, A turn)."""
        board, pieces = self.variant.board, self.own if seat == self.seat else self.enemy
        reach = 1 if self.reserve[seat] else board.size + 1 - pieces.bit_count()
        found = 0
        for piece in list_indices(pieces):
            found |= board.reach[piece][reach]
        return frozenset(board.topology.cells(found & ~pieces))

    def random_action(self, rng: Random) -> Action:
        """Draw one legal action uniformly: the one at a random index of `legal_actions`, without listing them."""
        if self.to_move is None:
            raise GameOver
        if self.moving >= 0:
            actions = self.legal_actions()
            return actions[rng.randrange(len(actions))]
        board, enemy, reach = self.variant.board, self.enemy, self.range
        pieces = self.own
        not_own = ~pieces
        total = 0
        ends = []
        while pieces:
            low = pieces & -pieces
            pieces ^= low
            piece = low.bit_length() - 1
            targets = board.reach[piece][reach] & not_own
            total += targets.bit_count()
            ends.append((total, piece, targets))
        empty = board.topology.all & not_own & ~enemy if self.reserve[self.seat] else 0
        drawn = rng.randrange(total + empty.bit_count())
        for end, piece, targets in ends:
            if drawn < end:
                place, captures = drawn - end + targets.bit_count(), targets & enemy
                if place < captures.bit_count():
                    return board.captures[piece][nth_index(captures, place)]
                return board.moves[piece][nth_index(targets & ~enemy, place - captures.bit_count())]
        return board.placements[nth_index(empty, drawn - total)]

    def advance(self, action: Action) -> State:
        """Return the state after an action known to be legal."""
        plan = self.variant.board.plans.get(action.text)
        if plan is None:
            return self._without(action.value)
        kind, source, target = plan
        variant, seat, own, enemy, reserve = self.variant, self.seat, self.own, self.enemy, self.reserve
        if kind == MOVE:
            own ^= 1 << source | 1 << target
            turn, quiet = self.turn + 1, self.quiet + 1
            return AnnuvinState(variant, 1 - seat, enemy, own, reserve, turn, quiet, self.history)
        if kind == PLACE:
            reserve = (reserve[0] - (seat == 0), reserve[1] - (seat == 1))
            return AnnuvinState(variant, 1 - seat, enemy, own | 1 << target, reserve, self.turn + 1)
        if kind == HALT:
            return AnnuvinState(variant, 1 - seat, enemy, own, reserve, self.turn + 1)
        if kind == GO_ON:
            source = self.moving
        own ^= 1 << source | 1 << target
        enemy ^= 1 << target
        outcome = win_shown(variant.board, seat, own, enemy, reserve)
        if outcome is not None:
            return AnnuvinState(variant, seat, own, enemy, reserve, self.turn + 1, outcome=outcome)
        left = self.range - variant.board.distance[source][target]
        if variant.board.reach[target][left] & enemy:
            return AnnuvinState(variant, seat, own, enemy, reserve, self.turn, moving=target, left=left)
        return AnnuvinState(variant, 1 - seat, enemy, own, reserve, self.turn + 1)

    def is_legal(self, action: Action) -> bool:
        """Return whether no rule forbids the action."""
        return self.to_move is not None and refusals.hindrance(self, action) is None

    def refusal(self, action: Action) -> IllegalAction:
        """Return the error that says which rule forbids the action; ValueError for a legal one."""
        hindrance = refusals.hindrance(self, action)
        if hindrance is None:
            raise ValueError(action.text)
        return hindrance

    def refusal_after(self, action: Action, text: str) -> IllegalAction:
        """Return why the piece that made the last capture of the turn cannot continue as the text says."""
        kind, source, target = self.board.plans[action.text]
        if kind in (CAPTURE, GO_ON) and self.advance(action).outcome is None:
            source = source if kind == CAPTURE else self.moving
            left = self.range - self.board.distance[source][target]
            own, enemy = self.own ^ 1 << source ^ 1 << target, self.enemy ^ 1 << target
            unfinished = AnnuvinState(
                self.variant, self.seat, own, enemy, self.reserve, self.turn, moving=target, left=left
            )
            for meant in unfinished.well_formed(text):
                if not unfinished.is_legal(meant):
                    return unfinished.refusal(meant)
        return super().refusal_after(action, text)

    def readings(self, action: Action) -> Iterable[str]:
        """Return the texts of the action; a continuing capture may omit its x or name its piece.

        `pass` then means to stop.
        """
        if self.moving >= 0 and action.verb == "capture":
            return (action.text, f"{action.target}", f"{self.topology.names[self.moving]}x{action.target}")
        return (action.text, PASS.text) if action.verb == "stop" else (action.text,)

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions that the beginning of the text may be meant as, likeliest first."""
        return refusals.well_formed(self, text)

    def key(self) -> tuple[Any, ...]:
        """Return the position as a flat tuple."""
        to_move = -1 if self.to_move is None else self.to_move
        position = (self.variant.name, to_move, *self._by_seat(), *self.reserve)
        if self.outcome is None:
            return (*position, self.moving, self.range)
        return (*position, self.outcome.reason, *self.outcome.places, *self.dropped)

    def to_json(self) -> dict[str, Any]:
        """Return the position as the rules write it."""
        pieces = self._by_seat()
        moving = None
        if self.moving >= 0 and self.outcome is None:
            moving = {"piece": self.topology.names[self.moving], "range": self.range}
        return {
            "game": self.game.key,
            "options": dict(self.variant.options),
            "to_move": self.to_move,
            "pieces": positions.cell_lists_to_json(self.topology, pieces),
            "reserve": list(self.reserve),
            "lost": [self.board.size - pieces[seat].bit_count() - self.reserve[seat] for seat in (0, 1)],
            "moving": moving,
            # the position itself is the newest of its history: it need not be told twice
            **positions.ending_fields(self, self.history.previous if self.history else None, quiet=self.quiet),
        }

    def _by_seat(self) -> tuple[int, int]:
        return (self.enemy, self.own) if self.seat else (self.own, self.enemy)

    def _without(self, leaver: int) -> State:
        outcome = Outcome("last-seat", places_with_winner(2, 1 - leaver, (leaver,)))
        return AnnuvinState(
            self.variant,
            self.seat,
            self.own,
            self.enemy,
            self.reserve,
            self.turn + (leaver == self.seat),
            self.quiet,
            outcome=outcome,
            dropped=(leaver,),
        )


_Sealed = make_immutable(AnnuvinState)


def win_shown(board: Board, seat: int, own: int, enemy: int, reserve: tuple[int, int]) -> Outcome | None:
    """Return the win of the seat that the pieces show, if any (rules, End)."""
    remaining = enemy.bit_count() + reserve[1 - seat]
    if remaining == 0:
        return Outcome("eliminated", places_with_winner(2, seat))
    if remaining == 1 and own.bit_count() + reserve[seat] == board.size:
        return Outcome("reduced-to-one", places_with_winner(2, seat))
    return None
