"""The rule of Real Queen that forbids an action."""

# Not compiled: searches do not come here.

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core import Action, IllegalAction, shorten_value
from engine.games.real_queen.tables import (
    BOARD,
    CAPTURE,
    CROWN,
    MIN_ALIGNMENT,
    MOVES,
    PASSING,
    PLACE,
    RETURN,
    SHIFT,
    STEP,
    longest_run,
)

if TYPE_CHECKING:
    from engine.games.real_queen.state import RealQueenState


def hindrance(state: RealQueenState, action: Action) -> IllegalAction | None:
    """Return the rule that forbids an action in an unfinished game, None if it is legal.

    In the params `n` is the number for the plural: pieces still due or in reserve.
    """
    if action.verb == "drop":
        playing = action == Action.drop(action.value) and state.is_playing(action.value)
        return None if playing else IllegalAction("no-such-seat", seat=shorten_value(action.value))
    move = MOVES.get(action.text)
    seat = state.to_move
    if move is None or seat is None:
        return IllegalAction("foreign-action", text=shorten_value(action.text))
    kind, source, target = move
    if state.captures and kind != CAPTURE:
        return IllegalAction("captures-first", n=state.captures)
    if state.returns and kind not in (CAPTURE, RETURN):
        return IllegalAction("returns-first", n=state.returns)
    if kind == CAPTURE:
        return _capture(state, seat, target)
    if kind == RETURN:
        return _return(state, seat, target)
    if kind == PASSING:
        return _pass(state)
    if kind == PLACE and not state.reserve[seat]:
        return IllegalAction("reserve-empty")
    if kind == SHIFT and (refused := _shift(state, seat, source, target)):
        return refused
    if kind == STEP and (refused := _step(state, seat, source, target)):
        return refused
    if kind == CROWN and state.queens[seat]:
        return IllegalAction("queen-in-play", queen=_name(state.queens[seat]))
    if not state.free >> target & 1:
        return IllegalAction("occupied", cell=BOARD.names[target])
    if kind == CROWN and not state.queen_targets(seat, state.free) >> target & 1:
        return IllegalAction(
            "needs-alignment",
            cell=BOARD.names[target],
            longest=longest_run(target, state.pieces[seat]),
            least=MIN_ALIGNMENT,
            n=state.reserve[seat],
        )
    return None


def _capture(state: RealQueenState, seat: int, target: int) -> IllegalAction | None:
    cell = BOARD.names[target]
    if state.queens[1 - seat] >> target & 1:
        return IllegalAction("queen-never-captured", cell=cell)
    if not state.returns:
        return IllegalAction("nothing-to-capture", least=MIN_ALIGNMENT)
    if not state.captures:
        return IllegalAction("all-captured", n=state.returns)
    if state.pieces[1 - seat] >> target & 1:
        return None
    if state.free >> target & 1:
        return IllegalAction("no-piece-there", cell=cell)
    return IllegalAction("own-piece", cell=cell)


def _return(state: RealQueenState, seat: int, target: int) -> IllegalAction | None:
    cell = BOARD.names[target]
    if not state.returns:
        return IllegalAction("nothing-to-return", least=MIN_ALIGNMENT)
    if state.due() >> target & 1:
        return None
    if state.queens[seat] >> target & 1:
        return IllegalAction("queen-never-returned", cell=cell)
    if state.free >> target & 1:
        return IllegalAction("no-piece-there", cell=cell)
    if not state.pieces[seat] >> target & 1:
        return IllegalAction("not-your-piece", cell=cell)
    if any(run >> target & 1 for run in state.runs):
        return IllegalAction("crossing-first", cell=_name(state.crossing))
    members = 0
    for run in state.runs:
        members |= run
    return IllegalAction("not-in-alignment", cell=cell, cells=BOARD.cells(members & state.pieces[seat]))


def _pass(state: RealQueenState) -> IllegalAction | None:
    actions = state.legal_actions()
    return None if actions[0].verb == "pass" else IllegalAction("must-act")


def _shift(state: RealQueenState, seat: int, source: int, target: int) -> IllegalAction | None:
    cell = BOARD.names[source]
    if state.free >> source & 1:
        return IllegalAction("no-piece-there", cell=cell)
    if state.queens[seat] >> source & 1:
        return IllegalAction("queen-steps", cell=cell)
    if not state.pieces[seat] >> source & 1:
        return IllegalAction("not-your-piece", cell=cell)
    if state.reserve[seat]:
        return IllegalAction("shift-needs-empty-reserve", n=state.reserve[seat])
    if not state.queens[seat]:
        return IllegalAction("shift-needs-queen")
    return IllegalAction("stays-put", cell=cell) if source == target else None


def _step(state: RealQueenState, seat: int, source: int, target: int) -> IllegalAction | None:
    queen = state.queens[seat]
    if not queen:
        return IllegalAction("queen-in-hand")
    if queen != 1 << source:
        return IllegalAction("queen-elsewhere", cell=BOARD.names[source], queen=_name(queen))
    distance = BOARD.distances[source][target]
    if not distance:
        return IllegalAction("stays-put", cell=BOARD.names[source])
    if distance > 1:
        return IllegalAction("too-far", cell=BOARD.names[target], distance=distance, range=1)
    return None


def _name(cell: int) -> str:
    return BOARD.names[cell.bit_length() - 1]
