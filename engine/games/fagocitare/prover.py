"""Fagocitare's last cells worked out to the end, and wins by a lead of three within three own turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.budget import Budget
from engine.core import Action, State
from engine.games.fagocitare.state import FagocitareState
from engine.prover import Proof, Prover
from engine.topology import indices
from engine.winning import WinSearch

LAST: Final = 12
"""With so many free cells left the rest is worked out."""
_WIN, _DRAW, _LOSS = 1, 0, -1


class FagocitareProver(Prover):
    """Counts to the last cell, and looks for wins by threats."""

    turns = 3

    def __init__(self, last: int = LAST) -> None:
        """Make it; `last` is with how many free cells left it works out the rest."""
        self.last = last

    def settle(self, state: State, budget: Budget) -> Mapping[Action, Proof]:
        """Return all legal actions with what they come to once few cells are free; nothing if the budget is over."""
        assert isinstance(state, FagocitareState)  # noqa: S101
        seat = state.to_move
        if seat is None or state.free.bit_count() > self.last:
            return {}
        rest = _Rest(budget)
        found: dict[Action, Proof] = {}
        for action in rest.ordered(state, seat):
            after = state.advance(action)
            theirs = next((result for result in (_WIN, _DRAW) if rest.reaches(after, 1 - seat, result)), _LOSS)
            mine = (1 - theirs) / 2
            if rest.is_stopped:
                return {}
            found[action] = Proof((1.0 - mine, mine) if seat else (mine, 1.0 - mine))
        return found

    def wins(self, state: State, turns: int, budget: Budget) -> Mapping[Action, bool | None]:
        """Say of every legal action whether the seat wins by it within so many turns of its own."""
        if state.to_move is None:
            return {}
        return _Captures(state.to_move, budget).of_actions(state, turns)

    def has_win(self, state: State, turns: int, budget: Budget) -> bool | None:
        """Say whether any action wins so, the first one found."""
        return state.to_move is not None and _Captures(state.to_move, budget).is_won(state, turns)


class _Rest:
    """The last cells, to the end of the game: whether a seat reaches a result, asked for one result at a time."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.is_stopped = False
        self.known: dict[tuple[int, ...], tuple[int, int]] = {}
        """For each position the least that the mover is known to reach, and the most."""
        self.helped: dict[int, int] = {}

    def reaches(self, state: FagocitareState, seat: int, wanted: int) -> bool:
        """Say whether the seat, on the move unless the game is over, gets at least so much; once stopped anything."""
        outcome = state.outcome
        if outcome is not None:
            winner = outcome.winner
            return (_DRAW if winner is None else _WIN if winner == seat else _LOSS) >= wanted
        if self.budget.is_over:
            self.is_stopped = True
            return False
        dead = state.dead
        lead = dead[seat].bit_count() - dead[1 - seat].bit_count()
        key = (state.free, *state.live, state.inked, state.ends, lead, seat)
        least, most = self.known.get(key, (_LOSS, _WIN))
        if least >= wanted or most < wanted:
            return least >= wanted
        self.budget.spend()
        other, against = 1 - seat, 1 - wanted
        # What the other must not reach: a draw where the seat wants to win, a win where a draw will do.
        for action in self.ordered(state, seat):
            if not self.reaches(state.advance(action), other, against):
                if not self.is_stopped:
                    self.known[key] = (wanted, most)
                    cell = state.sheet.board.index[action.text]
                    self.helped[2 * cell + seat] = self.helped.get(2 * cell + seat, 0) + state.free.bit_count() ** 2
                return True
        if not self.is_stopped:
            self.known[key] = (least, wanted - 1)
        return False

    def ordered(self, state: FagocitareState, seat: int) -> list[Action]:
        """Return all actions: captures, what stands in the way of captures, then what has helped elsewhere."""
        cells = state.open_cells(seat)
        captures = state.capturing(seat, cells)
        hindering = state.capturing(1 - seat, cells)
        helped = self.helped
        worth = {
            cell: helped.get(2 * cell + seat, 0)
            + (captures >> cell & 1) * 1_000_000
            + (hindering >> cell & 1) * 500_000
            for cell in indices(cells)
        }
        actions = state.sheet.actions
        return [actions[cell] for cell in sorted(worth, key=lambda cell: -worth[cell])]


class _Captures(WinSearch):
    """The search for a lead of three."""

    def wins_now(self, state: State) -> bool:
        assert isinstance(state, FagocitareState)  # noqa: S101
        cells = state.free if state.free.bit_count() == 1 else state.capturing(self.seat, state.free)
        for cell in indices(cells):
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
        """Return all actions: what hinders the seat's captures, the other's own, the rest."""
        assert isinstance(state, FagocitareState)  # noqa: S101
        cells = state.open_cells(1 - self.seat)
        hindering = state.capturing(self.seat, cells)
        captures = state.capturing(1 - self.seat, cells) & ~hindering
        return _actions(state, hindering, captures, cells & ~hindering & ~captures)


def _actions(state: FagocitareState, *groups: int) -> list[Action]:
    return [state.sheet.actions[cell] for group in groups for cell in indices(group)]


PROVER: Final = FagocitareProver()
