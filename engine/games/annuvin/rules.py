"""Positions of Annuvin and their legal actions (docs/rules/annuvin.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from engine import positions
from engine.core import (
    PASS,
    Action,
    GameOver,
    IllegalAction,
    Json,
    Outcome,
    Random,
    RefusingState,
    Seats,
    make_immutable,
    places_with_draw,
    places_with_winner,
)
from engine.positions import REPETITIONS_FOR_DRAW, History
from engine.topology import Topology, hexagon, list_indices, nth_index, square_grid

QUIET_LIMIT: Final = 100
"""Turns in a row without capture or placement that make a draw (rules, End)."""

STOP: Final = Action("stop", "stop")

MOVE, CAPTURE, GO_ON, PLACE, HALT = range(5)
"""Kinds of action; a continuing capture (`xc3`) differs from a first one (`d5xc3`)."""

_START: Final = {"hexagon": ("b1 c1 d1 d2 e2 f3", "b5 c6 d6 d7 e7 f7"), "square": ("a1 b1 c1 d1", "a4 b4 c4 d4")}


class Board:
    """The tables and ready-made actions of a board, by cell index.

    `size` is the number of pieces a player starts with, `camps` their cells, `reach[cell][range]` the cells at distance
    1..range as bits, `plans` the kind, source and target of each canonical text, `bytes` the length of a set of cells
    in bytes.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.topology: Topology = hexagon(4) if name == "hexagon" else square_grid(4, 4)
        white, black = (self.topology.bits(cells.split()) for cells in _START[name])
        self.camps = (white, black)
        self.size = white.bit_count()
        self.bytes = (len(self.topology) + 7) // 8
        self.distance = self.topology.distances
        self.reach = tuple(
            # a range may be longer than the board is wide
            tuple(row[min(reach, len(row) - 1)] for reach in range(self.size + 1))
            for row in self.topology.within
        )
        self._moves_by_byte: list[list[list[list[Action]]]] = []
        names = self.topology.names
        self.moves = [[Action(f"{a}-{b}", "move", a, b) for b in names] for a in names]
        self.captures = [[Action(f"{a}x{b}", "capture", a, b) for b in names] for a in names]
        self.goings_on = [[Action(f"x{b}", "capture", a, b) for b in names] for a in names]
        self.placements = [Action(b, "place", target=b) for b in names]
        self.plans: dict[str, tuple[int, int, int]] = {STOP.text: (HALT, -1, -1)}
        for b, name_of_b in enumerate(names):
            self.plans[name_of_b] = (PLACE, -1, b)
            self.plans[f"x{name_of_b}"] = (GO_ON, -1, b)
            for a in range(len(names)):
                self.plans[self.moves[a][b].text] = (MOVE, a, b)
                self.plans[self.captures[a][b].text] = (CAPTURE, a, b)

    def find_reached(self, pieces: int, distance: int) -> int:
        """Return the cells within the distance of any of the pieces, as bits."""
        reached = 0
        while pieces:
            low = pieces & -pieces
            pieces ^= low
            reached |= self.reach[low.bit_length() - 1][distance]
        return reached

    @property
    def moves_by_byte(self) -> list[list[list[list[Action]]]]:
        """The moves of a piece to a set of cells, for each byte of the set: `moves_by_byte[piece][number][byte]`."""
        if not self._moves_by_byte:
            self._moves_by_byte = [
                [
                    [
                        [row[base + cell] for cell in list_indices(byte)]
                        for byte in range(1 << len(row[base : base + 8]))
                    ]
                    for base in range(0, len(row), 8)
                ]
                for row in self.moves
            ]
        return self._moves_by_byte


class Variant:
    """A board with a starting position."""

    def __init__(self, board: Board, setup: str) -> None:
        self.board = board
        self.options: dict[str, str | int] = {"board": board.name, "setup": setup}
        self.name = f"{board.name} {setup}"
        self.camps = board.camps if setup == "classic" else (0, 0)
        self.reserve = (0, 0) if setup == "classic" else (board.size, board.size)


_WORD: Final = re.compile(r"(?:stop|pass)(?![a-z])")
_PAIR: Final = re.compile(r"([a-z]\d+)[\s,;:\-]*(x?)[\s,;:\-]*([a-z]\d+)")
_SINGLE: Final = re.compile(r"(x?)[\s,;:\-]*([a-z]\d+)")


class AnnuvinState(RefusingState):
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
        dropped: Seats = (),
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
        return frozenset(board.topology.cells(board.find_reached(pieces, reach) & ~pieces))

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

    def advance(self, action: Action) -> AnnuvinState:
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
            own |= 1 << target
            reserve = (reserve[0] - (seat == 0), reserve[1] - (seat == 1))
        elif kind != HALT:
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

    def find_hindrance(self, action: Action) -> IllegalAction | None:
        """Return the rule that forbids an action in an unfinished game, None if it is legal."""
        board = self.variant.board
        plan = board.plans.get(action.text)
        if plan is None:
            return IllegalAction("must-act") if action == PASS else self.refuse_unknown(action)
        kind, source, target = plan
        if kind == HALT:
            return None if self.moving >= 0 else IllegalAction("nothing-to-stop")
        names = board.topology.names
        cell = names[target]
        if kind == PLACE:
            if not self.reserve[self.seat]:
                return IllegalAction("reserve-empty", cell=cell)
            return IllegalAction("cell-taken", cell=cell) if (self.own | self.enemy) >> target & 1 else None
        if kind == GO_ON:
            if self.moving < 0:
                return IllegalAction("capture-not-begun", cell=cell)
            source = self.moving
        if not self.own >> source & 1:
            return IllegalAction("enemy-piece" if self.enemy >> source & 1 else "no-piece-there", cell=names[source])
        if self.moving not in (-1, source):
            return IllegalAction("another-piece-moving", cell=names[source], piece=names[self.moving])
        return self._out_of_reach(kind, source, target)

    def _out_of_reach(self, kind: int, source: int, target: int) -> IllegalAction | None:
        """Return why a movable piece cannot reach the target in this way, None if it can."""
        board = self.variant.board
        piece, cell = board.topology.names[source], board.topology.names[target]
        if source == target:
            return IllegalAction("stays-put", cell=cell)
        if self.own >> target & 1:
            return IllegalAction("own-piece-there", cell=cell)
        if kind == MOVE and self.enemy >> target & 1:
            return IllegalAction("enemy-there", piece=piece, cell=cell)
        if kind == MOVE and self.moving >= 0:
            return IllegalAction("only-captures-now", piece=piece, cell=cell, left=self.range)
        if kind != MOVE and not self.enemy >> target & 1:
            return IllegalAction("nothing-to-capture", cell=cell)
        distance = board.distance[source][target]
        if distance > self.range:
            if self.moving >= 0:
                return IllegalAction("beyond-what-is-left", piece=piece, cell=cell, distance=distance, left=self.range)
            code = "too-far-with-reserve" if self.reserve[self.seat] else "too-far"
            return IllegalAction(code, piece=piece, cell=cell, distance=distance, range=self.range)
        if kind == CAPTURE and self.moving >= 0:
            return IllegalAction("name-target-only", cell=cell)
        return None

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the actions that the beginning of the text may be meant as, likeliest first."""
        word = _WORD.match(text)
        if word:
            return (STOP,) if word[0] == STOP.text else (PASS,)
        board, index, moving = self.variant.board, self.topology.index, self.moving
        result: list[Action] = []
        pair = _PAIR.match(text)
        if pair and pair[1] in index and pair[3] in index:
            source, target = index[pair[1]], index[pair[3]]
            result = [board.moves[source][target], board.captures[source][target]]
            if pair[2] or self.enemy >> target & 1:
                result.reverse()
                if source == moving:
                    result.insert(0, board.goings_on[source][target])
            # while captures go on, two cells may also be two of them
            if moving < 0 or self.own >> source & 1:
                return result
        single = _SINGLE.match(text)
        if single and single[2] in index:
            target = index[single[2]]
            going_on, placement = board.goings_on[max(moving, 0)][target], board.placements[target]
            if moving < 0:
                return [going_on, placement, *result] if single[1] else [placement, going_on, *result]
            as_move = [] if single[1] or self.enemy >> target & 1 else [board.moves[moving][target]]
            return [*as_move, going_on, placement, *result]
        return result

    def refusal_after(self, action: Action, text: str) -> IllegalAction:
        """Return why the piece that made the last capture of the turn cannot continue as the text says."""
        board = self.variant.board
        kind, source, target = board.plans[action.text]
        if kind in (CAPTURE, GO_ON) and self.advance(action).outcome is None:
            source = source if kind == CAPTURE else self.moving
            left = self.range - board.distance[source][target]
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

    def key(self) -> tuple[Any, ...]:
        """Return the position as a flat tuple."""
        to_move = -1 if self.to_move is None else self.to_move
        position = (self.variant.name, to_move, *self._by_seat(), *self.reserve)
        if self.outcome is None:
            return (*position, self.moving, self.range)
        return (*position, self.outcome.reason, *self.outcome.places, *self.dropped)

    def to_json(self) -> Json:
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
            "lost": [self.variant.board.size - pieces[seat].bit_count() - self.reserve[seat] for seat in (0, 1)],
            "moving": moving,
            # The position itself is the newest of its history, which therefore leaves it out.
            **positions.ending_fields(self, self.history.previous if self.history else None, quiet=self.quiet),
        }

    def _by_seat(self) -> tuple[int, int]:
        return (self.enemy, self.own) if self.seat else (self.own, self.enemy)

    def _without(self, leaver: int) -> AnnuvinState:
        turn = self.turn + (leaver == self.seat)
        return AnnuvinState(
            self.variant, self.seat, self.own, self.enemy, self.reserve, turn, self.quiet,
            outcome=positions.last_seat(2, (leaver,)), dropped=(leaver,),
        )  # fmt: skip


_Sealed = make_immutable(AnnuvinState)


def win_shown(board: Board, seat: int, own: int, enemy: int, reserve: tuple[int, int]) -> Outcome | None:
    """Return the win of the seat that the pieces show, if any (rules, End)."""
    remaining = enemy.bit_count() + reserve[1 - seat]
    if remaining == 0:
        return Outcome("eliminated", places_with_winner(2, seat))
    if remaining == 1 and own.bit_count() + reserve[seat] == board.size:
        return Outcome("reduced-to-one", places_with_winner(2, seat))
    return None
