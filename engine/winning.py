"""Wins within a few turns of one's own, whatever the other does: for two seats, without chance.

A search of and and or: a win needs one action of the winner's and stands against every reply. Nothing is left out
without proof, so what it says holds; what it has not got to is None. Threats come first (Allis, van den Herik and
Huntjens, "Go-Moku solved by new search techniques", 1996): where three turns or more are left, actions after which
nothing is threatened are put off until all others have been tried.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.budget import Budget
from engine.core import Action, State
from engine.prover import Prover

_CACHE_SIZE: Final = 100_000
_QUIET_DEPTH: Final = 3
"""With so many turns left actions that threaten nothing are put off."""


class WinSearch(ABC):
    """Looks for one seat's wins; what it has found is kept as long as it lives: one for each position."""

    def __init__(self, seat: int, budget: Budget) -> None:
        self.seat = seat
        self.other = 1 - seat
        self.budget = budget
        self.whole = False
        self.found: dict[tuple[Any, ...], bool] = {}

    @abstractmethod
    def wins_now(self, state: State) -> bool | None:
        """Say whether the seat, about to begin a turn, wins in it; None if that cannot be seen at once."""

    def threatens(self, state: State) -> bool:
        """Say whether the seat, the other being on the move, would win at once if nothing were done."""
        return True

    def is_hopeless(self, state: State, turns: int) -> bool:
        """Say, if that can be seen at once, that the seat cannot win within so many turns of its own."""
        return False

    def attacks(self, state: State) -> Sequence[Action]:
        """Return all actions of the seat, the most promising first."""
        return state.legal_actions()

    def replies(self, state: State) -> Sequence[Action]:
        """Return all actions of the other, the likeliest to help first."""
        return state.legal_actions()

    def of_actions(self, state: State, turns: int) -> dict[Action, bool | None]:
        """Say of every legal action whether it wins within so many turns."""
        self.whole = False
        actions = self.attacks(state)
        result: dict[Action, bool | None] = {}
        for action in actions:
            result[action] = self._after(state, action, turns, turns >= _QUIET_DEPTH)
        self.whole = True
        for action in actions:
            if result[action] is None and not self.budget.is_over:
                result[action] = self._after(state, action, turns, False)
        return result

    def is_won(self, state: State, turns: int) -> bool | None:
        """Say whether the seat has won, or wins within so many turns, by whichever action shows it first."""
        self.budget.spend()
        for self.whole in (False, True):
            won = self._wins(state, turns)
            if won is not None or self.budget.is_over:
                return won
        return None

    def _after(self, state: State, action: Action, turns: int, forcing: bool) -> bool | None:
        """Say whether the seat wins by its action; None at once if `forcing` is asked for and it threatens nothing."""
        if self.budget.is_over:
            return None
        self.budget.spend()
        after = state.advance(action)
        if after.outcome is not None or after.turn == state.turn:
            return self._wins(after, turns)
        if forcing and not self.threatens(after):
            return None
        return self._wins(after, turns - 1)

    def _wins(self, state: State, turns: int) -> bool | None:
        """Say whether the seat, on the move or not, has won or wins within so many turns."""
        if state.outcome is not None:
            return state.outcome.winner == self.seat
        if turns == 0:
            return False
        key = (turns, *state.key())
        known = self.found.get(key)
        if known is not None:
            return known
        result = self._attacked(state, turns) if state.to_move == self.seat else self._defended(state, turns)
        if result is not None and len(self.found) < _CACHE_SIZE:
            self.found[key] = result
        return result

    def _attacked(self, state: State, turns: int) -> bool | None:
        """Say whether the seat on the move, in the middle of a turn or about to begin it, wins."""
        if self._begins(state):
            if self.is_hopeless(state, turns):
                return False
            wins_now = self.wins_now(state)
            if wins_now or (wins_now is False and turns == 1):
                return wins_now
        result: bool | None = False
        forcing = turns >= _QUIET_DEPTH and not self.whole
        for action in self.attacks(state):
            won = self._after(state, action, turns, forcing)
            if won:
                return True
            if won is None:
                result = None
                if self.budget.is_over:
                    break
        return result

    def _defended(self, state: State, turns: int) -> bool | None:
        """Say whether the seat wins within so many turns although the other is on the move."""
        if self.is_hopeless(state, turns):
            return False
        result: bool | None = True
        for reply in self.replies(state):
            if self.budget.is_over:
                return None
            self.budget.spend()
            won = self._wins(state.advance(reply), turns)
            if won is False:
                return False
            if won is None:
                result = None
        return result

    def _begins(self, state: State) -> bool:
        """Say whether a turn is about to begin."""
        return True


class ThreatProver(Prover):
    """A prover that finds wins by such a search."""

    @abstractmethod
    def search(self, state: State, turns: int, budget: Budget) -> WinSearch | None:
        """Return the search for wins of the seat on the move, None where it would not hold."""

    def wins(self, state: State, turns: int, budget: Budget) -> Mapping[Action, bool | None]:
        """Return for every legal action whether it wins within a number of the seat's own turns."""
        search = self.search(state, turns, budget)
        return search.of_actions(state, turns) if search else super().wins(state, turns, budget)

    def has_win(self, state: State, turns: int, budget: Budget) -> bool | None:
        """Return whether any action wins, stopping at the first one; None where the search would not hold."""
        search = self.search(state, turns, budget)
        return search.is_won(state, turns) if search else None


class WinProver(WinSearch):
    """The search in any game: its oracle may rule a win out, its prover answers for the seat on the move."""

    def wins_now(self, state: State) -> bool | None:
        """Return True if one action wins, else None: a turn may have several."""
        for action in state.legal_actions():
            outcome = state.advance(action).outcome
            if outcome is not None and outcome.winner == self.seat:
                return True
        return None

    def is_hopeless(self, state: State, turns: int) -> bool:
        """Return whether the oracle knows that the seat does not win, or not within these turns."""
        oracle = state.game.oracle
        verdict = oracle.probe(state) if oracle is not None and oracle.covers(state) else None
        if verdict is None:
            return False
        last = 2 * turns - (state.to_move == self.seat)
        return verdict.values[self.seat] < 1.0 or (verdict.turns is not None and verdict.turns > last)

    def _attacked(self, state: State, turns: int) -> bool | None:
        prover = state.game.prover
        if prover is not None and prover.turns and prover.covers(state):
            return prover.has_win(state, turns, self.budget)
        return super()._attacked(state, turns)
