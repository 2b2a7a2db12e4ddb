"""The legal actions of an attacking player with the dice (docs/rules/uomo-nero.md, An attacker's turn)."""

from dataclasses import dataclass
from typing import Final

from engine.games.uomo_nero.actions import PASSES, SPENDINGS, SPRINTS, moves
from engine.games.uomo_nero.board import ABOVE, BEFORE_FINISH, FIELD_NEIGHBOURS, FINISH_OF, START, find_targets
from engine.games.uomo_nero.options import Options, Part
from engine.topology import list_indices

ALL_CELLS: Final = -1
_SPRINT_DICE: Final = (6, 6)

Reach = dict[int, dict[int, int]]
"""For each attacker and amount, the cells where a move can end."""


@dataclass(frozen=True, slots=True)
class Throw:
    """The dice that an attacking player still has to use.

    `own` are the player's attackers in play, `occupied` the cells of all pieces; `used` is the die already used, 0 for
    none, and `mover` the bit of the attacker that moved by it, 0 after standing still.
    """

    own: int
    occupied: int
    dice: tuple[int, int]
    used: int = 0
    mover: int = 0

    @property
    def sum(self) -> int:
        """The sum of both dice."""
        return self.dice[0] + self.dice[1]

    @property
    def left(self) -> int:
        """The die left after one has been used."""
        return self.sum - self.used

    @property
    def can_split(self) -> bool:
        """True if there are two attackers for the two dice."""
        return self.own.bit_count() > 1

    def options(self) -> Options:
        """Return the legal actions; none only where play never leads (a die used that leaves nothing)."""
        if self.used:
            return Options(self._second())
        reach = self._reach()
        parts = self._full(reach)
        if any(members for _, members in parts):
            return Options(parts)
        parts = [(moves(cell, die), ends[die]) for cell, ends in reach.items() for die in self.dice]
        return Options(parts if any(members for _, members in parts) else [(PASSES, 1)])

    def can_finish(self) -> bool:
        """Return whether the other die can be used as well, after one has been."""
        if not self.left & 1:
            return True
        others = self.own & ~self.mover
        return any(_only_ways_out(cell, self.left, ~(self.occupied ^ 1 << cell)) >= 0 for cell in list_indices(others))

    def has_full_use(self) -> bool:
        """Return whether both dice can be used, before one is."""
        return any(members for _, members in self._full(self._reach()))

    def hinders(self, cell: int, die: int) -> int:
        """Return where the attacker on `cell` must not go, lest no other can move by the odd `die` afterwards.

        An odd number of steps is possible as soon as the first is: the others go to and fro. So a piece put on
        one cell stands in an attacker's way only if that cell is the one way out.
        """
        occupied = self.occupied ^ 1 << cell
        hindering = ALL_CELLS
        for other in list_indices(self.own ^ 1 << cell):
            hindering &= _only_ways_out(other, die, ~(occupied ^ 1 << other))
            if not hindering:
                break
        return hindering

    def _reach(self) -> Reach:
        low, high = self.dice
        amounts = (low, low + high) if low == high else (low, high, low + high)
        return {
            cell: dict(zip(amounts, find_targets(cell, amounts, self.occupied), strict=True))
            for cell in list_indices(self.own)
        }

    def _second(self) -> list[Part]:
        left = self.left
        others = list_indices(self.own & ~self.mover)
        parts: list[Part] = [(moves(cell, left), find_targets(cell, (left,), self.occupied)[0]) for cell in others]
        if not left & 1:
            parts.append((SPENDINGS, 1 << left))
        return parts

    def _full(self, reach: Reach) -> list[Part]:
        """Return the first actions of all uses of both dice."""
        low, high = self.dice
        both = low + high
        parts: list[Part] = []
        if self.can_split:
            parts += self._split(reach, low, high)
            if low != high:
                parts += self._split(reach, high, low)
        parts += [(moves(cell, both), ends[both]) for cell, ends in reach.items()]
        if self.dice == _SPRINT_DICE:
            free = [cell for cell in reach if not self.occupied >> FINISH_OF[cell] & 1]
            parts.append((SPRINTS, sum(1 << cell for cell in free)))
        if not both & 1:
            parts.append((SPENDINGS, 1 << both))
        return parts

    def _split(self, reach: Reach, die: int, other: int) -> list[Part]:
        """Return the uses of one die that leave a use for the other."""
        if other & 1:
            parts: list[Part] = [
                (moves(cell, die), ends[die] & ~self.hinders(cell, other)) for cell, ends in reach.items() if ends[die]
            ]
        else:
            parts = [(moves(cell, die), ends[die]) for cell, ends in reach.items()]
        if not die & 1 and (not other & 1 or any(ends[other] for ends in reach.values())):
            parts.append((SPENDINGS, 1 << die))
        return parts


def _only_ways_out(cell: int, die: int, free: int) -> int:
    """Return the cells each of which every odd move from `cell` needs; EVERYWHERE if no odd move is possible."""
    ways = FIELD_NEIGHBOURS[cell] & free
    if die == 1:
        if BEFORE_FINISH >> cell & 1:
            ways |= free & 1 << ABOVE[cell]
    elif ways and START >> cell & 1:
        # There is no way back to the start line: to and fro goes between the cell in front and one next to it.
        return ways | _only(FIELD_NEIGHBOURS[ABOVE[cell]] & free)
    return _only(ways)


def _only(ways: int) -> int:
    if not ways:
        return ALL_CELLS
    return 0 if ways & (ways - 1) else ways
