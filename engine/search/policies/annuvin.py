"""Annuvin: alpha-beta, with captures followed to their end.

Evaluation: pieces are both life and brakes (each piece lost makes the others faster), so their worth is a curve,
flat where many are left and steep where few are; a small share is given to the pieces each side could capture
next, because being within the enemy's range costs a tempo. Captures themselves are searched, not estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.core import Action, State
from engine.games.annuvin.state import AnnuvinState
from engine.search.policy import Level, Policy, Values, logistic

_WORTH: Final = (-9.0, -4.0, -1.5, 0.0, 0.15, 0.4, 0.4)
"""What so many pieces are worth, as odds (by e) against other numbers: a seat that loses its first pieces gains as
much by their range, one with three or fewer cannot afford to lose another (as self-play showed, 2026-11-21)."""
_ATTACK: Final = 0.12
"""Odds for each enemy piece within reach of the own ones; half as much while the enemy is on the move."""


class AnnuvinPolicy(Policy):
    """What the searches know about Annuvin."""

    key = "annuvin"
    method = "alpha-beta"
    window = 60
    contempt = 0.1
    levels = (Level(15, 0.12), Level(30, 0.025), Level(700), Level(5000), Level(40000))

    def evaluate(self, state: State) -> Values:
        """Return the values by the balance of pieces and of attacks."""
        assert isinstance(state, AnnuvinState)  # noqa: S101
        seat, own, enemy, reserve = state.seat, state.own, state.enemy, state.reserve
        board = state.board
        mine, theirs = own.bit_count() + reserve[seat], enemy.bit_count() + reserve[1 - seat]
        range_here = 1 if reserve[seat] else board.size + 1 - own.bit_count()
        range_there = 1 if reserve[1 - seat] else board.size + 1 - enemy.bit_count()
        attacked = (_reached(board.reach, own, range_here) & enemy).bit_count()
        exposed = (_reached(board.reach, enemy, range_there) & own).bit_count()
        odds = _WORTH[mine] - _WORTH[theirs] + _ATTACK * (attacked - exposed / 2)
        value = logistic(odds)
        return (1.0 - value, value) if seat else (value, 1.0 - value)

    def candidates(self, state: State) -> Sequence[Action]:
        """Return captures before everything else."""
        actions = state.legal_actions()
        captures = [action for action in actions if action.verb == "capture"]
        return [*captures, *(action for action in actions if action.verb != "capture")] if captures else actions

    def forcing(self, state: State) -> Sequence[Action]:
        """Return the captures."""
        assert isinstance(state, AnnuvinState)  # noqa: S101
        if not _reached(state.board.reach, state.own, state.range) & state.enemy:
            return ()
        return [action for action in state.legal_actions() if action.verb == "capture"]

    def is_unfinished(self, state: State) -> bool:
        """Say whether a piece is in the middle of its captures."""
        assert isinstance(state, AnnuvinState)  # noqa: S101
        return state.moving >= 0


def _reached(reach: tuple[tuple[int, ...], ...], pieces: int, distance: int) -> int:
    """Return the cells within the distance of any of the pieces."""
    reached = 0
    while pieces:
        low = pieces & -pieces
        pieces ^= low
        reached |= reach[low.bit_length() - 1][distance]
    return reached
