"""Which rule stands in the way where somebody presses a cell of the board that cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from bot.entry.choices import Question, click_paths
from engine import Action, EngineError, State

MAX_CELLS_TRIED: Final = 6
"""To so many cells, the nearest, it is tried to move what stands on a cell: all that each has for neighbours."""


@dataclass(frozen=True, slots=True)
class RefusedCell:
    """Why a cell cannot be chosen.

    `kind` is "rule" where a rule forbids it, "stuck" where what stands there can go nowhere, the nearest cell for that
    `error`, and "leads-on" where what stands there can move, by a press on the cell that it goes to.
    """

    kind: Literal["rule", "stuck", "leads-on"]
    error: EngineError | None = None


def refused_cell(state: State, asked: Question | None, cell: str) -> RefusedCell | None:
    """Return why a cell cannot be the answer to a question; None where it can, or no rule says why not."""
    if asked is None or cell in click_paths(asked):
        return None
    if asked.piece is not None:
        return _rule(state, f"{asked.piece} {cell}")
    if any(action.source is None and action.target is not None for action in _actions(asked)):
        return _rule(state, cell)
    return _as_source(state, cell)


def _actions(asked: Question) -> list[Action]:
    return [action for entry in asked.entries for action in entry.actions]


def _rule(state: State, text: str) -> RefusedCell | None:
    try:
        state.parse(text)
    except EngineError as error:
        return RefusedCell("rule", error)
    return None


def _as_source(state: State, cell: str) -> RefusedCell | None:
    """Return why nothing can be moved from a cell: for the nearest cells that it could go to the same, or the first."""
    if any(action.source == cell for action in state.legal_actions()):
        return RefusedCell("leads-on")
    board = state.topology
    cells = board.cells(board.all)
    start = cells.index(cell)
    targets = sorted((index for index in range(len(cells)) if index != start), key=board.distances[start].__getitem__)
    found = [_rule(state, f"{cell} {cells[target]}") for target in targets[:MAX_CELLS_TRIED]]
    errors = [each.error for each in found if each is not None and each.error is not None]
    if not errors:
        return None
    same = len({error.code for error in errors}) == 1
    return RefusedCell("rule" if same else "stuck", errors[0])
