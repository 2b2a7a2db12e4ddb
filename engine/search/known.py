"""Actions whose values are known from the game's oracle, without search."""

from collections.abc import Sequence
from dataclasses import replace

from engine.core import Action, State
from engine.oracle import Verdict
from engine.search.policy import values_of
from engine.search.result import Judged

_DRAW_VALUE = 0.5


def list_known_actions(state: State) -> list[Judged]:
    """Return the legal actions with proven values, best first; empty if the best is not known.

    Won positions have the quickest win first, lost ones the slowest loss. Winning actions may be missing if history
    makes them doubtful.
    """
    oracle, seat = state.game.oracle, state.to_move
    if oracle is None or seat is None or not oracle.covers(state):
        return []
    actions = state.legal_actions()
    found = [judged for action in actions if (judged := _judge_from_proof(state, action)) is not None]
    # Stable, so that equals stay in the order of the actions.
    found.sort(key=lambda each: _rank(each, seat))
    return found if len(found) == len(actions) or (found and found[0].values[seat] > _DRAW_VALUE) else []


def apply_known_values(state: State, judged: Sequence[Judged]) -> list[Judged]:
    """Return a search's results, with proven values for actions that lead to positions of the oracle."""
    oracle = state.game.oracle
    if oracle is None:
        return list(judged)
    found = []
    for each in judged:
        sure = _judge_from_proof(state, each.action) if oracle.covers(state.advance(each.action)) else None
        found.append(each if sure is None else replace(sure, visits=each.visits))
    return found


def _judge_from_proof(state: State, action: Action) -> Judged | None:
    """Return an action with its proven values and turns from this one on; None if they are not known."""
    oracle, after = state.game.oracle, state.advance(action)
    verdict: Verdict | None = None
    if after.outcome is not None:
        verdict = Verdict(values_of(after.outcome), 1)
    elif oracle is not None:
        verdict = oracle.probe(after)
    if verdict is None:
        return None
    turns = None if verdict.values[0] == _DRAW_VALUE else verdict.turns
    if turns is not None and after.outcome is None:
        # A capture is what the turns are counted to; the turn that is not over yet counts once.
        turns = 1 if state.game.facts.is_capture(action) else turns + (after.turn != state.turn)
    return Judged(action, verdict.values, 1, True, True, turns)


def _rank(judged: Judged, seat: int) -> tuple[float, int]:
    value, turns = judged.values[seat], judged.turns or 0
    return -value, turns if value > _DRAW_VALUE else -turns
