"""Proofs of Real Queen's wins within two own turns, or more with time: alignments next to the enemy queen."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.budget import Budget
from engine.core import Action, State
from engine.games.real_queen.state import RealQueenState
from engine.games.real_queen.tables import (
    BOARD,
    MAX_IDLE_TURNS,
    MOVES,
    NEIGHBOUR_BITS,
    find_alignments,
    find_completing_cells,
    find_winning_cells,
)
from engine.positions import has_stood_twice
from engine.prover import Proof, Prover
from engine.topology import list_indices
from engine.winning import WinSearch

_MAX_TURNS: Final = 10
"""Turns of both seats within which the no-progress rule must not apply."""


class RealQueenProver(Prover):
    """Searches for wins by threats."""

    turns = 2

    def covers(self, state: State) -> bool:
        """Return whether a queen is in play, and neither repetition nor the no-progress rule is near."""
        assert isinstance(state, RealQueenState)  # noqa: S101
        return (
            state.outcome is None
            and bool(state.queens[0] or state.queens[1])
            and state.idle + _MAX_TURNS < MAX_IDLE_TURNS
            and not has_stood_twice(state.history)
        )

    def settle(self, state: State, budget: Budget) -> Mapping[Action, Proof]:
        """Return nothing: games do not end by themselves."""
        return {}

    def wins(self, state: State, turns: int, budget: Budget) -> Mapping[Action, bool | None]:
        """Return for every legal action whether it wins within a number of the seat's own turns."""
        if state.to_move is None or not self.covers(state) or 2 * turns > _MAX_TURNS:
            return dict.fromkeys(state.legal_actions())
        return _Alignments(state.to_move, budget).of_actions(state, turns)

    def has_win(self, state: State, turns: int, budget: Budget) -> bool | None:
        """Return whether any action wins, stopping at the first one; None if the position is not covered."""
        if state.to_move is None or not self.covers(state) or 2 * turns > _MAX_TURNS:
            return None
        return _Alignments(state.to_move, budget).is_won(state, turns)


class _Alignments(WinSearch):
    """The search; `other` is the seat whose queen is attacked."""

    def __init__(self, seat: int, budget: Budget) -> None:
        super().__init__(seat, budget)
        self.other = 1 - seat

    def wins_now(self, state: State) -> bool:
        assert isinstance(state, RealQueenState)  # noqa: S101
        return bool(_winning_cells(state, self.seat)) or _wins_by_moving(state, self.seat)

    def threatens(self, state: State) -> bool:
        return self.wins_now(state)

    def is_hopeless(self, state: State, turns: int) -> bool:
        """Return whether the other has replies after which nothing wins.

        Placing a piece where it makes no alignment never creates a win for the seat, and keeps a queen out of play.
        """
        assert isinstance(state, RealQueenState)  # noqa: S101
        other = self.other
        if not state.queens[other]:
            replies = turns if state.to_move == other else turns - 1
            return not state.returns and state.reserve[other] >= replies
        if turns > 1 or state.to_move != other or state.returns or not state.reserve[other]:
            return False
        free = state.free
        quiet = free & ~find_completing_cells(state.pieces[other] | state.queens[other])
        return bool(quiet) and not self.wins_now(state)

    def attacks(self, state: State) -> Sequence[Action]:
        """Return all actions, alignments and the creation of alignment cells first."""
        assert isinstance(state, RealQueenState)  # noqa: S101
        actions = state.legal_actions()
        if state.returns:
            return actions
        queen = state.queens[self.other]
        around = NEIGHBOUR_BITS[queen.bit_length() - 1] if queen else 0
        own = state.pieces[self.seat] | state.queens[self.seat]
        free = state.free
        before = find_completing_cells(own) & free
        worth = {
            cell: (find_completing_cells(own | 1 << cell) & free & ~before).bit_count()
            + 4 * (before >> cell & 1)
            + (around >> cell & 1)
            for cell in list_indices(free)
        }
        return sorted(actions, key=lambda action: -worth.get(MOVES[action.text][2], 0))

    def replies(self, state: State) -> Sequence[Action]:
        """Return all actions: wins and alignments, then blocking moves, queen moves, the rest."""
        assert isinstance(state, RealQueenState)  # noqa: S101
        actions = state.legal_actions()
        if state.returns:
            return actions
        other = self.other
        aligning = find_completing_cells(state.pieces[other] | state.queens[other])
        hindering = _winning_cells(state, self.seat)
        queen = state.queens[other].bit_length() - 1

        def rank(action: Action) -> int:
            _, source, target = MOVES[action.text]
            if target < 0:
                return 4
            if aligning >> target & 1:
                return 1
            if hindering >> target & 1:
                return 0
            return 2 if source == queen else 3

        return sorted(actions, key=rank)

    def _begins(self, state: State) -> bool:
        assert isinstance(state, RealQueenState)  # noqa: S101
        return not state.returns


def _winning_cells(state: RealQueenState, seat: int) -> int:
    """Return the free cells where one more piece of the seat would make an alignment next to the enemy queen."""
    result = find_winning_cells(state.pieces[seat] | state.queens[seat], state.free, state.queens[1 - seat])
    # A piece comes from the reserve, or it is the queen; without a reserve other pieces have to move there.
    return result if state.reserve[seat] or not state.queens[seat] else 0


def _wins_by_moving(state: RealQueenState, seat: int) -> bool:
    """Return whether a queen's move or a shift of the seat wins."""
    target, queen = state.queens[1 - seat], state.queens[seat]
    if not target or not queen:
        return False
    near = NEIGHBOUR_BITS[target.bit_length() - 1]
    free, pieces = state.free, state.pieces[seat]
    if _aligns_near(pieces, NEIGHBOUR_BITS[queen.bit_length() - 1] & free, near):
        return True
    if not state.may_shift(seat):
        return False
    return any(_aligns_near((pieces | queen) & ~(1 << source), free, near) for source in list_indices(pieces))


def _aligns_near(own: int, cells: int, near: int) -> bool:
    return any(
        run & near
        for cell in list_indices(find_completing_cells(own) & cells & BOARD.all)
        for run in find_alignments(cell, own | 1 << cell)
    )


PROVER: Final = RealQueenProver()
