"""The constants of Annuvin: boards, starting positions, reaches and ready-made actions."""

from typing import Final

from engine.core import Action
from engine.topology import Topology, hexagon, list_indices, square_grid

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
