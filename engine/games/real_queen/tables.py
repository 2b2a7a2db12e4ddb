"""Real Queen's board, ready-made actions, and the alignments through every cell."""

from collections.abc import Callable
from typing import Final

from engine.core import PASS, Action
from engine.topology import list_indices, make_bits, square_grid

SIZE: Final = 7
PIECES: Final = 20
"""Normal pieces of each seat (rules, Board and pieces)."""
MIN_ALIGNMENT: Final = 4
"""Minimum number of own pieces in a straight unbroken run that make an alignment."""
MAX_IDLE_TURNS: Final = 100
"""Turns in a row without an alignment that make a draw."""

BOARD: Final = square_grid(SIZE, SIZE)
NEIGHBOUR_BITS: Final = BOARD.neighbour_bits

PLACE, CROWN, STEP, SHIFT, PASSING, CAPTURE, RETURN = range(7)
"""The kinds of action; those from CAPTURE on follow an alignment."""

_ALL: Final = range(len(BOARD))
_NAMES: Final = BOARD.names

PLACES: Final = tuple(Action(name, "place", target=name) for name in _NAMES)
CROWNS: Final = tuple(Action(f"Q{name}", "crown", target=name) for name in _NAMES)
STEPS: Final = tuple(
    {b: Action(f"Q{_NAMES[a]}-{_NAMES[b]}", "step", source=_NAMES[a], target=_NAMES[b]) for b in _ALL} for a in _ALL
)
SHIFTS: Final = tuple(
    {b: Action(f"{_NAMES[a]}-{_NAMES[b]}", "shift", source=_NAMES[a], target=_NAMES[b]) for b in _ALL} for a in _ALL
)
CAPTURES: Final = tuple(Action(f"x{name}", "capture", target=name) for name in _NAMES)
RETURNS: Final = tuple(Action(f"r{name}", "return", target=name) for name in _NAMES)

MOVES: Final[dict[str, tuple[int, int, int]]] = {PASS.text: (PASSING, -1, -1)}
"""The kind, source cell index (or -1) and target cell index of each action, by text."""
for _kind, _actions in ((PLACE, PLACES), (CROWN, CROWNS), (CAPTURE, CAPTURES), (RETURN, RETURNS)):
    MOVES.update({action.text: (_kind, -1, cell) for cell, action in enumerate(_actions)})
for _kind, _table in ((STEP, STEPS), (SHIFT, SHIFTS)):
    MOVES.update({action.text: (_kind, a, b) for a in _ALL for b, action in _table[a].items()})


def _lines_through(cell: int) -> list[list[int]]:
    """Return the cells of the 4 lines through a cell, from end to end."""
    x, y = divmod(cell, SIZE)
    lines = []
    for dx, dy in ((0, 1), (1, 0), (1, 1), (1, -1)):
        steps = range(1 - SIZE, SIZE)
        cells = [(x + n * dx, y + n * dy) for n in steps]
        lines.append([i * SIZE + j for i, j in cells if 0 <= i < SIZE and 0 <= j < SIZE])
    return lines


def _run(line: list[int], cell: int, own: int) -> int:
    """Return the unbroken run of own cells on a line that contains the cell, as bits."""
    run = 1 << cell
    for way in (line[line.index(cell) + 1 :], line[: line.index(cell)][::-1]):
        for other in way:
            if not own >> other & 1:
                break
            run |= 1 << other
    return run


def _alignments(line: list[int], cell: int) -> dict[int, int]:
    """Return the alignment through the cell for every set of own cells on the line that holds one."""
    found = {}
    for pattern in range(1 << len(line)):
        own = make_bits(line[place] for place in list_indices(pattern))
        if own >> cell & 1 and (run := _run(line, cell, own)).bit_count() >= MIN_ALIGNMENT:
            found[own] = run
    return found


LINES: Final = tuple(
    tuple((make_bits(line), _alignments(line, cell)) for line in _lines_through(cell) if len(line) >= MIN_ALIGNMENT)
    for cell in _ALL
)
"""For each cell its lines of at least 4 cells, as bits, and the alignment through the cell for each set of own
cells on the line."""


def find_alignments(cell: int, own: int) -> list[int]:
    """Return the alignments that contain the cell, `own` being all cells of one seat, the queen's too."""
    return [run for line, found in LINES[cell] if (run := found.get(own & line))]


def longest_run(cell: int, own: int) -> int:
    """Return the length of the longest run that a piece on the cell would belong to."""
    return max(_run(line, cell, own).bit_count() for line in _lines_through(cell))


_WAYS: Final = ((1, 0, 1), (SIZE, 1, 0), (SIZE + 1, 1, 1), (SIZE - 1, 1, -1))
"""The directions: the index step from cell to cell, and the step in coordinates."""
_STEPS: Final = tuple(
    (shift, make_bits(cell for cell in _ALL if 0 <= cell // SIZE + dx < SIZE and 0 <= cell % SIZE + dy < SIZE))
    for shift, dx, dy in _WAYS
)


def find_completing_cells(own: int) -> int:
    """Return as bits the cells where one more own piece would make an alignment (own cells among them)."""
    result = 0
    for shift, inside in _STEPS:
        # The cells with one, two, three own cells in a row just before them (below) and just after them (above).
        below1 = (own & inside) << shift
        below2 = (own & inside & below1) << shift
        above1 = own >> shift & inside
        above2 = (own & above1) >> shift & inside
        result |= below2 & above1 | below1 & above2
        result |= (own & inside & below2) << shift | (own & above2) >> shift & inside
    return result


def find_winning_cells(own: int, free: int, target: int) -> int:
    """Return, as bits, the free cells where one more own piece would make an alignment next to the enemy queen's cell.

    0 for a queen that is in hand.
    """
    result = 0
    if target:
        near = NEIGHBOUR_BITS[target.bit_length() - 1]
        for cell in list_indices(find_completing_cells(own) & free):
            if any(run & near for run in find_alignments(cell, own | 1 << cell)):
                result |= 1 << cell
    return result


def _starts(dx: int, dy: int, counts: Callable[[set[int]], bool]) -> int:
    """Return, as bits, the first cells of the stretches of 4 cells in one direction that count."""
    result = 0
    for cell in _ALL:
        x, y = divmod(cell, SIZE)
        ends = (x + 3 * dx, y + 3 * dy)
        if all(0 <= each < SIZE for each in ends):
            stretch = {(x + n * dx) * SIZE + y + n * dy for n in range(MIN_ALIGNMENT)}
            result |= counts(stretch) << cell
    return result


STRETCHES: Final = tuple((shift, _starts(dx, dy, lambda _: True)) for shift, dx, dy in _WAYS)
"""For each direction the step from cell to cell, and the first cells of all stretches of 4 cells, as bits."""


def _beside(target: int) -> Callable[[set[int]], bool]:
    near = set(list_indices(NEIGHBOUR_BITS[target]))
    return lambda stretch: target not in stretch and not near.isdisjoint(stretch)


STRETCHES_BESIDE: Final = tuple(tuple(_starts(dx, dy, _beside(target)) for _, dx, dy in _WAYS) for target in _ALL)
"""For each cell and direction the first cells of the stretches that lead past the cell next to it."""


def compute_payment(runs: list[int], queen: int) -> tuple[int, int]:
    """Return how many pieces the alignments capture and how many are returned (rules, the table).

    `queen` is the own queen as a bit, 0 in hand.
    """
    with_queen = any(run & queen for run in runs)
    if len(runs) > 1:
        return (4 if with_queen else 3), 3
    length = runs[0].bit_count()
    return length - (2 if with_queen else 3), length - 2
