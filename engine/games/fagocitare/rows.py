"""What can still happen on the rows of a sheet of Fagocitare while its last cells are drawn on.

Rows, columns and diagonals, all called rows here, are looked at one by one: which dots may be captured there at any
time from now on, whatever both sides do, which points matter for that, and where a dot would capture or be lost at
once. On most of them nothing can happen long before the sheet is full, and how one lies comes back often, since few of
its cells are free.
"""

from engine.games.fagocitare.tables import (
    CAPTORS_PER_CAPTIVE,
    Sheet,
    find_enclosed_down,
    find_enclosed_up,
    find_enclosing,
    is_crossed,
)
from engine.topology import list_indices

_Outwards = tuple[int, bool, int]


class Row:
    """A row, column or diagonal, with a cache of what can happen on it."""

    __slots__ = ("cells", "corners", "known", "mask", "paper", "points", "width")

    def __init__(self, paper: Sheet, cells: tuple[int, ...], corners: tuple[int, ...]) -> None:
        """Create a row from its cells upwards and the corner on the way to each of them (`Sheet.rows`)."""
        self.paper = paper
        self.width = len(paper.board)
        self.cells = cells
        self.corners = corners
        self.mask = sum(1 << cell for cell in cells)
        self.points = self.mask | sum(corners)
        self.known: dict[tuple[int, ...], int] = {}

    def what_can_happen(self, red: int, blue: int, free: int, inked: int, ends: int, mortal: int) -> int:
        """Return what can happen here: fields of as many bits as the sheet has cells, 0 if nothing is ever captured.

        They are, from the lowest: the cells in which the first seat may capture a dot sooner or later, drawn or not
        drawn yet; the same of the second; the free cells where a dot of the first would capture; of the second;
        where a dot of the first that captures nothing would be captured; of the second; and all the points that matter,
        in two fields. `mortal` are the dots that may be captured on other rows before; the rest is as in a state.
        """
        mask, points = self.mask, self.points
        red &= mask
        blue &= mask
        key = (red, blue, free & mask, inked & points, ends & mask, mortal & (red | blue))
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self._find_attacks(*key)
        return known

    def _find_attacks(self, red: int, blue: int, free: int, inked: int, ends: int, mortal: int) -> int:
        if not free:
            return 0
        first, near = self._prey(red, blue, free, inked, ends, mortal)
        second, far = self._prey(blue, red, free, inked, ends, mortal)
        if not first and not second:
            return 0
        captures, falls = [0, 0], [0, 0]
        for cell in list_indices(free):
            bit = 1 << cell
            behind = self.mask & bit - 1
            ahead = self.mask ^ behind ^ bit
            for seat, own, enemy in ((0, red, blue), (1, blue, red)):
                up = find_enclosed_up(cell, ahead, behind, own, enemy, free)
                if up and not is_crossed(self.paper, up, inked, ends):
                    captures[seat] |= bit
                down = find_enclosed_down(cell, behind, ahead, own, enemy, free)
                if down and not is_crossed(self.paper, down, inked, ends):
                    captures[seat] |= bit
                around = find_enclosing(ahead, behind, own, enemy)
                if around and not is_crossed(self.paper, around, inked, ends):
                    falls[seat] |= bit
        result = near | far
        for field in (*falls[::-1], *captures[::-1], second, first):
            result = result << self.width | field
        return result

    def _prey(self, own: int, enemy: int, free: int, inked: int, ends: int, mortal: int) -> tuple[int, int]:
        """Return the dots of the enemy that may be captured on this row some time, and the points that matter for it.

        What is free may become a dot of either side, or a dead one. A capture line needs ends that are live dots of
        its side or may become some, no dot of its side between them that stays live, no earlier line in its way, two
        attackers for each dot that stays live till then, and a cell still free where the dot that makes it is drawn.
        """
        cells, corners = self.cells, self.corners
        ours, theirs = own | free, enemy | free
        stays, keeps = own & ~mortal, enemy & ~mortal
        barred = inked | ends
        most = len(cells)
        below = self._attacks_outwards(range(most), ours, keeps, free)
        above = self._attacks_outwards(range(most - 1, -1, -1), ours, keeps, free)
        prey = points = 0
        for low in range(most - 2):
            bit = 1 << cells[low]
            if not ours & bit or inked & bit:
                continue
            under, open_under, lowest = below[low]
            caught = sure = 0
            for high in range(low + 1, most):
                if corners[high] & barred:
                    break
                bit = 1 << cells[high]
                if caught and ours & bit and not inked & bit:
                    over, open_over, highest = above[high]
                    if under + over >= CAPTORS_PER_CAPTIVE * max(1, sure) and (
                        open_under or open_over or caught & free
                    ):
                        prey |= caught
                        for place in range(lowest, highest + 1):
                            points |= 1 << cells[place] | corners[place]
                if (stays | barred) & bit:
                    break
                if theirs & bit:
                    caught |= bit
                    sure += bool(keeps & bit)
        return prey, points

    def _attacks_outwards(self, places: range, ours: int, keeps: int, free: int) -> list[_Outwards]:
        """Return for each index the number of attackers outwards, whether a cell is free there, and the last index.

        The first enemy that stays live ends it; `places` are ordered inwards.
        """
        found: list[_Outwards] = [(0, False, 0)] * len(places)
        count, is_open, end = 0, False, places[0]
        for place in places:
            bit = 1 << self.cells[place]
            if keeps & bit:
                count, is_open, end = 0, False, place
            count += bool(ours & bit)
            is_open = is_open or bool(free & bit)
            found[place] = (count, is_open, end)
        return found


class Rows:
    """All rows, columns and diagonals of a sheet long enough for a capture, and those through each cell."""

    def __init__(self, paper: Sheet) -> None:
        self.width = len(paper.board)
        self.all = tuple(Row(paper, cells, corners) for cells, corners in paper.rows)
        self.through = tuple(
            tuple(number for number, row in enumerate(self.all) if row.mask >> cell & 1) for cell in range(self.width)
        )
