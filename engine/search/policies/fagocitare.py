"""Fagocitare: the tree, widened from the likeliest cells on.

Evaluation: a lead of three captured dots wins, so the lead comes first and by a steep scale; then the cells where
either side could capture at once. A dot captures only with no free cell between, so only cells near other dots can
change anything: the others come last.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from engine.core import Action
from engine.games.fagocitare.rules import FagocitareState, sheet
from engine.search.policy import Level, Policy, Values, compute_pair
from engine.topology import list_indices, list_symmetries

_LEAD_WEIGHT: Final = 1.1
"""Log odds for each captured dot of the lead."""
_CAPTURE_WEIGHT: Final = 0.5
"""Log odds for an immediate capture."""
_OPPONENT_CAPTURE: Final = 0.3
"""Log odds for each (of at most three) capture of the seat not on the move."""
_MAX_CAPTURES: Final = 3
_OPENING_SHARE: Final = 8
"""Before so large a part of the sheet is filled, safe cells enough are left for both."""
_OPENINGS: Final = {7: (("b3", ("d4", "e4", "e5", "f3")), ("b3", ("d4", "e4", "e5", "f3")), ("d4", ()))}
"""By size first dots to choose among, each with the answers to it that keep the chances even, if any are known.

A level that does not see far is too strong with the first dot on the smallest sheet; where none is named it opens
as well by itself. Found by 20 games of level 3 for every answer to d4, c3 and b3. It all holds for mirror images.
"""


class FagocitarePolicy(Policy[FagocitareState]):
    """What the searches know about Fagocitare."""

    key = "fagocitare"
    exploration = 0.15
    last_waiting_turn = 0
    levels: Sequence[Level] = (
        Level(30, 0.25),
        Level(60, 0.12),
        Level(500, 0.02, book=True),
        Level(2500, 0.01),
        Level(40_000, 0.004),
    )

    def evaluate(self, state: FagocitareState) -> Values:
        """Return the values by the lead and the captures that can be made next."""
        seat = state.to_move or 0
        dead, free = state.dead, state.free
        lead = dead[seat].bit_count() - dead[1 - seat].bit_count()
        now = state.capturing(seat, free)
        later = state.capturing(1 - seat, free)
        odds = (
            _LEAD_WEIGHT * lead
            + (_CAPTURE_WEIGHT if now else 0.0)
            - _OPPONENT_CAPTURE * min(_MAX_CAPTURES, later.bit_count())
        )
        return compute_pair(odds, seat)

    def is_waiting(self, state: FagocitareState, action: Action) -> bool:
        """Return whether a safe dot takes no safe cell from the other seat, while some safe dot does.

        Once both sides are walled in, each turn uses up a safe cell, and who has none left loses dots: who leaves the
        other's cells alone only puts that off.
        """
        if state.turn < state.sheet.size**2 // _OPENING_SHARE:
            return False
        return bool(_waiting_cells(state) >> state.sheet.board.index[action.text] & 1)

    def candidates(self, state: FagocitareState) -> Sequence[Action]:
        """Return captures, then cells where the enemy would capture, then cells near dots, then the rest."""
        seat = state.to_move or 0
        free = state.free
        cells = state.open_cells(seat)
        captures = state.capturing(seat, cells)
        hindering = state.capturing(1 - seat, free) & cells
        own, enemy = state.live[seat], state.live[1 - seat]
        near, far, central = _surroundings(state.sheet.size)

        def worth(cell: int) -> float:
            here = near[cell]
            value = central[cell] + 3 * (here & enemy).bit_count() + 2 * (here & own).bit_count()
            value += (far[cell] & (own | enemy)).bit_count() + 100 * (captures >> cell & 1)
            return -(value + 50 * (hindering >> cell & 1))

        actions = state.sheet.actions
        return [actions[cell] for cell in sorted(list_indices(cells), key=worth)]

    def openings(self, state: FagocitareState) -> Sequence[Action]:
        """Return dots for the first two turns after which neither side has much the better chances."""
        if state.turn > 1:
            return ()
        cells = _openings(state.sheet.size).get(state.sheet.board.all ^ state.free, ())
        return [state.sheet.actions[cell] for cell in cells]


@lru_cache(maxsize=4)
def _waiting_cells(state: FagocitareState) -> int:
    """Return the safe cells of the seat to move that capture and take nothing from the other, if any takes some."""
    seat = state.to_move or 0
    enemy_safe, idle, taking = _safe_cells(state, 1 - seat), 0, False
    for cell in list_indices(_safe_cells(state, seat) & ~state.capturing(seat, state.free)):
        after = state.advance(state.sheet.actions[cell])
        if after.outcome is None and not enemy_safe & ~_safe_cells(after, 1 - seat):
            idle |= 1 << cell
        else:
            taking = True
    return idle if taking else 0


def _safe_cells(state: FagocitareState, seat: int) -> int:
    """Return the cells where a dot of a seat, if it were to move, loses none and lets the other capture nowhere new."""
    now = FagocitareState(
        state.sheet, seat, state.free, state.live, state.dead, state.lines, state.inked, state.ends, state.turn
    )
    lost, captures, found = state.dead[1 - seat], state.capturing(1 - seat, state.free), 0
    for cell in list_indices(now.open_cells(seat)):
        after = now.advance(state.sheet.actions[cell])
        if after.dead[1 - seat] == lost and not after.capturing(1 - seat, after.free) & ~captures:
            found |= 1 << cell
    return found


@lru_cache
def _surroundings(size: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[float, ...]]:
    """Return for each cell its neighbours, the cells at distance two, and how central it is (0..1)."""
    within = sheet(size).board.within
    near = tuple(row[1] for row in within)
    far = tuple(row[2] & ~row[1] for row in within)
    middle = (size - 1) / 2
    cells = range(size * size)
    central = tuple(1 - (abs(cell // size - middle) + abs(cell % size - middle)) / size for cell in cells)
    return near, far, central


@lru_cache
def _openings(size: int) -> Mapping[int, tuple[int, ...]]:
    """Return for the dots of an opening (none or the first) the cells of the next one."""
    board = sheet(size).board
    firsts: list[int] = []
    answers: dict[int, tuple[int, ...]] = {}
    for first, replies in _OPENINGS.get(size, ()):
        for image in list_symmetries(board):
            cell = image[board.index[first]]
            firsts.append(cell)
            if replies:
                answers[1 << cell] = tuple([image[board.index[reply]] for reply in replies])
    return {0: tuple(firsts), **answers}


POLICY: Final = FagocitarePolicy()
