"""What never changes in Annuvin: boards, starting positions, reaches and ready-made actions."""

from __future__ import annotations

from typing import Final

from engine.core import Action
from engine.topology import Topology, hexagon, square_grid

QUIET_LIMIT: Final = 100
"""Turns in a row without capture or placement after which the game is a draw (rules, End)."""

STOP: Final = Action("stop", "stop")

MOVE, CAPTURE, GO_ON, PLACE, HALT = range(5)
"""Kinds of action; a capture that goes on (`xc3`) is told from one that begins (`d5xc3`)."""

_START: Final = {
    "hexagon": ("b1 c1 d1 d2 e2 f3", "b5 c6 d6 d7 e7 f7"),
    "square": ("a1 b1 c1 d1", "a4 b4 c4 d4"),
}


class Variant:
    """A board with a setup: its tables and ready-made actions, by cell index.

    `size` is the number of pieces a player starts with, `reach[cell][range]` the cells at distance 1..range
    as bits, `plans` the kind, source and target that a canonical text stands for.
    """

    def __init__(self, board: str, setup: str) -> None:
        self.options: dict[str, str | int] = {"board": board, "setup": setup}
        self.name = f"{board} {setup}"
        self.topology: Topology = hexagon(4) if board == "hexagon" else square_grid(4, 4)
        white, black = (self.topology.bits(cells.split()) for cells in _START[board])
        self.size = white.bit_count()
        self.start = (white, black) if setup == "classic" else (0, 0)
        self.reserve = (0, 0) if setup == "classic" else (self.size, self.size)
        self.distance = self.topology.distances
        self.reach = tuple(
            # a range may be longer than the board is wide
            tuple(row[min(reach, len(row) - 1)] for reach in range(self.size + 1))
            for row in self.topology.within
        )
        names = self.topology.names
        self.moves = [[Action(f"{a}-{b}", "move", a, b) for b in names] for a in names]
        self.captures = [[Action(f"{a}x{b}", "capture", a, b) for b in names] for a in names]
        self.goings_on = [[Action(f"x{b}", "capture", a, b) for b in names] for a in names]
        self.placements = [Action(b, "place", target=b) for b in names]
        self.plans: dict[str, tuple[int, int, int]] = {STOP.text: (HALT, -1, -1)}
        for b, name in enumerate(names):
            self.plans[name] = (PLACE, -1, b)
            self.plans[f"x{name}"] = (GO_ON, -1, b)
            for a in range(len(names)):
                self.plans[self.moves[a][b].text] = (MOVE, a, b)
                self.plans[self.captures[a][b].text] = (CAPTURE, a, b)
