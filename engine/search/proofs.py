"""Converting a prover's results into the form of search results."""

from collections.abc import Sequence
from dataclasses import replace

from engine.budget import Budget
from engine.core import Action, State
from engine.search.result import Judged

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


def winning_turns(state: State, turns: int, budget: Budget) -> list[tuple[tuple[Action, ...], bool | None]]:
    """Return every way to play the turn, and whether it wins within a number of own turns, this one included.

    None means that the budget was used up first, or that the game has no prover. Actions that lead to the same position
    in another order are listed once.
    """
    prover, seat = state.game.prover, state.to_move
    if prover is None or seat is None or not prover.turns or not prover.covers(state):
        return [((action,), None) for action in state.legal_actions()]
    found: list[tuple[tuple[Action, ...], bool | None]] = []
    queue: list[tuple[tuple[Action, ...], State]] = [((), state)]
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
