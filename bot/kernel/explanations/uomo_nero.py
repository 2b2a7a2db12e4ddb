"""Reasons for turns of Gioco dell'Uomo Nero."""

from collections.abc import Iterator
from typing import Final

from bot.kernel.explanations.candidate import (
    OF_CAPTURE,
    OF_GOAL,
    OF_PLAN,
    OF_SAFETY,
    OF_STEP,
    Candidate,
    GameReasons,
    Reason,
)

ROWS: Final = 13
MAX_THROW: Final = 12
"""Maximum sum of two dice."""
TYPICAL_THROW: Final = 7
"""Most throws of two dice give this sum or more."""


def explain_uomo_nero(case: Candidate) -> Iterator[Reason]:
    """Yield what the Man catches and guards, and which attackers come home, escape or advance."""
    action = case.actions[0]
    if action.verb == "place" and action.target is not None:
        key = "why.middle" if action.target[0] in "de" else "why.side"
        yield case.reason(key, OF_STEP, cell=action.target)
    elif action.verb == "pick":
        yield from _picking_reasons(case, str(action.value))
    elif case.position["phase"] == "man":
        yield from _man_reasons(case)
    elif case.position["phase"] == "attack":
        yield from _attack_reasons(case)
    if case.after.outcome is None and case.then["round"] != case.position["round"]:
        yield case.reason("why.ends-round", OF_PLAN)


def _distance(one: str, other: str) -> int:
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:]))


def _row(cell: str) -> int:
    return int(cell[1:])


def _picking_reasons(case: Candidate, colour: str) -> Iterator[Reason]:
    starts = [piece["cell"] for piece in case.then["attackers"] if piece["colour"] == colour]
    man = case.position["man"]
    if starts and man:
        columns = min(abs(ord(cell[0]) - ord(man[0])) for cell in starts)
        key = "why.far-column" if columns else "why.same-column"
        yield case.reason(key, OF_STEP, n=columns)


def _man_reasons(case: Candidate) -> Iterator[Reason]:
    taken = [cell for cells in case.taken.values() for cell in cells]
    if taken:
        yield case.of_cells("why.captures", OF_CAPTURE + min(len(taken), 4), taken)
    man = case.then["man"]
    if not man or case.after.outcome is not None or case.then["round"] != case.position["round"]:
        return
    field = [piece["cell"] for piece in case.then["attackers"] if 1 < _row(piece["cell"]) < ROWS]
    near = [cell for cell in field if _distance(cell, man) <= TYPICAL_THROW]
    if near:
        yield case.of_cells("why.guards", OF_SAFETY, near)
    if field and all(_row(cell) <= _row(man) for cell in field):
        yield case.reason("why.ahead", OF_STEP, cell=man)
    playing = [piece["cell"] for piece in case.then["attackers"] if _row(piece["cell"]) < ROWS]
    if playing and not near and not taken:
        distance = min(_distance(cell, man) for cell in playing)
        yield case.reason("why.waits", OF_STEP - 5, cell=man, n=distance)


def _attack_reasons(case: Candidate) -> Iterator[Reason]:
    home = [action.target for action in case.actions if action.target and _row(action.target) == ROWS]
    if home:
        sprint = any(action.verb == "sprint" for action in case.actions)
        yield case.of_cells("why.sprints" if sprint else "why.arrives", OF_GOAL, home)
    moves = [(action.source, action.target) for action in case.actions if action.source and action.target]
    for source, target in moves:
        if target not in home:
            yield _advance_reason(source, target, case)
    if not moves and any(action.verb == "stay" for action in case.actions):
        yield case.reason("why.stays", OF_STEP)


def _advance_reason(source: str, target: str, case: Candidate) -> Reason:
    """Return what an attacker gains that has not reached home."""
    man = case.position["man"]
    left = ROWS - _row(target)
    reach, before = _distance(target, man), _distance(source, man)
    if left <= TYPICAL_THROW:
        return case.reason("why.near-home", OF_SAFETY + 10 - left, cell=target, n=left)
    if reach > before and before <= MAX_THROW and _row(source) > 1:
        return case.reason("why.flees", OF_SAFETY, cell=target, n=reach)
    if _row(target) > _row(man):
        return case.reason("why.past", OF_SAFETY, cell=target)
    if reach > MAX_THROW:
        return case.reason("why.far", OF_STEP + 2, cell=target)
    if _row(target) > _row(source):
        return case.reason("why.advances", OF_STEP, cell=target, n=_row(target) - _row(source))
    return case.reason("why.from-man", OF_STEP - 5, cell=target, n=reach)


REASONS: Final = GameReasons(explain_uomo_nero)
