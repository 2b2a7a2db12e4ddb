"""Counting turns to compare implementations of the rules (docs/rules/README.md, Counts to test against)."""

from engine.core import CHANCE, State


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of `depth` whole turns from here (of the rest of a turn in progress).

    A turn is all consecutive actions of one seat, and sequences of actions are counted, so captures in another order
    are another turn. Where the game is over or chance comes next before the depth is reached, nothing is added.
    """
    return _count(state, depth, {})


def _count(state: State, depth: int, known: dict[State, int]) -> int:
    """Return the number of sequences; the ways to finish a turn depend on the position alone and are counted once."""
    if depth <= 0:
        return 1
    if state.to_move is None or state.to_move == CHANCE:
        return 0
    if depth == 1 and state in known:
        return known[state]
    total = 0
    for action in state.legal_actions():
        after = state.advance(action)
        total += _count(after, depth - (after.turn != state.turn), known)
    if depth == 1:
        known[state] = total
    return total
