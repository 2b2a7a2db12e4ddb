"""Positions of Fagocitare and the effects of a dot."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from typing import Any

from engine.core import (
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
from engine.games.fagocitare import refusals
from engine.games.fagocitare.tables import (
    WINNING_LEAD,
    Enclosed,
    Sheet,
    find_enclosed_down,
    find_enclosed_up,
    find_enclosing,
    is_crossed,
)
from engine.positions import cell_lists_to_json, ending_fields
from engine.topology import Topology, list_indices, nth_index

Pair = tuple[int, int]
Line = tuple[int, int]


class FagocitareState(State):
    """A position of Fagocitare; sets of cells are bits by the board's index, pairs have one entry per seat.

    `live` are live dots by owner, `dead` dead dots by captor, `lines` the capture lines by captor, sorted, each
    by the indices of its ends. `inked` are the points between the ends of all lines (`Sheet.segments`), `ends`
    the cells that lines end in.
    """

    __slots__ = ("dead", "dropped", "ends", "free", "inked", "lines", "live", "outcome", "sheet", "to_move", "turn")

    seats = 2

    def __init__(
        self,
        sheet: Sheet,
        to_move: int | None,
        free: int,
        live: Pair,
        dead: Pair,
        lines: tuple[tuple[Line, ...], tuple[Line, ...]],
        inked: int,
        ends: int,
        turn: int,
        outcome: Outcome | None = None,
        dropped: tuple[int, ...] = (),
    ) -> None:
        self.sheet = sheet
        self.to_move = to_move
        self.free = free
        self.live = live
        self.dead = dead
        self.lines = lines
        self.inked = inked
        self.ends = ends
        self.turn = turn
        self.outcome = outcome
        self.dropped = dropped
        self.__class__ = _Sealed

    @property
    def topology(self) -> Topology:
        return self.sheet.board

    def legal_actions(self) -> Sequence[Action]:
        if self.to_move is None:
            return ()
        return [self.sheet.actions[cell] for cell in list_indices(self.open_cells(self.to_move))]

    def open_cells(self, seat: int) -> int:
        """Return the cells where the seat may draw a dot."""
        inner = self.free & self.sheet.inner
        return inner | self.capturing(seat, self.free & self.sheet.rim) if inner else self.free

    def capturing(self, seat: int, cells: int) -> int:
        """Return those of the free cells where a dot of the seat captures."""
        own, enemy, free, sheet = self.live[seat], self.live[1 - seat], self.free, self.sheet
        taken = sheet.board.all ^ free
        result = 0
        # A capture passes over the cell next to the dot, which therefore holds a dot.
        for step, starts, rays in sheet.ways_up:
            for cell in list_indices(cells & starts & taken >> step):
                ahead, behind = rays[cell]
                if own & ahead and enemy & ahead:
                    found = find_enclosed_up(cell, ahead, behind, own, enemy, free)
                    if found and not self.is_crossed(found):
                        result |= 1 << cell
        for step, starts, rays in sheet.ways_down:
            for cell in list_indices(cells & starts & taken << step & ~result):
                ahead, behind = rays[cell]
                if own & ahead and enemy & ahead:
                    found = find_enclosed_down(cell, ahead, behind, own, enemy, free)
                    if found and not self.is_crossed(found):
                        result |= 1 << cell
        return result

    def find_captures(self, actions: Iterable[Action]) -> frozenset[Action]:
        """Return the actions whose dot captures enemy dots; that it might be captured itself does not count."""
        index = self.sheet.board.index
        cells = {action: 1 << index[action.text] for action in actions if action.text in index}
        found = 0 if self.to_move is None else self.capturing(self.to_move, sum(cells.values()))
        return frozenset(action for action, cell in cells.items() if found & cell)

    def random_action(self, rng: Random) -> Action:
        """Draw one legal action uniformly: random free cells until one is legal."""
        if self.to_move is None:
            raise GameOver
        free, sheet = self.free, self.sheet
        count, closed = free.bit_count(), free & sheet.inner
        while True:
            cell = nth_index(free, rng.randrange(count))
            if not closed or closed >> cell & 1 or self.capturing(self.to_move, 1 << cell):
                return sheet.actions[cell]

    def is_crossed(self, found: Enclosed) -> bool:
        """Return whether a capture line would meet an earlier one, except in a common end."""
        return is_crossed(self.sheet, found, self.inked, self.ends)

    def is_legal(self, action: Action) -> bool:
        return self.to_move is not None and refusals.hindrance(self, action) is None

    def refusal(self, action: Action) -> IllegalAction:
        return refusals.hindrance(self, action) or IllegalAction("foreign-action", text=shorten_value(action.text))

    def advance(self, action: Action) -> FagocitareState:
        sheet = self.sheet
        cell = sheet.board.index.get(action.text)
        if cell is None:
            return self._after_drop(action.value)
        seat = 0 if self.to_move == 0 else 1
        bit = 1 << cell
        own, enemy, free = self.live[seat] | bit, self.live[1 - seat], self.free ^ bit
        scores = self.dead
        drawing = None
        for ways, enclosed in ((sheet.up[cell], find_enclosed_up), (sheet.down[cell], find_enclosed_down)):
            for step, ahead, behind in ways:
                if free & step or not enemy & ahead:
                    continue
                found = enclosed(cell, ahead, behind, own, enemy, free)
                if found:
                    drawing = drawing or _Drawing(self)
                    enemy ^= drawing.capture(found, seat, enemy)
        if drawing:
            scores = drawing.scores
        if scores[seat].bit_count() - scores[1 - seat].bit_count() < WINNING_LEAD:
            for above, below in sheet.axes[cell]:
                found = find_enclosing(above, below, own, enemy)
                if found:
                    drawing = drawing or _Drawing(self)
                    captured = drawing.capture(found, 1 - seat, own)
                    if captured:
                        own ^= captured
                        scores = drawing.scores
                        break
        live = (own, enemy) if seat == 0 else (enemy, own)
        outcome = judge(scores, free)
        to_move = None if outcome else 1 - seat
        if drawing is None:
            return FagocitareState(
                sheet, to_move, free, live, scores, self.lines, self.inked, self.ends, self.turn + 1, outcome
            )
        return FagocitareState(
            sheet, to_move, free, live, scores, drawing.lines, drawing.inked, drawing.ends, self.turn + 1, outcome
        )

    def _after_drop(self, seat: int) -> FagocitareState:
        return FagocitareState(
            self.sheet,
            None,
            self.free,
            self.live,
            self.dead,
            self.lines,
            self.inked,
            self.ends,
            self.turn + (seat == self.to_move),
            Outcome("last-seat", places_with_winner(2, 1 - seat, (seat,))),
            (seat,),
        )

    def well_formed(self, text: str) -> Iterable[Action]:
        return refusals.well_formed(self, text)

    def key(self) -> tuple[Any, ...]:
        first, second = self.lines
        ends = [end for line in (*first, (-1, -1), *second) for end in line]
        rest = (self.outcome.reason, *self.outcome.places, *self.dropped) if self.outcome else ()
        return (self.sheet.size, -1 if self.to_move is None else self.to_move, *self.live, *self.dead, *ends, *rest)

    def to_json(self) -> dict[str, Any]:
        board = self.sheet.board
        return {
            "game": self.game.key,
            "options": {"size": self.sheet.size},
            "to_move": self.to_move,
            "dots": cell_lists_to_json(board, self.live),
            "dead": cell_lists_to_json(board, self.dead),
            "lines": [[[board.names[end] for end in line] for line in lines] for lines in self.lines],
            **ending_fields(self),
        }


_Sealed = make_immutable(FagocitareState)


class _Drawing:
    """The lines and dead dots of a position while one turn adds to them."""

    __slots__ = ("ends", "inked", "lines", "scores", "sheet")

    def __init__(self, state: FagocitareState) -> None:
        self.sheet = state.sheet
        self.scores = state.dead
        self.lines = state.lines
        self.inked = state.inked
        self.ends = state.ends

    def capture(self, found: Enclosed, captor: int, victims: int) -> int:
        """Draw a line and return the dots it captures, 0 if it would cross another line."""
        if is_crossed(self.sheet, found, self.inked, self.ends):
            return 0
        line = (found.near, found.far) if found.near < found.far else (found.far, found.near)
        points = self.sheet.segments[line]
        self.inked |= points
        self.ends |= 1 << found.near | 1 << found.far
        sorted_lines = list(self.lines[captor])
        insort(sorted_lines, line)
        lines = tuple(sorted_lines)
        self.lines = (self.lines[0], lines) if captor else (lines, self.lines[1])
        captured = points & victims
        first, second = self.scores
        self.scores = (first, second | captured) if captor else (first | captured, second)
        return captured


def judge(dead: Pair, free: int) -> Outcome | None:
    """Return the outcome of the dead dots and free cells, None if the game goes on (rules, End)."""
    lead = dead[0].bit_count() - dead[1].bit_count()
    winner = 0 if lead > 0 else 1
    if abs(lead) >= WINNING_LEAD:
        return Outcome("lead-of-three", places_with_winner(2, winner))
    if free:
        return None
    return Outcome("count", places_with_winner(2, winner) if lead else places_with_draw(2))
