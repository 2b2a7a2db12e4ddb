"""The courtyard: its cells, and walks of an exact number of steps over them (docs/rules/uomo-nero.md, Board).

A step always changes the colour of the cell, so cells are numbered by colour: those where column plus row is
even (a1, a3, b2 ...) from 0, the others from HALF. A set of cells is an int with those bits set. A walk fills
now the one colour, now the other, so that it works on ints of 52 bits, and the edges need no masks: what a
shift carries over an edge lands on the start line, on the finish line or outside, where no field is free.
"""

from typing import Final

from engine.topology import Topology, list_indices, make_bits, square_grid

COLUMNS: Final = 8
ROWS: Final = 13
HALF: Final = COLUMNS * ROWS // 2
_LOW_HALF: Final = (1 << HALF) - 1

BOARD: Final[Topology] = square_grid(COLUMNS, ROWS, diagonal=False)
"""The board for other modules; its order of cells (by column, then by row) differs from the numbering here."""

FROM_BOARD: Final = tuple((index >> 1) + HALF * (index & 1) for index in range(len(BOARD)))
"""The number of each cell of BOARD."""

NAMES: Final = tuple(BOARD.names[FROM_BOARD.index(number)] for number in range(COLUMNS * ROWS))
NUMBER: Final = {name: number for number, name in enumerate(NAMES)}
COLUMN: Final = tuple(ord(name[0]) - ord("a") for name in NAMES)
ROW: Final = tuple(int(name[1:]) for name in NAMES)

START: Final = make_bits(cell for cell in range(len(NAMES)) if ROW[cell] == 1)
FINISH: Final = make_bits(cell for cell in range(len(NAMES)) if ROW[cell] == ROWS)
FIELD: Final = (1 << len(NAMES)) - 1 & ~START & ~FINISH
BEFORE_FINISH: Final = make_bits(cell for cell in range(len(NAMES)) if ROW[cell] == ROWS - 1)
IN_PLAY: Final = START | FIELD
"""The cells of attackers in play: all but the finish line."""

ABOVE: Final = tuple(NUMBER.get(f"{name[0]}{int(name[1:]) + 1}", -1) for name in NAMES)
BELOW: Final = tuple(NUMBER.get(f"{name[0]}{int(name[1:]) - 1}", -1) for name in NAMES)
FINISH_OF: Final = tuple(NUMBER[f"{name[0]}{ROWS}"] for name in NAMES)
"""The finish cell of the column of each cell."""

COLOURS: Final = ("red", "yellow", "green", "blue")
START_CELLS: Final = tuple(
    make_bits(NUMBER[f"{column}1"] for column in columns) for columns in ("ab", "cd", "ef", "gh")
)
"""The two start cells of each colour."""

DISTANCE: Final = tuple(
    tuple(abs(COLUMN[a] - COLUMN[b]) + abs(ROW[a] - ROW[b]) for b in range(len(NAMES))) for a in range(len(NAMES))
)
"""Steps between two cells when nothing stands between them.

No way round is ever needed on account of the start line and the finish line: a way with as many steps leaves
the one at its first step and enters the other at its last.
"""

FIELD_NEIGHBOURS: Final = tuple(
    make_bits(other for other in range(len(NAMES)) if DISTANCE[cell][other] == 1) & FIELD for cell in range(len(NAMES))
)

_FINISH_LOW, _FINISH_HIGH = FINISH & _LOW_HALF, FINISH >> HALF
_BEFORE_LOW, _BEFORE_HIGH = BEFORE_FINISH & _LOW_HALF, BEFORE_FINISH >> HALF


_PLACE: Final = tuple(COLUMN[cell] * ROWS + ROW[cell] for cell in range(len(NAMES)))


def list_names(cells: int) -> list[str]:
    """Return the names of the cells, sorted as the rules sort them."""
    return [NAMES[cell] for cell in sorted(list_indices(cells), key=_PLACE.__getitem__)]


def find_steps(cell: int, most: int, free: int) -> list[int]:
    """Return the cells where a walk over free cells can be after 0, 1 ... `most` steps.

    Each entry has the bits of one colour only, counted from that colour's first cell.
    """
    low, high = free & FIELD & _LOW_HALF, (free & FIELD) >> HALF
    on_high = cell >= HALF
    reached = 1 << (cell - HALF if on_high else cell)
    result = [reached]
    for _ in range(most):
        if on_high:
            reached = (reached | reached << 1 | reached << 7 | reached >> 6) & low
        else:
            reached = (reached | reached >> 1 | reached << 6 | reached >> 7) & high
        on_high = not on_high
        result.append(reached)
    return result


def find_targets(cell: int, amounts: tuple[int, ...], occupied: int) -> list[int]:
    """Return for each amount, smallest first, the cells where an attacker's move of that many steps can end.

    `occupied` holds all pieces, the attacker itself included (rules, Moving n steps).
    """
    bit = 1 << cell
    free = ~(occupied ^ bit)
    walk = find_steps(cell, amounts[-1], free)
    result = []
    for amount in amounts:
        if (cell >= HALF) ^ (amount & 1):
            ends = walk[amount] | (walk[amount - 1] & _BEFORE_LOW) & free >> HALF & _FINISH_HIGH
            result.append(ends << HALF & ~bit)
        else:
            ends = walk[amount] | (walk[amount - 1] & _BEFORE_HIGH) << 1 & free & _FINISH_LOW
            result.append(ends & ~bit)
    return result


def shortest_walk(source: int, target: int, occupied: int) -> int | None:
    """Return the length of an attacker's shortest way to a free cell, None if there is no way."""
    free = ~(occupied ^ 1 << source) & FIELD
    goal = BELOW[target] if 1 << target & FINISH else target
    reached, count = 1 << source, 0
    while not reached >> goal & 1:
        around = 0
        for cell in list_indices(reached):
            around |= FIELD_NEIGHBOURS[cell]
        grown = reached | around & free
        if grown == reached:
            return None
        reached = grown
        count += 1
    return count + (goal != target)
