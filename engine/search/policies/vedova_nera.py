"""La Vedova Nera: a race to the goals, judged by the steps that are left.

Random playouts almost never finish, so nothing is played out: the evaluation counts for each seat the steps that
bring every pawn to a goal (the cheapest way to share the goals out, each pawn alone on an empty web; a pawn off the
board first needs an entry), adds something for goals that others stand on, and takes something off for stable
pawns, which no one can remove. Who has the fewest is ahead, by the logistic function of the difference. With two
seats the tree beat alpha-beta on the same time.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from engine.core import Action, State
from engine.games.vedova_nera.rules import (
    CODES,
    COUNSELLOR,
    ENTER,
    MARBLE,
    NEXT_TO_TRAP,
    PAWNS_BY_SEATS,
    RINGS,
    STEP,
    WEB,
    Play,
    find_stable_pawns,
)
from engine.search.policy import Level, Policy, Values, compute_shares
from engine.topology import list_indices

_STEP_WEIGHT: Final = 0.3
"""Log odds for each step fewer than another seat."""
_BLOCKED_GOAL_STEPS: Final = 0.5
"""Extra steps for a goal under another's piece at the beginning."""
_HURRY_TURNS: Final = 100
"""Turns after which sitting on another's goals loses value, because blocking both only leads to a draw."""
_RACE_TURNS: Final = 80
"""Turns after which a hint waits for nothing: who guards others' goals and leaves them again never finishes."""
_STABLE_PAWN_STEPS: Final = 0.25
"""Value of a stable pawn in steps."""
_ENTRY_STEPS: Final = 1.5
"""Value of an entry in steps: one turn, and a free node where it is wanted."""
_TEMPO_STEPS: Final = 0.5
"""Value of being on the move in steps."""
_WINNING_PRIORITY: Final = 100.0
"""A priority that puts an action before all others."""
_CACHE_SIZE: Final = 200_000


class VedovaNeraPolicy(Policy[State]):
    """What the searches know about La Vedova Nera."""

    key = "vedova-nera"
    contempt = 0.2
    exploration = 0.1
    width = 3.0
    growth = 0.6
    levels: Sequence[Level] = (
        Level(1, 0.1),
        Level(40, 0.02),
        Level(300, 0.004),
        Level(3000, 0.004),
        Level(80_000, 0.004),
    )

    def evaluate(self, state: State) -> Values:
        """Return the values by the steps that are left; all alike before the pawns stand."""
        if not isinstance(state, Play):
            return (0.5,) * state.seats
        blocked = _BLOCKED_GOAL_STEPS * max(-1.0, min(1.0, 2.0 - state.played / _HURRY_TURNS))
        strengths = []
        for seat, (goals, pawns) in enumerate(zip(state.goals, state.pawns, strict=True)):
            steps = _steps_left(goals, pawns, PAWNS_BY_SEATS[state.seats])
            steps += blocked * (goals & state.occupied & ~pawns).bit_count()
            steps -= _STABLE_PAWN_STEPS * find_stable_pawns(goals, pawns).bit_count()
            if seat == state.to_move:
                steps -= _TEMPO_STEPS
            if seat in state.dropped:
                steps += 100.0
            strengths.append(-_STEP_WEIGHT * steps)
        return compute_shares(strengths)

    def is_waiting(self, state: State, action: Action) -> bool:
        """Return whether the Counsellor moves and no one is captured; late also what brings no pawn nearer."""
        if not isinstance(state, Play) or action.text not in CODES:
            return False
        after, seat, pieces = state.advance(action), state.to_move or 0, PAWNS_BY_SEATS[state.seats]
        assert isinstance(after, Play)  # noqa: S101
        if any(other != seat and after.pawns[other] != state.pawns[other] for other in range(state.seats)):
            return False
        if CODES[action.text][0] == COUNSELLOR:
            return True
        steps = [_steps_left(each.goals[seat], each.pawns[seat], pieces) for each in (state, after)]
        return state.turn >= _RACE_TURNS and steps[1] >= steps[0]

    def candidates(self, state: State) -> Sequence[Action]:
        """Return first the actions that bring pawns nearer to open goals or next to pawns to trap."""
        actions = state.legal_actions()
        if not isinstance(state, Play) or len(actions) < 2:
            return actions
        seat = state.to_move or 0
        goals, pawns = state.goals[seat], state.pawns[seat]
        far = _field(goals & ~pawns)
        others = state.occupied & ~pawns & ~(1 << state.counsellor)
        missing = goals ^ pawns

        def worth(action: Action) -> float:
            kind, start, end = CODES[action.text]
            traps = (NEXT_TO_TRAP[end] & others).bit_count() if kind in (STEP, ENTER, COUNSELLOR) else 0
            if kind == STEP:
                value = 2.0 * (far[start] - far[end]) - 3.0 * (goals >> start & 1)
            elif kind == ENTER:
                value = 2.5 - far[end] / 2
            elif kind == MARBLE:
                value = 0.5
            else:
                # Off a goal of one's own, or onto one of another's.
                value = -1.0 + 2.0 * (goals >> state.counsellor & 1) - 3.0 * (goals >> end & 1)
            if kind != COUNSELLOR and missing == (1 << end if kind == ENTER else 1 << start | 1 << end):
                value += _WINNING_PRIORITY
            return -(value + 0.7 * traps)

        return sorted(actions, key=worth)


@lru_cache(maxsize=_CACHE_SIZE)
def _field(goals: int) -> tuple[int, ...]:
    """Return for each node the distance to the nearest of the goals."""
    rows = [WEB.distances[goal] for goal in list_indices(goals)]
    return tuple(min(column) for column in zip(*rows, strict=True)) if rows else (0,) * len(WEB)


@lru_cache(maxsize=_CACHE_SIZE)
def _steps_left(goals: int, pawns: int, pieces: int) -> float:
    """Return the steps of the cheapest way to bring every pawn to a goal (assignment by subsets of the goals)."""
    targets = list(list_indices(goals & ~pawns))
    sources = [WEB.distances[pawn] for pawn in list_indices(pawns & ~goals)]
    outside = tuple(_ENTRY_STEPS + RINGS - 1 - node % RINGS for node in range(len(WEB)))
    rows: list[tuple[float, ...]] = [*sources, *[outside] * (pieces - pawns.bit_count())]
    best: dict[int, float] = {0: 0.0}
    for row in rows:
        following: dict[int, float] = {}
        for taken, cost in best.items():
            for number, target in enumerate(targets):
                bit = 1 << number
                if taken & bit:
                    continue
                total = cost + row[target]
                if total < following.get(taken | bit, 1e9):
                    following[taken | bit] = total
        best = following
    return min(best.values())


POLICY: Final = VedovaNeraPolicy()
