"""Reasons for turns of Real Queen."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.explanations.candidate import (
    OF_GOAL,
    OF_PLAN,
    OF_RESCUE,
    OF_SAFETY,
    OF_STEP,
    Candidate,
    GameReasons,
    Reason,
)
from engine.games.real_queen.rules import (
    BOARD,
    LINES,
    MIN_ALIGNMENT,
    RealQueenState,
    find_alignments,
    find_completing_cells,
)
from engine.topology import list_indices, make_bits


def explain_real_queen(case: Candidate) -> Iterator[Reason]:
    """Yield the alignments that a turn makes, blocks, breaks and prepares, and what the queen does."""
    before, after = case.before, case.after
    if not isinstance(before, RealQueenState) or not isinstance(after, RealQueenState):
        return
    seat, rival = case.seat, 1 - case.seat
    if after.outcome is not None:
        return
    yield from _alignments_made(case, before)
    action = case.actions[0]
    if action.verb == "crown":
        yield case.reason("why.crowns", OF_SAFETY + 10, cell=action.target or "")
    feared, left = _completing_cells(before, rival), _completing_cells(after, rival)
    target = 1 << BOARD.index[action.target] if action.target else 0
    gone = feared & ~left
    if case.feared.get(rival) and case.feared[rival].wins and not left & target:
        gone = 0  # the sentence already says that it prevents a win
    if gone & target and action.verb in ("place", "crown", "step", "shift"):
        yield case.of_cells("why.blocks", OF_RESCUE + 5, BOARD.cells(gone), who=case.names[rival])
    elif gone:
        yield case.of_cells("why.breaks", OF_PLAN + 5, BOARD.cells(gone), who=case.names[rival])
    elif not left:
        yield case.reason("why.no-line", OF_STEP - 5, who=case.names[rival])
    fresh = _completing_cells(after, seat) & ~_completing_cells(before, seat)
    if fresh and not (case.next and case.next.wins):
        yield case.of_cells("why.threatens", OF_PLAN + min(fresh.bit_count(), 4), BOARD.cells(fresh))
    elif not fresh and action.verb in ("place", "shift") and not case.taken:
        yield from _line_progress(case, after)


def _alignments_made(case: Candidate, before: RealQueenState) -> Iterator[Reason]:
    """Yield the alignments made, and what they capture."""
    action = case.actions[0]
    if action.verb not in ("capture", "return"):
        runs = before.advance(action).runs
        if len(runs) > 1:
            yield case.reason("why.lines", OF_GOAL + 4, n=len(runs))
        elif runs:
            cells = BOARD.cells(runs[0])
            yield case.reason("why.line", OF_GOAL, n=len(cells), first=cells[0], last=cells[-1])
    taken = [cell for cells in case.taken.values() for cell in cells]
    if taken:
        yield case.of_cells("why.captures", OF_GOAL - 1, taken)


def _completing_cells(state: RealQueenState, seat: int) -> int:
    """Return the free cells where one more piece of a seat, if it has one, would make an alignment."""
    own = state.pieces[seat] | state.queens[seat]
    return find_completing_cells(own) & state.free if state.reserve[seat] or state.queens[seat] else 0


def _line_progress(case: Candidate, after: RealQueenState) -> Iterator[Reason]:
    """Yield the fullest line of four through the piece that the other side has not blocked."""
    target = case.path[1]
    if target is None:
        return
    cell = BOARD.index[target]
    own = after.pieces[case.seat] | after.queens[case.seat]
    usable = own | after.free
    best: list[str] = []
    open_ways = 0
    for line, _ in LINES[cell]:
        for start in list_indices(line & usable):
            window = _window(start, cell, line)
            if window and not window & ~usable:
                open_ways += 1
                cells = BOARD.cells(window & own)
                best = max(best, cells, key=len)
    if len(best) > 1:
        yield case.of_cells("why.builds", OF_STEP, best)
    elif open_ways:
        yield case.reason("why.opens", OF_STEP - 2, cell=target, n=open_ways)


def _window(start: int, cell: int, line: int) -> int:
    """Return the four cells of a line from `start` on, if `cell` is among them; otherwise 0."""
    members = list_indices(line)
    at = members.index(start)
    window = make_bits(members[at : at + MIN_ALIGNMENT])
    # A line's cells are sorted along the board, so four in a row are neighbours.
    return window if window.bit_count() == MIN_ALIGNMENT and window >> cell & 1 and find_alignments(cell, window) else 0


# What is captured is explained with the alignment that allows it.
REASONS: Final = GameReasons(explain_real_queen, takes=lambda _: False)
