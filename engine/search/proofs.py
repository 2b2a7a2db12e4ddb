"""What a game's prover says about the actions of a position, as the searches say what they have judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.budget import Budget
from engine.core import Action, State
from engine.search.result import Judged

_DEEPER = 1
"""By how many turns of its own a seat's wins are looked for farther than usual, once the usual ones are not there."""


def settled(state: State, budget: Budget) -> list[Judged]:
    """Return the legal actions with what is proven or exactly expected after them, the best first; or nothing."""
    prover, seat = state.game.prover, state.to_move
    if prover is None or seat is None or not prover.covers(state):
        return []
    found = [
        Judged(action, proof.values, 1, not proof.expected, not proof.expected, None, proof.turns, proof.expected)
        for action, proof in prover.settle(state, budget).items()
    ]
    # Stable, so that equals stay in the prover's order.
    return sorted(found, key=lambda each: -each.values[seat])


def won(state: State, budget: Budget) -> list[Judged]:
    """Return the actions that are proven to win within the fewest turns of the seat's own that any takes."""
    prover, seat = state.game.prover, state.to_move
    if prover is None or seat is None or not prover.turns or not prover.covers(state):
        return []
    for turns in range(1, prover.turns + _DEEPER + 1):
        wins = [action for action, wins in prover.wins(state, turns, budget).items() if wins]
        if wins:
            return [_decided(Judged(action, (), 1), seat, turns) for action in wins]
        if budget.is_over:
            break
    return []


def refuted(state: State, judged: Sequence[Judged], budget: Budget, most: int) -> list[Judged]:
    """Return what a search has judged with losses that it overlooked among the first few, the worst last.

    An action is refuted if the other is proven to win after it, within as many turns as the prover usually looks.
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
    """Return every way to play the turn, with whether it wins within so many turns of the seat's own, this one counted.

    None stands where the budget was over first, and for games that cannot prove it. Actions of one turn that lead to
    the same position in another order are told once.
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
