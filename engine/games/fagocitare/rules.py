"""Positions of Fagocitare and the effects of a dot."""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

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
    shorten_value,
)
from engine.positions import cell_lists_to_json, ending_fields, last_seat
from engine.topology import Topology, list_indices, make_bits, nth_index, square_grid

SIZES: Final = (7, 10, 12)
WINNING_LEAD: Final = 3
"""So many captured dots ahead win at once (rules, End)."""
CAPTORS_PER_CAPTIVE: Final = 2
"""Number of attackers needed for each captive (rules, the sheet's double number)."""

# N, NE, E, SE lead to cells of higher index, S, SW, W, NW to cells of lower index: the order of the rules.
_UP: Final = ((0, 1), (1, 1), (1, 0), (1, -1))
_DOWN: Final = tuple((-dx, -dy) for dx, dy in _UP)


Pair = tuple[int, int]
Line = tuple[int, int]


class Enclosed(NamedTuple):
    """Dots between two dots of the other colour: the line's ends, the number of captives and of attackers."""

    near: int
    far: int
    captives: int
    attackers: int


class Sheet:
    """A square of cells; all sets of cells are bits by the board's index, column by column.

    `up[cell]` and `down[cell]` are the ways from a cell that are long enough for a capture, each as the next
    cell, all cells ahead and all cells behind. `ways_up` and `ways_down` are the same by way, for many cells at
    once. `axes[cell]` are the lines through a cell, each as the cells above and the cells below.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.board = square_grid(size, size)
        names = self.board.names
        self.actions = tuple(Action(name, "draw", target=name) for name in names)
        cells = range(size * size)
        self.rim = make_bits(c for c in cells if c // size in (0, size - 1) or c % size in (0, size - 1))
        self.inner = self.board.all & ~self.rim
        self.ways_up = tuple(self._starts(*way) for way in _UP)
        self.ways_down = tuple(self._starts(*way) for way in _DOWN)
        self.up = tuple(
            tuple((1 << c + step, *rays[c]) for step, starts, rays in self.ways_up if starts >> c & 1) for c in cells
        )
        self.down = tuple(
            tuple((1 << c - step, *rays[c]) for step, starts, rays in self.ways_down if starts >> c & 1) for c in cells
        )
        self.axes = tuple(tuple(rays[c] for _, _, rays in self.ways_up if all(rays[c])) for c in cells)
        self.rows = tuple(row for way in _UP for row in self._rows(*way))
        """All rows, columns and diagonals long enough for a capture: cells upwards, the corner before each or 0."""
        self.segments: dict[Line, int] = {}
        """For the ends of every possible capture line the points between them, as bits.

        A point is a cell's centre (bit: the cell's index) or a corner where four cells meet (`_corner`). Two lines in
        the 8 directions that meet at all have such a point in common.
        """
        for row, corners in self.rows:
            for low, start in enumerate(row):
                points = 0
                for end, corner in zip(row[low + 1 :], corners[low + 1 :], strict=True):
                    points |= corner
                    if end != row[low + 1]:  # a line to the neighbour would capture nothing
                        self.segments[start, end] = points
                    points |= 1 << end

    def _ray(self, cell: int, dx: int, dy: int) -> int:
        x, y = divmod(cell, self.size)
        ray = 0
        while 0 <= (x := x + dx) < self.size and 0 <= (y := y + dy) < self.size:
            ray |= 1 << x * self.size + y
        return ray

    def _starts(self, dx: int, dy: int) -> tuple[int, int, tuple[tuple[int, int], ...]]:
        """Return one direction: its index step, the minimum distance for a capture, and the rays of every cell."""
        rays = tuple((self._ray(c, dx, dy), self._ray(c, -dx, -dy)) for c in range(len(self.board)))
        starts = make_bits(cell for cell, (ahead, _) in enumerate(rays) if ahead.bit_count() > 1)
        return abs(dx * self.size + dy), starts, rays

    def _rows(self, dx: int, dy: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Return the lines of one direction, each as its cells and the corner before each of them, as bits."""
        found = []
        for start in range(len(self.board)):
            ahead = self._ray(start, dx, dy)
            if ahead.bit_count() > 1 and not self._ray(start, -dx, -dy):
                cells = (start, *list_indices(ahead))
                found.append((cells, (0, *(self._corner(cell, dx, dy) for cell in cells[:-1]))))
        return found

    def _corner(self, cell: int, dx: int, dy: int) -> int:
        """Return the corner that a step from the cell goes through, as a bit; 0 for a step along a row or a column.

        The bit is the number of cells plus the index of the cell to the corner's lower left.
        """
        if not (dx and dy):
            return 0
        x, y = divmod(cell, self.size)
        return 1 << len(self.board) + min(x, x + dx) * self.size + min(y, y + dy)


@lru_cache
def sheet(size: int) -> Sheet:
    """Return the cached sheet of this size."""
    return Sheet(size)


def find_enclosed_up(
    cell: int, ahead: int, behind: int, own: int, enemy: int, free: int, needed: int = CAPTORS_PER_CAPTIVE
) -> Enclosed | None:
    """Return what a dot of `own` on the cell encloses along a way to higher indices (rules, Captures 1 to 3).

    The cell may be among `own` or not. None if nothing is enclosed, a free cell lies before it, or there are
    less than `needed` attackers for each captive.
    """
    foes = enemy & ahead
    first = foes & -foes
    own_ahead = own & ahead
    beyond = own_ahead & -first
    if not beyond or free & ahead & first - 1:
        return None
    anchor = beyond & -beyond
    between = own_ahead & first - 1
    hindmost = foes & -anchor
    attackers = (beyond & (hindmost & -hindmost) - 1).bit_count() + between.bit_count() + 1
    attackers += ((own & behind) >> (enemy & behind).bit_length()).bit_count()
    captives = (foes & anchor - 1).bit_count()
    if attackers < needed * captives:
        return None
    near = between.bit_length() - 1 if between else cell
    return Enclosed(near, anchor.bit_length() - 1, captives, attackers)


def find_enclosed_down(
    cell: int, ahead: int, behind: int, own: int, enemy: int, free: int, needed: int = CAPTORS_PER_CAPTIVE
) -> Enclosed | None:
    """Return the same along a way to lower indices."""
    foes = enemy & ahead
    first = foes.bit_length()
    own_ahead = own & ahead
    beyond = own_ahead & (1 << first) - 1
    if not beyond or (free & ahead) >> first:
        return None
    anchor = beyond.bit_length()
    between = own_ahead >> first
    attackers = (beyond >> (foes & (1 << anchor) - 1).bit_length()).bit_count() + between.bit_count() + 1
    blocker = enemy & behind
    attackers += (own & behind & (blocker & -blocker) - 1).bit_count()
    captives = (foes >> anchor).bit_count()
    if attackers < needed * captives:
        return None
    near = first + (between & -between).bit_length() - 1 if between else cell
    return Enclosed(near, anchor - 1, captives, attackers)


def find_enclosing(above: int, below: int, own: int, enemy: int) -> Enclosed | None:
    """Return what the enemy holds enclosed of the dots around a cell on one line (rules, suicide).

    `above` and `below` are the line's cells on either side of the cell, on which a dot of `own` stands.
    """
    ahead, behind = enemy & above, (enemy & below).bit_length()
    if not ahead or not behind:
        return None
    first = ahead & -ahead
    captives = (own & above & first - 1).bit_count() + ((own & below) >> behind).bit_count() + 1
    stop = own & above & -first
    attackers = (ahead & (stop & -stop) - 1).bit_count()
    attackers += ((enemy & below) >> (own & below & (1 << behind) - 1).bit_length()).bit_count()
    if attackers < CAPTORS_PER_CAPTIVE * captives:
        return None
    return Enclosed(behind - 1, first.bit_length() - 1, captives, attackers)


def is_crossed(sheet: Sheet, found: Enclosed, inked: int, ends: int) -> bool:
    """Return whether a capture line would meet an earlier one, except in a common end (rules, Captures 4).

    `inked` are the points between the ends of the earlier lines, `ends` the cells these end in.
    """
    near, far = found.near, found.far
    points = sheet.segments[near, far] if near < far else sheet.segments[far, near]
    return bool(points & (inked | ends) or (1 << near | 1 << far) & inked)


_PASS: Final = re.compile(r"pass(?![a-z])")
_TAKING: Final = re.compile(r"(?:([a-l][1-9]\d?)[\s,;:\-]*)?x[\s,;:\-]*([a-l][1-9]\d?)(?!\d)")
_CELL: Final = re.compile(r"([a-l][1-9]\d?)(?!\d)")


class FagocitareState(RefusingState):
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
        dropped: Seats = (),
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

    def well_formed(self, text: str) -> Iterable[Action]:
        """Return the dot at the beginning of a text."""
        if _PASS.match(text):
            return (PASS,)
        if taken := _TAKING.match(text):
            names = [name for name in taken.groups() if name]
            if all(name in self.sheet.board.index for name in names):
                return (Action(f"x{names[-1]}", "capture", taken[1], names[-1]),)
        shape = _CELL.match(text)
        cell = self.sheet.board.index.get(shape[1]) if shape else None
        return () if cell is None else (self.sheet.actions[cell],)

    def find_hindrance(self, action: Action) -> IllegalAction | None:
        """Return the rule that forbids an action in an unfinished game, None if it is legal.

        In the params of the rules about the rim `n` is the number of free cells off it.
        """
        sheet, seat = self.sheet, self.to_move
        cell = sheet.board.index.get(action.text)
        if cell is None or seat is None:
            if action.verb == "capture":
                return IllegalAction("captures-happen", cell=shorten_value(action.target))
            if action == PASS:
                return IllegalAction("must-act")
            return self.refuse_unknown(action)
        if not self.free >> cell & 1:
            return IllegalAction("occupied", cell=action.text)
        closed = self.free & sheet.inner
        if not closed or closed >> cell & 1 or self.capturing(seat, 1 << cell):
            return None
        return self._rim(seat, cell, closed.bit_count())

    def _rim(self, seat: int, cell: int, inner: int) -> IllegalAction:
        """Return why a dot on the rim captures nothing: the reason nearest to allowing it."""
        board = self.sheet.board
        name = board.names[cell]
        for each, _ in self._enclosed(seat, cell, self.free, CAPTORS_PER_CAPTIVE):
            # It would have been captured, if it were not for the line.
            line, crossed = (each.near, each.far), self._crossed_line(each)
            names = [[board.names[end] for end in sorted(ends)] for ends in (line, crossed)]
            return IllegalAction("rim-crossing", cell=name, n=inner, line=names[0], crossed=names[1])
        for each, _ in self._enclosed(seat, cell, self.free, 0):
            numbers = {
                "dots": each.captives,
                "attackers": each.attackers,
                "needed": CAPTORS_PER_CAPTIVE * each.captives,
            }
            return IllegalAction("rim-too-few", cell=name, n=inner, **numbers)
        for each, gap in self._enclosed(seat, cell, 0, CAPTORS_PER_CAPTIVE):
            if not self.is_crossed(each):
                return IllegalAction("rim-gap", cell=name, n=inner, gap=board.cells(gap))
        return IllegalAction("rim-closed", cell=name, n=inner)

    def _enclosed(self, seat: int, cell: int, free: int, needed: int) -> Iterator[tuple[Enclosed, int]]:
        """Yield what a dot on the cell encloses with enough attackers, and the free cells before it.

        `free` are the cells regarded as free, `needed` is the number of attackers for each captive.
        """
        own, enemy = self.live[seat], self.live[1 - seat]
        for _, ahead, behind in self.sheet.up[cell]:
            if found := find_enclosed_up(cell, ahead, behind, own, enemy, free, needed):
                first = enemy & ahead & -(enemy & ahead)
                yield found, self.free & ahead & (first - 1)
        for _, ahead, behind in self.sheet.down[cell]:
            if found := find_enclosed_down(cell, ahead, behind, own, enemy, free, needed):
                yield found, self.free & ahead & -(1 << (enemy & ahead).bit_length())

    def _crossed_line(self, found: Enclosed) -> tuple[int, int]:
        """Return the earlier line that the capture line would cross."""
        return next(
            line
            for lines in self.lines
            for line in lines
            if is_crossed(self.sheet, found, self.sheet.segments[line], 1 << line[0] | 1 << line[1])
        )

    def advance(self, action: Action) -> FagocitareState:
        sheet = self.sheet
        cell = sheet.board.index.get(action.text)
        if cell is None:
            return self._after_drop(action.value)
        seat = 0 if self.to_move == 0 else 1
        bit = 1 << cell
        own, enemy, free = self.live[seat] | bit, self.live[1 - seat], self.free ^ bit
        drawing = None
        for ways, enclosed in ((sheet.up[cell], find_enclosed_up), (sheet.down[cell], find_enclosed_down)):
            for step, ahead, behind in ways:
                if free & step or not enemy & ahead:
                    continue
                found = enclosed(cell, ahead, behind, own, enemy, free)
                if found:
                    drawing = drawing or _Drawing(self)
                    enemy ^= drawing.capture(found, seat, enemy)
        scores = (drawing or self).dead
        if scores[seat].bit_count() - scores[1 - seat].bit_count() < WINNING_LEAD:
            for above, below in sheet.axes[cell]:
                found = find_enclosing(above, below, own, enemy)
                if found:
                    drawing = drawing or _Drawing(self)
                    captured = drawing.capture(found, 1 - seat, own)
                    if captured:
                        own ^= captured
                        scores = drawing.dead
                        break
        live = (own, enemy) if seat == 0 else (enemy, own)
        outcome = judge(scores, free)
        to_move = None if outcome else 1 - seat
        drawn = drawing or self
        return FagocitareState(
            sheet, to_move, free, live, scores, drawn.lines, drawn.inked, drawn.ends, self.turn + 1, outcome
        )

    def _after_drop(self, seat: int) -> FagocitareState:
        turn, left = self.turn + (seat == self.to_move), (seat,)
        lines = (self.lines, self.inked, self.ends)
        return FagocitareState(
            self.sheet, None, self.free, self.live, self.dead, *lines, turn, last_seat(2, left), left
        )

    def key(self) -> tuple[Any, ...]:
        first, second = self.lines
        ends = [end for line in (*first, (-1, -1), *second) for end in line]
        rest = (self.outcome.reason, *self.outcome.places, *self.dropped) if self.outcome else ()
        return (self.sheet.size, -1 if self.to_move is None else self.to_move, *self.live, *self.dead, *ends, *rest)

    def to_json(self) -> Json:
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

    __slots__ = ("dead", "ends", "inked", "lines", "sheet")

    def __init__(self, state: FagocitareState) -> None:
        self.sheet = state.sheet
        self.dead = state.dead
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
        first, second = self.dead
        self.dead = (first, second | captured) if captor else (first | captured, second)
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
