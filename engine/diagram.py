"""Boards as text for terminals and logs: pieces as letters and signs, empty cells as dots."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from engine.topology import Topology

EMPTY = "·"
_CELL_WIDTH = 4


def draw_diagram(board: Topology, symbols: Mapping[str, str]) -> str:
    """Return a text diagram with `symbols` (one or two characters each, letters in capitals) on the cells.

    If the letters of the cell names are columns, they are written below, and the row numbers at the left. On other
    boards the letter of each line is at its outer end, and empty cells show their numbers.
    """
    columns = sorted({round(x, 3) for x, _ in board.positions})
    step = min((b - a for a, b in pairwise(columns)), default=1.0)
    letters = {name: name[0] for name in board.names}
    upright = len({(letters[name], round(x, 3)) for name, (x, _) in _cells(board)}) == len(columns)
    scale = _CELL_WIDTH / (step if upright else 1)
    left = columns[0]
    if not upright:
        scale = _CELL_WIDTH / max(step, 0.5) * 1.2
    placed = [
        (round(y, 3), round((x - left) * scale), symbols.get(name, "").upper() or (EMPTY if upright else name[1:]))
        for name, (x, y) in _cells(board)
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


def _cells(board: Topology) -> list[tuple[str, tuple[float, float]]]:
    return list(zip(board.names, board.positions, strict=True))


def _columns_and_rows(board: Topology, scale: float, left: float) -> list[tuple[float, int, str]]:
    """Return the letter below the lowest cell of each column and the number before the leftmost cell of each row."""
    found = []
    for letter in sorted({name[0] for name in board.names}):
        x, y = min((place for name, place in _cells(board) if name[0] == letter), key=lambda place: place[1])
        found.append((_row_distance(board, y), round((x - left) * scale), letter))
    for number in sorted({name[1:] for name in board.names}):
        x, y = min(place for name, place in _cells(board) if name[1:] == number)
        found.append((round(y, 3), round((x - left) * scale) - _CELL_WIDTH, number))
    return found


def _row_distance(board: Topology, y: float) -> float:
    """Return the distance of two neighbouring rows, preferring lines that the diagram has anyway."""
    heights: Sequence[float] = sorted({round(each, 3) for _, each in board.positions})
    return next((each for each in reversed(heights) if abs(each - (y - 1)) < 0.01), round(y - 1, 3))


def _ends(board: Topology, scale: float, left: float) -> list[tuple[float, int, str]]:
    """Return the letter of each line of cells at the end farthest from the centre of the board."""
    count = len(board.names)
    middle = sum(x for x, _ in board.positions) / count, sum(y for _, y in board.positions) / count
    found = []
    for letter in sorted({name[0] for name in board.names}):
        x, y = max(
            (place for name, place in _cells(board) if name[0] == letter),
            key=lambda place: (place[0] - middle[0]) ** 2 + (place[1] - middle[1]) ** 2,
        )
        far = ((x - middle[0]) ** 2 + (y - middle[1]) ** 2) ** 0.5
        if abs(x - middle[0]) < far / 3:
            found.append((round(y + (1 if y > middle[1] else -1) * 0.8, 3), round((x - left) * scale), letter))
        else:
            found.append((round(y, 3), round((x - left) * scale) + (3 if x > middle[0] else -3), letter))
    return found
