"""Proofs for Fagocitare: the last cells to the end of the game, and wins by a lead of three within three own turns."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.budget import Budget
from engine.core import Action, State
from engine.games.fagocitare.rest import DRAW, Rest
from engine.games.fagocitare.state import FagocitareState
from engine.prover import Proof, Prover
from engine.topology import list_indices
from engine.winning import WinSearch

MAX_FREE_CELLS: Final = 14
"""Maximum number of free cells from which the rest of the game is solved."""


class FagocitareProver(Prover):
    """Solves the last cells, and searches for wins by threats."""

    turns = 3

    def __init__(self, last: int = MAX_FREE_CELLS) -> None:
        """Create the prover; `last` is the number of free cells from which it solves the rest."""
        self.last = last

    def settle(self, state: State, budget: Budget) -> Mapping[Action, Proof]:
        """Return the proofs of all legal actions once few cells are free; empty if the budget is used up."""
        assert isinstance(state, FagocitareState)  # noqa: S101
        seat = state.to_move
        if seat is None or state.free.bit_count() > self.last:
            return {}
        rest = Rest(state, budget)
        found: dict[Action, Proof] = {}
        result = DRAW
        for cell in rest.ordered():
            result = rest.value(cell, result)
            if rest.is_stopped:
                return {}
            mine = (1 + result) / 2
            found[state.sheet.actions[cell]] = Proof((1.0 - mine, mine) if seat else (mine, 1.0 - mine))
        return found

    def wins(self, state: State, turns: int, budget: Budget) -> Mapping[Action, bool | None]:
        """Return for every legal action whether it wins within a number of the seat's own turns."""
        if state.to_move is None:
            return {}
        return _Captures(state.to_move, budget).of_actions(state, turns)

    def has_win(self, state: State, turns: int, budget: Budget) -> bool | None:
        """Return whether any action wins, stopping at the first one."""
        return state.to_move is not None and _Captures(state.to_move, budget).is_won(state, turns)


class _Captures(WinSearch):
    """The search for a lead of three."""

    def wins_now(self, state: State) -> bool:
        assert isinstance(state, FagocitareState)  # noqa: S101
        cells = state.free if state.free.bit_count() == 1 else state.capturing(self.seat, state.free)
        for cell in list_indices(cells):
            outcome = state.advance(state.sheet.actions[cell]).outcome
            if outcome is not None and outcome.winner == self.seat:
                return True
        return False

    def threatens(self, state: State) -> bool:
        assert isinstance(state, FagocitareState)  # noqa: S101
        return bool(state.capturing(self.seat, state.free))

    def attacks(self, state: State) -> Sequence[Action]:
        """Return all actions, captures first."""
        assert isinstance(state, FagocitareState)  # noqa: S101
        cells = state.open_cells(self.seat)
        captures = state.capturing(self.seat, cells)
        return _actions(state, captures, cells & ~captures)

    def replies(self, state: State) -> Sequence[Action]:
        """Return all actions: those that hinder the seat's captures, the other's own captures, then the rest."""
        assert isinstance(state, FagocitareState)  # noqa: S101
        cells = state.open_cells(1 - self.seat)
        hindering = state.capturing(self.seat, cells)
        captures = state.capturing(1 - self.seat, cells) & ~hindering
        return _actions(state, hindering, captures, cells & ~hindering & ~captures)


def _actions(state: FagocitareState, *groups: int) -> list[Action]:
    return [state.sheet.actions[cell] for group in groups for cell in list_indices(group)]


PROVER: Final = FagocitareProver()
