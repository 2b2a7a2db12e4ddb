"""Counts turns of Hexapawn by other means than the engine, and writes perft.json: `python counting.py`.

Cells are pairs of numbers, and a position is two sets of them: nothing here comes from the package or from Tavoliere.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Pawns = frozenset[tuple[int, int]]

CASES = (
    # board, whose turn it is, white pawns, black pawns, to what depth
    (3, 0, "a1 b1 c1", "a3 b3 c3", 7),
    (4, 0, "a1 b1 c1 d1", "a4 b4 c4 d4", 6),
    (5, 0, "a1 b1 c1 d1 e1", "a5 b5 c5 d5 e5", 5),
    (3, 1, "a1 b2", "a3 c3", 4),
    (4, 1, "a2 c2 d1", "a3 b4 d3", 5),
    (5, 0, "a1 b3 c2 e2", "a4 c4 d3 e5", 4),
)


def turns(size: int, own: Pawns, enemy: Pawns, step: int) -> Iterator[tuple[Pawns, Pawns, bool]]:
    """Yield for each turn the pawns after it, and whether it has won."""
    for column, row in own:
        for aside in (-1, 0, 1):
            target = column + aside, row + step
            if (target in enemy) == bool(aside) and target not in own and 0 <= target[1] < size:
                ours, theirs = own - {(column, row)} | {target}, enemy - {target}
                arrived = target[1] == (size - 1 if step > 0 else 0)
                yield ours, theirs, arrived or not theirs or not any(turns(size, theirs, ours, -step))


def count(size: int, own: Pawns, enemy: Pawns, step: int, depth: int) -> int:
    """Return in how many ways so many turns can follow one another."""
    return sum(
        int(depth == 1) if won or depth == 1 else count(size, theirs, ours, -step, depth - 1)
        for ours, theirs, won in turns(size, own, enemy, step)
    )


def cells(text: str) -> Pawns:
    return frozenset(("abcde".index(name[0]), int(name[1]) - 1) for name in text.split())


def entry(size: int, seat: int, white: str, black: str, depth: int) -> dict[str, Any]:
    own, enemy = (cells(black), cells(white)) if seat else (cells(white), cells(black))
    options = {"board": f"{size}x{size}"}
    position = {"game": "hexapawn", "options": options, "to_move": seat, "pawns": [white.split(), black.split()]}
    step = -1 if seat else 1
    return {"position": position, "turns": [count(size, own, enemy, step, each) for each in range(1, depth + 1)]}


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(entry(*case)) for case in CASES)
    Path(__file__).with_name("perft.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
