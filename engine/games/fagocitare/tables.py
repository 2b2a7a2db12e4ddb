"""Fagocitare's sheets of paper: cells, the ways along the lines, and the points that a line is drawn through."""

from functools import lru_cache
from typing import Final, NamedTuple

from engine.core import Action
from engine.topology import list_indices, make_bits, square_grid

SIZES: Final = (7, 10, 12)
WINNING_LEAD: Final = 3
CAPTORS_PER_CAPTIVE: Final = 2
"""Number of attackers needed for each captive (rules, the sheet's double number)."""
"""So many captured dots ahead win at once (rules, End)."""

# N, NE, E, SE lead to cells of higher index, S, SW, W, NW to cells of lower index: the order of the rules.
_UP: Final = ((0, 1), (1, 1), (1, 0), (1, -1))
_DOWN: Final = tuple((-dx, -dy) for dx, dy in _UP)


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
        self.up = tuple(self._ways(c, _UP) for c in cells)
        self.down = tuple(self._ways(c, _DOWN) for c in cells)
        self.ways_up = tuple(self._starts(*way) for way in _UP)
        self.ways_down = tuple(self._starts(*way) for way in _DOWN)
        self.axes = tuple(
            tuple(
                (self._ray(c, *up), self._ray(c, *down))
                for up, down in zip(_UP, _DOWN, strict=True)
                if self._ray(c, *up) and self._ray(c, *down)
            )
            for c in cells
        )
        self.segments = {
            (low, high): points for low in cells for way in _UP for high, points in self._lines_from(low, *way)
        }
        """For the ends of every possible capture line, the points between them (see `_lines_from`)."""
        self.rows = tuple(row for way in _UP for row in self._rows(*way))
        """All rows, columns and diagonals long enough for a capture: cells upwards, the corner before each or 0."""

    def _ray(self, cell: int, dx: int, dy: int) -> int:
        x, y = divmod(cell, self.size)
        ray = 0
        while 0 <= (x := x + dx) < self.size and 0 <= (y := y + dy) < self.size:
            ray |= 1 << x * self.size + y
        return ray

    def _ways(self, cell: int, ways: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int, int], ...]:
        rays = ((dx * self.size + dy, self._ray(cell, dx, dy), self._ray(cell, -dx, -dy)) for dx, dy in ways)
        return tuple((1 << cell + step, ahead, behind) for step, ahead, behind in rays if ahead.bit_count() > 1)

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

    def _lines_from(self, cell: int, dx: int, dy: int) -> list[tuple[int, int]]:
        """Return every line from a cell along one way: its other end and the points between, as bits.

        A point is a cell's centre (bit: the cell's index) or a corner where four cells meet (bit: the number
        of cells plus the index of the cell to its lower left). Two lines in the 8 directions that meet at all
        have such a point in common.
        """
        step = dx * self.size + dy
        points, lines = 0, []
        for index in list_indices(self._ray(cell, dx, dy)):
            if points:  # a line to the neighbour would capture nothing
                lines.append((index, points | self._corner(index - step, dx, dy)))
            points |= 1 << index | self._corner(index - step, dx, dy)
        return lines

    def _corner(self, cell: int, dx: int, dy: int) -> int:
        """Return the corner that a step from the cell goes through, 0 for a step along a row or a column."""
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
