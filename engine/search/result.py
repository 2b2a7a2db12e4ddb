"""The results of a search for the actions of a position."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.budget import Budget
from engine.core import Action, Actions, State
from engine.oracle import Verdict
from engine.search.policy import values_of


@dataclass(frozen=True, slots=True)
class Judged:
    """An action, the values per seat that are expected after it, and how many iterations looked into it.

    `proven` says that the values are not an estimate: play goes that way whatever the others do. `known` says that this
    comes from the game's oracle or its prover. For the oracle `turns` is within how many turns, this one the first, the
    next capture comes that keeps a win or a loss (`engine.oracle.Verdict`), for the prover `within` says within how
    many turns of its own the winner wins (`engine.prover.Proof`). `expected`: the values are exact means over the dice.
    """

    action: Action
    values: tuple[float, ...]
    visits: int
    proven: bool = False
    known: bool = False
    turns: int | None = None
    within: int | None = None
    expected: bool = False


def pick(judged: Sequence[Judged], seat: int, noise: float, rng: random.Random) -> Action:
    """Return the action to play among search results, best first; noise blurs all unproven values.

    If everything loses, the first is the one that loses last.
    """
    won = next((each for each in judged if each.proven and each.values[seat] == 1.0), None)
    open_ones = [each for each in judged if not (each.proven and each.values[seat] == 0.0)]
    if won or noise <= 0.0 or not open_ones:
        return (won or judged[0]).action

    def blur(each: Judged) -> float:
        return each.values[seat] + (0.0 if each.proven or each.expected else rng.gauss(0.0, noise))

    return max(open_ones, key=blur).action


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


_EXTRA_PLIES = 1
"""Additional own turns within which wins are sought once the usual search found none."""


def list_settled_actions(state: State, budget: Budget) -> list[Judged]:
    """Return the legal actions with proven or exactly expected values, best first, or nothing."""
    prover, seat = state.game.prover, state.to_move
    if prover is None or seat is None or not prover.covers(state):
        return []
    found = [
        Judged(action, proof.values, 1, not proof.expected, not proof.expected, None, proof.turns, proof.expected)
        for action, proof in prover.settle(state, budget).items()
    ]
    # Stable, so that equals stay in the prover's order.
    return sorted(found, key=lambda each: -each.values[seat])


def list_won_actions(state: State, budget: Budget) -> list[Judged]:
    """Return the actions proven to win within the smallest number of own turns."""
    prover, seat = state.game.prover, state.to_move
    if prover is None or seat is None or not prover.turns or not prover.covers(state):
        return []
    for turns in range(1, prover.turns + _EXTRA_PLIES + 1):
        wins = [action for action, wins in prover.wins(state, turns, budget).items() if wins]
        if wins:
            return [_decided(Judged(action, (), 1), seat, turns) for action in wins]
        if budget.is_over:
            break
    return []


def refute_losses(state: State, judged: Sequence[Judged], budget: Budget, most: int) -> list[Judged]:
    """Return a search's results with overlooked losses among the first few refuted, worst last.

    An action is refuted if the other is proven to win after it, within the prover's usual number of turns.
    """
    prover, seat = state.game.prover, state.to_move
    if prover is None or seat is None or not prover.turns or state.seats != 2:
        return list(judged)
    remaining, lost = list(judged), list[Judged]()
    for each in judged[:most]:
        after = state.advance(each.action)
        if each.proven or after.to_move != 1 - seat or not prover.covers(after):
            continue
        for turns in range(1, prover.turns + 1):
            if any(prover.wins(after, turns, budget).values()):
                remaining.remove(each)
                lost.append(_decided(each, 1 - seat, turns))
                break
        if budget.is_over:
            break
    sure = [each for each in remaining if each.proven and each.values[seat] == 0.0]
    lost.sort(key=lambda each: -(each.within or 0))
    return [*(each for each in remaining if each not in sure), *sure, *lost]


def winning_turns(state: State, turns: int, budget: Budget) -> list[tuple[Actions, bool | None]]:
    """Return every way to play the turn, and whether it wins within a number of own turns, this one included.

    None means that the budget was used up first, or that the game has no prover. Actions that lead to the same position
    in another order are listed once.
    """
    prover, seat = state.game.prover, state.to_move
    if prover is None or seat is None or not prover.turns or not prover.covers(state):
        return [((action,), None) for action in state.legal_actions()]
    found: list[tuple[Actions, bool | None]] = []
    queue: list[tuple[Actions, State]] = [((), state)]
    seen = set()
    for line, here in queue:
        for action, wins in prover.wins(here, turns, budget).items():
            after = here.advance(action)
            if after.to_move != seat or after.turn != state.turn:
                if after.key() not in seen:
                    found.append(((*line, action), wins))
            elif after.key() not in seen:
                queue.append(((*line, action), after))
            seen.add(after.key())
    return found


def _decided(judged: Judged, winner: int, turns: int) -> Judged:
    values = (1.0, 0.0) if winner == 0 else (0.0, 1.0)
    return replace(judged, values=values, proven=True, known=True, turns=None, within=turns)
