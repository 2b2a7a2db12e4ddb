"""Boards as text for terminals and logs: pieces as letters and signs, empty cells as dots."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from operator import itemgetter
from typing import TypeAlias

from engine.topology import Topology

Place: TypeAlias = tuple[float, float]
"""Drawing coordinates, x and y (`Topology.positions`)."""

EMPTY = "·"
_CELL_WIDTH = 4


def draw_diagram(board: Topology, symbols: Mapping[str, str]) -> str:
    """Return a text diagram with `symbols` (one or two characters each, letters in capitals) on the cells.

    If the letters of the cell names are columns, they are written below, and the row numbers at the left. On other
    boards the letter of each line is at its outer end, and empty cells show their numbers.
    """
    columns = sorted({round(x, 3) for x, _ in board.positions})
    step = min((b - a for a, b in pairwise(columns)), default=1.0)
    cells = list(zip(board.names, board.positions, strict=True))
    upright = len({(name[0], round(x, 3)) for name, (x, _) in cells}) == len(columns)
    scale = _CELL_WIDTH / step if upright else _CELL_WIDTH / max(step, 0.5) * 1.2
    left = columns[0]
    placed = [
        (round(y, 3), round((x - left) * scale), symbols.get(name, "").upper() or (EMPTY if upright else name[1:]))
        for name, (x, y) in cells
    ]
    placed += _columns_and_rows(board, scale, left) if upright else _ends(board, scale, left)
    indent = max(-at + len(sign) for _, at, sign in placed)
    lines = []
    for row in sorted({y for y, _, _ in placed}, reverse=True):
        line: list[str] = []
        for at, sign in sorted((at, sign) for y, at, sign in placed if y == row):
            # Signs end at their place: tens stand before it.
            start = max(indent + at - len(sign) + 1, len(line) + (1 if line else 0))
            line.extend(" " * (start - len(line)))
            line.extend(sign)
        lines.append("".join(line).rstrip())
    return "\n".join(lines)


def _lines(board: Topology, key: Callable[[str], str]) -> list[tuple[str, list[Place]]]:
    """Return the places of the cells whose names have the same letter, or number, in the order of these."""
    found: dict[str, list[Place]] = {}
    for name, place in zip(board.names, board.positions, strict=True):
        found.setdefault(key(name), []).append(place)
    return sorted(found.items())


def _columns_and_rows(board: Topology, scale: float, left: float) -> list[tuple[float, int, str]]:
    """Return the letter below the lowest cell of each column and the number before the leftmost cell of each row."""
    found = []
    for letter, places in _lines(board, itemgetter(0)):
        x, y = min(places, key=itemgetter(1))
        found.append((round(y - 1, 3), round((x - left) * scale), letter))
    for number, places in _lines(board, itemgetter(slice(1, None))):
        x, y = min(places)
        found.append((round(y, 3), round((x - left) * scale) - _CELL_WIDTH, number))
    return found


def _ends(board: Topology, scale: float, left: float) -> list[tuple[float, int, str]]:
    """Return the letter of each line of cells at the end farthest from the centre of the board."""
    count = len(board.names)
    middle = sum(x for x, _ in board.positions) / count, sum(y for _, y in board.positions) / count
    found = []
    for letter, places in _lines(board, itemgetter(0)):
        x, y = max(places, key=lambda place: math.dist(place, middle))
        if abs(x - middle[0]) < math.dist((x, y), middle) / 3:
            found.append((round(y + (1 if y > middle[1] else -1) * 0.8, 3), round((x - left) * scale), letter))
        else:
            found.append((round(y, 3), round((x - left) * scale) + (3 if x > middle[0] else -3), letter))
    return found
