"""Hexapawn: alpha-beta to the end of the game, or nearly.

On the small boards every line can be searched to its end; on the largest one the evaluation looks at how many pawns
each side has, and how far the foremost has come.
"""

from collections.abc import Sequence
from typing import Final

from engine.core import Action, State
from engine.search.policy import Level, Policy, Values, logistic
from engine.topology import list_indices
from tavoliere_hexapawn.rules import CAPTURE, HexapawnState

_PAWN: Final = 0.6
"""Odds (by e) for each pawn more."""
_STEP: Final = 0.5
"""Odds for each step that the foremost pawn is nearer to its goal than the enemy's."""
_TEMPO: Final = 0.3
"""Odds for being on the move."""


class HexapawnPolicy(Policy[State]):
    """What the searches know about Hexapawn."""

    key = "hexapawn"
    method = "alpha-beta"
    levels: Sequence[Level] = (Level(2, 0.35), Level(20, 0.15), Level(400, 0.03), Level(3_000, 0.01), Level(60_000))

    def evaluate(self, state: State) -> Values:
        """Return the values by the pawns that are left and by how far the foremost have come."""
        assert isinstance(state, HexapawnState)
        white, black = state.pawns
        odds = _PAWN * (white.bit_count() - black.bit_count())
        odds += _STEP * (_foremost(state, 0) - _foremost(state, 1))
        odds += -_TEMPO if state.to_move else _TEMPO
        value = logistic(odds)
        return (value, 1.0 - value)

    def candidates(self, state: State) -> Sequence[Action]:
        """Return captures before moves, and of each the farthest ahead first."""
        assert isinstance(state, HexapawnState)
        seat = state.to_move or 0

        def rank(action: Action) -> tuple[bool, int]:
            row = int((action.target or "")[1:])
            return action.verb != CAPTURE, row if seat else -row

        return sorted(state.legal_actions(), key=rank)

    def forcing(self, state: State) -> Sequence[Action]:
        """Return the captures."""
        return [action for action in state.legal_actions() if action.verb == CAPTURE]


def _foremost(state: HexapawnState, seat: int) -> int:
    """Return how many rows the foremost pawn of a seat has come, 0 for no pawn."""
    size = state.board.size
    rows = [cell % size for cell in list_indices(state.pawns[seat])]
    return max((size - 1 - row if seat else row for row in rows), default=0)


POLICY: Final = HexapawnPolicy()
