"""Reasons for turns of La Vedova Nera."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
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
from bot.kernel.words.vedova_nera import stable_goals
from engine import Action
from engine.core import Json


def explain_vedova_nera(case: Candidate) -> Iterator[Reason]:
    """Yield goals reached, freed and blocked, and pawns made safe or brought nearer."""
    action = case.actions[0]
    if action.verb == "colour":
        yield from _colour(case, action)
    elif state(case) and case.after.outcome is None:
        yield from _goals(case, action)
        yield from _rival_goals(case, action)


def state(case: Candidate) -> bool:
    """Return True if the pawns are already on the web."""
    return bool(case.position["phase"] == "play")


def _own_goals_and_pawns(case: Candidate, position: Json) -> tuple[list[str], list[str]]:
    """Return the seat's goals and pawns in a position."""
    return position["marbles"][position["colours"][case.seat]], position["pawns"][case.seat]


def _goals(case: Candidate, action: Action) -> Iterator[Reason]:
    """Yield what the turn does for the seat's own goals."""
    goals, pawns = _own_goals_and_pawns(case, case.position)
    goals_then, pawns_then = _own_goals_and_pawns(case, case.then)
    covered = [goal for goal in goals_then if goal in pawns_then]
    reached = action.target in covered and action.verb in ("step", "enter")
    if reached and action.source not in goals:
        yield case.reason("why.goal", OF_GOAL, cell=action.target or "", n=len(covered), all=len(goals_then))
    safe = set(stable_goals(goals_then, pawns_then)) - set(stable_goals(goals, pawns))
    if safe:
        yield case.of_cells("why.steadies", OF_SAFETY + 10, safe)
    if action.verb == "counsellor" and case.position["counsellor"] in goals:
        yield case.reason("why.frees", OF_PLAN, cell=case.position["counsellor"])
    if action.verb == "marble":
        far, near = _steps(case, goals, pawns), _steps(case, goals_then, pawns_then)
        if near < far:
            yield case.reason("why.marble", OF_PLAN, cell=action.target or "", n=far - near)
    elif action.verb in ("step", "enter") and not reached:
        yield from _approach_to_goals(case, action, [goal for goal in goals_then if goal not in pawns_then])


def _approach_to_goals(case: Candidate, action: Action, wanted: Sequence[str]) -> Iterator[Reason]:
    """Yield how near to an open goal the moved pawn has come."""
    if not wanted or action.target is None:
        return
    goal = min(wanted, key=partial(case.distance, action.target))
    distance = case.distance(action.target, goal)
    if action.verb == "enter":
        yield case.reason("why.enters", OF_STEP + 5, cell=goal, n=distance)
    elif action.source is not None and distance < case.distance(action.source, goal):
        yield case.reason("why.nearer", OF_STEP + 5, cell=goal, n=distance)


def _rival_goals(case: Candidate, action: Action) -> Iterator[Reason]:
    """Yield the goals of others that a piece now covers."""
    for rival in case.rivals:
        goals = case.then["marbles"][case.then["colours"][rival]]
        if action.verb != "marble" and action.target in goals and action.target not in case.then["pawns"][rival]:
            left = sum(goal not in case.then["pawns"][rival] for goal in goals)
            weight = OF_RESCUE + 5 if left == 1 else OF_SAFETY
            yield case.reason("why.blocks", weight, cell=action.target or "", who=case.names[rival])


def _steps(case: Candidate, goals: Sequence[str], pawns: Sequence[str]) -> int:
    """Return the total steps from each open goal to the nearest pawn that is not on a goal."""
    idle = [pawn for pawn in pawns if pawn not in goals]
    wanted = [goal for goal in goals if goal not in pawns]
    return sum(min(case.distance(goal, pawn) for pawn in idle) for goal in wanted) if idle else 0


def _colour(case: Candidate, action: Action) -> Iterator[Reason]:
    """Yield how close together the goals of a colour lie, compared with those of the other remaining colours."""
    marbles = case.position["marbles"]

    def spread(colour: str) -> int:
        return sum(case.distance(one, other) for one, other in combinations(marbles[colour], 2))

    left = [str(each.value) for each in case.before.legal_actions()]
    if spread(str(action.value)) == min(map(spread, left)):
        yield case.reason("why.close-together", OF_STEP)
    inner = sum(cell[1:] in ("1", "2") for cell in marbles[str(action.value)])
    if inner:
        yield case.reason("why.inner", OF_STEP - 5, n=inner)


REASONS: Final = GameReasons(explain_vedova_nera, state, state)
