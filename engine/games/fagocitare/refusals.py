"""The rule of Fagocitare that forbids a dot, and the dot that a text may mean."""

# Not compiled: searches do not come here.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from engine.core import PASS, Action, IllegalAction, shorten_value
from engine.games.fagocitare.tables import (
    CAPTORS_PER_CAPTIVE,
    Enclosed,
    find_enclosed_down,
    find_enclosed_up,
    is_crossed,
)

if TYPE_CHECKING:
    from engine.games.fagocitare.state import FagocitareState

_PASS: Final = re.compile(r"pass(?![a-z])")
_TAKING: Final = re.compile(r"(?:([a-l][1-9]\d?)[\s,;:\-]*)?x[\s,;:\-]*([a-l][1-9]\d?)(?!\d)")
_CELL: Final = re.compile(r"([a-l][1-9]\d?)(?!\d)")


def well_formed(state: FagocitareState, text: str) -> Iterable[Action]:
    """Return the dot at the beginning of a text."""
    if _PASS.match(text):
        return (PASS,)
    if taken := _TAKING.match(text):
        names = [name for name in taken.groups() if name]
        if all(name in state.sheet.board.index for name in names):
            return (Action(f"x{names[-1]}", "capture", taken[1], names[-1]),)
    shape = _CELL.match(text)
    cell = state.sheet.board.index.get(shape[1]) if shape else None
    return () if cell is None else (state.sheet.actions[cell],)


def hindrance(state: FagocitareState, action: Action) -> IllegalAction | None:
    """Return the rule that forbids an action in an unfinished game, None if it is legal.

    In the params of the rules about the rim `n` is the number of free cells off it.
    """
    if action.verb == "drop":
        playing = action == Action.drop(action.value) and state.is_playing(action.value)
        return None if playing else IllegalAction("no-such-seat", seat=shorten_value(action.value))
    sheet, seat = state.sheet, state.to_move
    cell = sheet.board.index.get(action.text)
    if cell is None or seat is None:
        if action.verb == "capture":
            return IllegalAction("captures-happen", cell=shorten_value(action.target))
        if action == PASS:
            return IllegalAction("must-act")
        return IllegalAction("foreign-action", text=shorten_value(action.text))
    if not state.free >> cell & 1:
        return IllegalAction("occupied", cell=action.text)
    closed = state.free & sheet.inner
    if not closed or closed >> cell & 1 or state.capturing(seat, 1 << cell):
        return None
    return _rim(state, seat, cell, closed.bit_count())


def _rim(state: FagocitareState, seat: int, cell: int, inner: int) -> IllegalAction:
    """Return why a dot on the rim captures nothing: the reason nearest to allowing it."""
    board = state.sheet.board
    name = board.names[cell]
    for each, _ in _enclosed(state, seat, cell, state.free, CAPTORS_PER_CAPTIVE):
        # It would have been captured, if it were not for the line.
        line, crossed = (each.near, each.far), _crossed_line(state, each)
        names = [[board.names[end] for end in sorted(ends)] for ends in (line, crossed)]
        return IllegalAction("rim-crossing", cell=name, n=inner, line=names[0], crossed=names[1])
    for each, _ in _enclosed(state, seat, cell, state.free, 0):
        numbers = {"dots": each.captives, "attackers": each.attackers, "needed": CAPTORS_PER_CAPTIVE * each.captives}
        return IllegalAction("rim-too-few", cell=name, n=inner, **numbers)
    for each, gap in _enclosed(state, seat, cell, 0, CAPTORS_PER_CAPTIVE):
        if not state.is_crossed(each):
            return IllegalAction("rim-gap", cell=name, n=inner, gap=board.cells(gap))
    return IllegalAction("rim-closed", cell=name, n=inner)


def _enclosed(state: FagocitareState, seat: int, cell: int, free: int, needed: int) -> Iterator[tuple[Enclosed, int]]:
    """Yield what a dot on the cell encloses with enough attackers, and the free cells before it.

    `free` are the cells regarded as free, `needed` is the number of attackers for each captive.
    """
    own, enemy = state.live[seat], state.live[1 - seat]
    for _, ahead, behind in state.sheet.up[cell]:
        if found := find_enclosed_up(cell, ahead, behind, own, enemy, free, needed):
            first = enemy & ahead & -(enemy & ahead)
            yield found, state.free & ahead & (first - 1)
    for _, ahead, behind in state.sheet.down[cell]:
        if found := find_enclosed_down(cell, ahead, behind, own, enemy, free, needed):
            yield found, state.free & ahead & -(1 << (enemy & ahead).bit_length())


def _crossed_line(state: FagocitareState, found: Enclosed) -> tuple[int, int]:
    """Return the earlier line that the capture line would cross."""
    return next(
        line
        for lines in state.lines
        for line in lines
        if is_crossed(state.sheet, found, state.sheet.segments[line], 1 << line[0] | 1 << line[1])
    )
