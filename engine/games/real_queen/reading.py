"""Texts by which players may write the actions of Real Queen."""

# Not compiled: searches do not come here.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from engine.core import PASS, Action
from engine.games.real_queen.tables import BOARD, CAPTURES, CROWNS, PLACES, RETURNS, SHIFTS, STEPS

if TYPE_CHECKING:
    from engine.games.real_queen.state import RealQueenState

_CELL: Final = r"([a-g][1-7])(?!\d)"
_PASS: Final = re.compile(r"pass(?![a-z])")
_SHAPE: Final = re.compile(rf"([qxr]?)[\s,;:\-]*{_CELL}([\s,;:\-x]*)(?:{_CELL})?")


def readings(action: Action) -> tuple[str, ...]:
    """Return the texts of an action: captures and returns also as their cell alone, the queen's move without Q.

    R also means the queen (Italian regina) where nothing is to be returned.
    """
    if action.verb in ("capture", "return"):
        return action.text, action.target or ""
    if action.verb == "step":
        return action.text, action.text[1:], f"R{action.text[1:]}"
    if action.verb == "crown":
        return action.text, f"R{action.target}"
    return (action.text,)


def well_formed(state: RealQueenState, text: str) -> Iterable[Action]:
    """Return the actions that the beginning of a text may mean, likeliest first."""
    if _PASS.match(text):
        return [PASS]
    shape = _SHAPE.match(text)
    if shape is None:
        return ()
    letter, name, between, second = shape.groups()
    first = BOARD.index[name]
    if letter == "x":
        return [CAPTURES[first]]
    if letter == "r" and (state.returns or (second is None and state.pieces[state.to_move or 0] >> first & 1)):
        return [RETURNS[first]]
    if not letter and second is not None and "x" in between:
        return [CAPTURES[BOARD.index[second]]]
    other = None if second is None else BOARD.index[second]
    if letter == "r":
        return [*_queen(first, other), RETURNS[first]]
    return _queen(first, other) if letter else _read_bare_cells(state, first, other, "-" in between)


def _queen(first: int, second: int | None) -> Iterator[Action]:
    if second is not None:
        yield STEPS[first][second]
    yield CROWNS[first]


def _read_bare_cells(state: RealQueenState, first: int, second: int | None, dash: bool) -> Iterator[Action]:
    """Yield the meanings of a cell without a letter, which depend on what is due and on the piece there."""
    seat = state.to_move or 0
    if second is not None and (dash or not state.free >> first & 1):
        yield (STEPS if state.queens[seat] >> first & 1 else SHIFTS)[first][second]
    if state.returns and not state.free >> first & 1:
        yield (CAPTURES if state.captures else RETURNS)[first]
    yield PLACES[first]
    if second is not None:
        yield SHIFTS[first][second]
