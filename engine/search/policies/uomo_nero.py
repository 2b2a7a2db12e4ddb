"""Gioco dell'Uomo Nero: expected points, by how far each attacker has come and how near the Man is.

Evaluation: an attacker that has arrived is a point; one in play is worth its chance of arriving, which grows with
its row and falls with the chance that the Man's two dice reach it (start-line attackers are out of his reach). The
expected attack scores of the whole match, rounds to come included at an average, are compared by the logistic
function. Searched with chance nodes; the hundred targets of a throw are widened progressively.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

from engine.core import CHANCE, Action
from engine.games.uomo_nero.board import (
    CAPTURE,
    COLUMN,
    DISTANCE,
    FINISH,
    FINISH_OF,
    IN_PLAY,
    LAND,
    MOVE,
    NAMES,
    PICK,
    PLACE,
    ROW,
    ROWS,
    SPRINT,
    START,
    STAY,
    parse_action,
)
from engine.games.uomo_nero.match import COLOURS_EACH, MAN_TURNS
from engine.games.uomo_nero.rules import NO_CELL, UomoNeroState
from engine.search.policy import Level, Policy, Values, compute_shares, sum_in_order
from engine.topology import list_indices

_FIRST, _LAST = 0.42, 0.96
"""The chance of arriving from the start line and from row 12, with the Man far away."""
_CAPTURE_WEIGHT: Final = 0.8
"""Probability that a Man who can reach an attacker on his next turn takes it; half of it if others move first."""
_POINT_WEIGHT: Final = 0.75
"""Log odds for each point ahead."""
_HURRY_TURNS: Final = 4
"""The Man's turns, per attacker in play, below which time runs out."""

_ROLLS: Final = [one + other for one in range(1, 7) for other in range(1, 7)]
_REACHES: Final = tuple(sum(total >= distance for total in _ROLLS) / len(_ROLLS) for distance in range(40))
"""The probability that two dice give at least this many steps."""


class UomoNeroPolicy(Policy[UomoNeroState]):
    """What the searches know about Gioco dell'Uomo Nero."""

    key = "uomo-nero"
    exploration = 0.15
    width = 3.0
    growth = 0.5
    levels: Sequence[Level] = (Level(1, 0.25), Level(1, 0.08), Level(60, 0.03), Level(600, 0.01), Level(60_000, 0.004))

    def evaluate(self, state: UomoNeroState) -> Values:
        """Return the values by expected attack scores."""
        match = state.match
        seats = state.seats
        points = [float(score) for score in match.attack_scores]
        if not match.round:
            return (0.5,) * seats
        average = 2 * COLOURS_EACH[seats] * _FIRST
        for man in match.order[match.round :]:
            if man not in match.dropped:
                points = [score + average * (seat != man) for seat, score in enumerate(points)]
        # The Man may move before any attacker.
        chances = _chances(state.man, state.mover == match.man_seat)
        left = state.all_pieces & IN_PLAY
        time = min(1.0, (MAN_TURNS - state.man_turns) / (_HURRY_TURNS * left.bit_count())) if left else 1.0
        for pieces, owner in zip(state.pieces, match.owners, strict=True):
            if owner < 0:
                continue
            points[owner] += (pieces & FINISH).bit_count()
            for cell in list_indices(pieces & IN_PLAY):
                points[owner] += chances[cell] * time
        unpicked = match.owners.count(-1)
        if unpicked and match.attacking:
            each = 2 * _FIRST * min(unpicked, COLOURS_EACH[seats] * len(match.attacking)) / len(match.attacking)
            for seat in match.attacking:
                missing = COLOURS_EACH[seats] - match.owners.count(seat)
                points[seat] += each if missing > 0 else 0.0
        for seat in match.dropped:
            points[seat] = -10.0
        return compute_shares([_POINT_WEIGHT * score for score in points])

    def candidates(self, state: UomoNeroState) -> Sequence[Action]:
        """Return the actions by what they change in the chances of the attackers."""
        actions = state.legal_actions()
        if state.to_move == CHANCE or len(actions) < 2:
            return actions
        chances = _chances(state.man, False)
        attackers = list(list_indices(state.all_pieces & IN_PLAY))

        def worth(action: Action) -> float:
            means = parse_action(action)
            if means is None:
                return 0.0
            kind = means.kind
            if kind in (MOVE, SPRINT):
                after = 1.0 if FINISH >> means.target & 1 else chances[means.target]
                return after - chances[means.source]
            if kind == CAPTURE:
                return chances[means.target] + 1.0
            if kind in (LAND, STAY):
                there = _chances(state.man if kind == STAY else means.target, False)
                return -sum_in_order([there[cell] for cell in attackers])
            if kind == PLACE:
                return -abs(COLUMN[means.target] - 3.4)
            if kind == PICK:
                return float(abs(2 * means.place + 0.5 - COLUMN[state.man]))
            return 0.0

        return sorted(actions, key=worth, reverse=True)


@cache
def _chances(man: int, man_is_next: bool) -> tuple[float, ...]:
    """Return for each cell the chance that an attacker there arrives while the Man stays on his cell."""
    result = []
    for cell in range(len(NAMES)):
        row = ROW[cell]
        chance = _FIRST + (_LAST - _FIRST) * (row - 1) / (ROWS - 2)
        if START >> cell & 1 or man == NO_CELL:
            result.append(chance)
            continue
        caught = _CAPTURE_WEIGHT if man_is_next else _CAPTURE_WEIGHT / 2
        danger = _REACHES[DISTANCE[cell][man]] * caught
        if DISTANCE[cell][man] > DISTANCE[man][FINISH_OF[cell]] + 2:
            # The Man stands between the attacker and the finish line.
            danger += (1 - danger) * 0.1
        result.append(chance * (1 - danger))
    return tuple(result)


POLICY: Final = UomoNeroPolicy()
