"""A board as text, for terminals and logs: every cell with its name, what stands on it in front of it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from engine.topology import Topology

_CELL_WIDTH = 5


def diagram(board: Topology, symbols: Mapping[str, str]) -> str:
    """Return the board's cells at their places, `symbols` (one or two characters each) before the cells' names."""
    columns = sorted({round(x, 3) for x, _ in board.positions})
    rows = sorted({round(y, 3) for _, y in board.positions}, reverse=True)
    step = min((b - a for a, b in pairwise(columns)), default=1.0)
    scale = _CELL_WIDTH / max(step, 0.5)
    lines: list[list[str]] = []
    for row in rows:
        line: list[str] = []
        for name, (x, y) in zip(board.names, board.positions, strict=True):
            if round(y, 3) == row:
                text = f"{symbols.get(name, ''):>2}{name}"
                start = round((x - columns[0]) * scale)
                line.extend(" " * (start + len(text) - len(line)))
                line[start : start + len(text)] = text
        lines.append(line)
    return "\n".join("".join(line).rstrip() for line in lines)
