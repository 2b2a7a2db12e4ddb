"""Reading the captures and returns due in the middle of a turn of Real Queen (docs/rules/real-queen.md, JSON)."""

# Not compiled: searches do not come here.

from typing import Final

from engine.core import InvalidPosition
from engine.games.real_queen.tables import BOARD, LINES, SIZE, compute_payment, find_alignments
from engine.positions import cell_or_none, check_cells, check_integer, check_items, mapping
from engine.topology import list_indices

_MAX_STEPS: Final = SIZE - 2
"""Maximum number of captures and of returns: those of a run of 7 with the queen."""


def read_pending(
    value: object, pieces: int, queen: int, enemies: int, free: int
) -> tuple[int, int, tuple[int, ...], int]:
    """Return captures and returns due, the runs' cells not yet returned and the crossing piece, as a state has them.

    InvalidPosition: `impossible-pending`, with the field that no alignment could have led to.
    """
    value = mapping(value, "pending", ("captures", "returns", "runs", "crossing"))
    captures = check_integer(value["captures"], "pending.captures", 0, min(_MAX_STEPS, enemies.bit_count()))
    returns = check_integer(value["returns"], "pending.returns", 1, _MAX_STEPS)
    index = cell_or_none(value["crossing"], "pending.crossing", BOARD)
    crossing = 0 if index is None else 1 << index
    runs = tuple(check_cells(run, "pending.runs", BOARD) for run in check_items(value["runs"], "pending.runs"))
    if any(run.bit_count() < 2 or run & ~(pieces | queen) for run in runs) or not runs:
        raise _impossible("runs")
    if crossing & ~pieces:
        raise _impossible("crossing")
    if captures or crossing or (queen and len(runs) > 1 and returns == 3):
        _check_untouched(captures, returns, runs, crossing, pieces, queen)
    else:
        _check_begun(returns, runs, queen, free)
    return captures, returns, runs, crossing


def _check_untouched(
    captures: int, returns: int, runs: tuple[int, ...], crossing: int, pieces: int, queen: int
) -> None:
    """Compare runs of which nothing has been returned yet with the alignments on the board."""
    played = [cell for cell in list_indices(runs[0]) if set(find_alignments(cell, pieces | queen)) == set(runs)]
    if not played or len(set(runs)) < len(runs):
        raise _impossible("runs")
    most, due = compute_payment(list(runs), queen)
    if captures > most:
        raise _impossible("captures")
    if returns != due:
        raise _impossible("returns")
    if crossing != (0 if len(runs) == 1 or queen == 1 << played[0] else 1 << played[0]):
        raise _impossible("crossing")


def _check_begun(returns: int, runs: tuple[int, ...], queen: int, free: int) -> None:
    """Check runs of which some pieces may have been returned: these leave gaps, or ends that cannot be seen."""
    lines = [line for run in runs for line, _ in LINES[list_indices(run)[0]] if not run & ~line]
    if len(lines) < len(runs) or len(set(lines)) < len(lines):
        raise _impossible("runs")
    common = queen | free
    for run, line in zip(runs, lines, strict=True):
        low = run & -run
        inside = line & ((1 << run.bit_length() - 1) - low)
        if inside & ~run & ~free:
            raise _impossible("runs")
        common &= line
    if len(runs) == 1:
        due = runs[0].bit_count() - 2
    elif queen & common:
        # The queen is the crossing piece: the runs share her and nothing else.
        due = min(returns, 2)
    else:
        due = min(returns, 2) if common else -1
    if returns != due:
        raise _impossible("returns" if due >= 0 else "runs")


def _impossible(field: str) -> InvalidPosition:
    return InvalidPosition("impossible-pending", field=f"pending.{field}")
