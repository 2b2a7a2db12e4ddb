"""A plain search for wins within a few turns of one's own: every action and every reply, by the rules alone."""

from engine import Action, State
from tests.support.present import present


def wins_by(state: State, action: Action, turns: int) -> bool:
    """Say whether the seat on the move wins by the action within so many turns of its own, this one counted."""
    return _after(state, action, present(state.to_move), turns)


def _after(state: State, action: Action, seat: int, turns: int) -> bool:
    after = state.advance(action)
    if after.outcome is not None:
        return after.outcome.winner == seat
    if after.turn == state.turn:
        return _any(after, seat, turns)
    return turns > 1 and _always(after, seat, turns - 1)


def _any(state: State, seat: int, turns: int) -> bool:
    return any(_after(state, action, seat, turns) for action in state.legal_actions())


def _always(state: State, seat: int, turns: int) -> bool:
    for reply in state.legal_actions():
        after = state.advance(reply)
        if after.outcome is not None:
            wins = after.outcome.winner == seat
        elif after.turn == state.turn:
            wins = _always(after, seat, turns)
        else:
            wins = _any(after, seat, turns)
        if not wins:
            return False
    return True
