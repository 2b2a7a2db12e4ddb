"""Counting turns to compare implementations of the rules (docs/rules/README.md, Counts to test against)."""

from engine.core import CHANCE, State


def perft(state: State, depth: int) -> int:
    """Return the number of sequences of `depth` whole turns from here (of the rest of a turn in progress).

    A turn is all consecutive actions of one seat, and sequences of actions are counted, so captures in another order
    are another turn. Where the game is over or chance comes next before the depth is reached, nothing is added.
    """
    return _Counter().count(state, depth)


class _Counter:
    """Counts turns; the ways to finish one turn depend on the position alone and are counted once."""

    def __init__(self) -> None:
        self.known: dict[State, int] = {}

    def count(self, state: State, depth: int) -> int:
        if depth <= 0:
            return 1
        if state.to_move is None or state.to_move == CHANCE:
            return 0
        if depth == 1 and state in self.known:
            return self.known[state]
        total = 0
        for action in state.legal_actions():
            after = state.advance(action)
            total += self.count(after, depth - (after.turn != state.turn))
        if depth == 1:
            self.known[state] = total
        return total
