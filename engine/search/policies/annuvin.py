"""Annuvin: alpha-beta, with captures followed to their end.

Evaluation: pieces are both life and brakes (each piece lost makes the others faster), so their worth is a curve,
flat where many are left and steep where few are, with a little for the part of the board that the pieces reach. The
numbers are a logistic regression on the results of 8,000 positions of self-play (2026-11-21); pieces within reach
turned out to mean nothing to it, for the captures themselves are searched, not estimated.
"""

from collections.abc import Sequence
from typing import Final

from engine.core import Action
from engine.games.annuvin.rules import QUIET_LIMIT, AnnuvinState
from engine.positions import has_stood_twice
from engine.search.policy import Level, Policy, Values, compute_pair

_PIECE_VALUES: Final = (-9.0, -3.2, -0.9, 0.5, 0.9, 1.0, 1.6)
"""The value of a number of pieces, in log odds relative to other numbers (the square has at most four)."""
_AREA_WEIGHT: Final = 0.5
"""Log odds for reaching the whole board while the enemy reaches nothing."""
_PROOF_HORIZON_TURNS: Final = 40
"""Turns, more than any search looks ahead, within which the limit of quiet turns must not apply for a proof."""


class AnnuvinPolicy(Policy[AnnuvinState]):
    """What the searches know about Annuvin."""

    key = "annuvin"
    method = "alpha-beta"
    window = 60
    contempt = 0.1
    levels: Sequence[Level] = (
        Level(30, 0.25),
        Level(100, 0.1),
        Level(600, 0.03),
        Level(12_000, 0.004),
        Level(400_000, 0.004),
    )

    def evaluate(self, state: AnnuvinState) -> Values:
        """Return the values by the pieces left and by what they reach."""
        seat, own, enemy, reserve = state.seat, state.own, state.enemy, state.reserve
        board = state.variant.board
        own_count, enemy_count = own.bit_count() + reserve[seat], enemy.bit_count() + reserve[1 - seat]
        range_here = 1 if reserve[seat] else board.size + 1 - own.bit_count()
        range_there = 1 if reserve[1 - seat] else board.size + 1 - enemy.bit_count()
        reached = board.find_reached(own, range_here).bit_count()
        reached_there = board.find_reached(enemy, range_there).bit_count()
        area = _AREA_WEIGHT * (reached - reached_there) / len(board.topology)
        return compute_pair(_PIECE_VALUES[own_count] - _PIECE_VALUES[enemy_count] + area, seat)

    def candidates(self, state: AnnuvinState) -> Sequence[Action]:
        """Return captures before everything else."""
        actions = state.legal_actions()
        captures = [action for action in actions if action.verb == "capture"]
        return [*captures, *(action for action in actions if action.verb != "capture")] if captures else actions

    def forcing(self, state: AnnuvinState) -> Sequence[Action]:
        """Return the captures."""
        if not state.variant.board.find_reached(state.own, state.range) & state.enemy:
            return ()
        return [action for action in state.legal_actions() if action.verb == "capture"]

    def is_burdened(self, state: AnnuvinState) -> bool:
        """Return whether a draw by repetition or for lack of captures may be near."""
        return state.quiet + _PROOF_HORIZON_TURNS > QUIET_LIMIT or has_stood_twice(state.history)

    def is_unfinished(self, state: AnnuvinState) -> bool:
        """Return whether a piece is in the middle of its captures."""
        return state.moving >= 0


POLICY: Final = AnnuvinPolicy()
