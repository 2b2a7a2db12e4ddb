"""The rule that forbids a move of Annuvin, and the actions that a text may mean."""

# Not compiled: searches do not come here.

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from engine.core import PASS, Action, IllegalAction, shorten_value
from engine.games.annuvin.tables import CAPTURE, GO_ON, HALT, MOVE, PLACE, STOP

if TYPE_CHECKING:
    from engine.games.annuvin.state import AnnuvinState

_WORD: Final = re.compile(r"(?:stop|pass)(?![a-z])")
_PAIR: Final = re.compile(r"([a-z]\d+)[\s,;:\-]*(x?)[\s,;:\-]*([a-z]\d+)")
_SINGLE: Final = re.compile(r"(x?)[\s,;:\-]*([a-z]\d+)")


def hindrance(state: AnnuvinState, action: Action) -> IllegalAction | None:
    """Return the rule that forbids an action in an unfinished game, None if it is legal."""
    if action.verb == "drop":
        playing = action == Action.drop(action.value) and state.is_playing(action.value)
        return None if playing else IllegalAction("no-such-seat", seat=shorten_value(action.value))
    plan = state.board.plans.get(action.text)
    if plan is None:
        return (
            IllegalAction("must-act")
            if action == PASS
            else IllegalAction("foreign-action", text=shorten_value(action.text))
        )
    kind, source, target = plan
    if kind == HALT:
        return None if state.moving >= 0 else IllegalAction("nothing-to-stop")
    names = state.topology.names
    cell = names[target]
    if kind == PLACE:
        if not state.reserve[state.seat]:
            return IllegalAction("reserve-empty", cell=cell)
        return IllegalAction("cell-taken", cell=cell) if (state.own | state.enemy) >> target & 1 else None
    if kind == GO_ON:
        if state.moving < 0:
            return IllegalAction("capture-not-begun", cell=cell)
        source = state.moving
    if not state.own >> source & 1:
        return IllegalAction("enemy-piece" if state.enemy >> source & 1 else "no-piece-there", cell=names[source])
    if state.moving not in (-1, source):
        return IllegalAction("another-piece-moving", cell=names[source], piece=names[state.moving])
    return _out_of_reach(state, kind, source, target)


def _out_of_reach(state: AnnuvinState, kind: int, source: int, target: int) -> IllegalAction | None:
    """Return why a movable piece cannot reach the target in this way, None if it can."""
    piece, cell = state.topology.names[source], state.topology.names[target]
    if source == target:
        return IllegalAction("stays-put", cell=cell)
    if state.own >> target & 1:
        return IllegalAction("own-piece-there", cell=cell)
    if kind == MOVE and state.enemy >> target & 1:
        return IllegalAction("enemy-there", piece=piece, cell=cell)
    if kind == MOVE and state.moving >= 0:
        return IllegalAction("only-captures-now", piece=piece, cell=cell, left=state.range)
    if kind != MOVE and not state.enemy >> target & 1:
        return IllegalAction("nothing-to-capture", cell=cell)
    distance = state.board.distance[source][target]
    if distance > state.range:
        if state.moving >= 0:
            return IllegalAction("beyond-what-is-left", piece=piece, cell=cell, distance=distance, left=state.range)
        code = "too-far-with-reserve" if state.reserve[state.seat] else "too-far"
        return IllegalAction(code, piece=piece, cell=cell, distance=distance, range=state.range)
    if kind == CAPTURE and state.moving >= 0:
        return IllegalAction("name-target-only", cell=cell)
    return None


def well_formed(state: AnnuvinState, text: str) -> Iterable[Action]:
    """Return the actions that the beginning of a text may mean, likeliest first."""
    word = _WORD.match(text)
    if word:
        return (STOP,) if word[0] == STOP.text else (PASS,)
    board, index, moving = state.board, state.topology.index, state.moving
    result: list[Action] = []
    pair = _PAIR.match(text)
    if pair and pair[1] in index and pair[3] in index:
        source, target = index[pair[1]], index[pair[3]]
        result = [board.moves[source][target], board.captures[source][target]]
        if pair[2] or state.enemy >> target & 1:
            result.reverse()
            if source == moving:
                result.insert(0, board.goings_on[source][target])
        # while captures go on, two cells may also be two of them
        if moving < 0 or state.own >> source & 1:
            return result
    single = _SINGLE.match(text)
    if single and single[2] in index:
        target = index[single[2]]
        going_on, placement = board.goings_on[max(moving, 0)][target], board.placements[target]
        if moving < 0:
            return [going_on, placement, *result] if single[1] else [placement, going_on, *result]
        as_move = [] if single[1] or state.enemy >> target & 1 else [board.moves[moving][target]]
        return [*as_move, going_on, placement, *result]
    return result
