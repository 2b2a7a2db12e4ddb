"""Provers: proofs of what first actions lead to, found within a budget while a person waits.

An oracle (`engine.oracle`) looks values up; a prover searches as long as its budget lasts, and stays silent rather than
guess. What it says of an action holds whatever the others do, or, where dice are still to fall, is the exact
expectation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.budget import Budget
    from engine.core import Action, State


@dataclass(frozen=True, slots=True)
class Proof:
    """The values per seat that an action leads to under best play (1 a win, 0.5 a draw of two).

    `turns` is the number of the winner's own turns, this one included if it is theirs, within which the winner wins in
    any case; None if not computed. `expected` says that dice are still to fall, and the values are the exact mean.
    """

    values: tuple[float, ...]
    turns: int | None = None
    expected: bool = False


class Prover(ABC):
    """Proves what it can about positions of one game."""

    turns: int = 0
    """Default number of own turns within which it looks for a seat's wins; 0 if it does not."""
    pace: int = 8
    """Positions searched in the time in which the game's search looks at one."""

    def covers(self, state: State) -> bool:
        """Return cheaply whether it may have anything to say about a position with a seat on the move."""
        return True

    @abstractmethod
    def settle(self, state: State, budget: Budget) -> Mapping[Action, Proof]:
        """Return the proofs of all legal actions near the end of a game, or nothing at all."""

    def wins(self, state: State, turns: int, budget: Budget) -> Mapping[Action, bool | None]:
        """Return for every legal action whether it wins within a number of the seat's own turns, this one included.

        True and False hold whatever the other does; None if the budget was used up before.
        """
        return dict.fromkeys(state.legal_actions())

    def has_win(self, state: State, turns: int, budget: Budget) -> bool | None:
        """Return whether any action wins, as `wins` would; a game may find that without asking for each."""
        won = self.wins(state, turns, budget).values()
        return True if any(won) else None if None in won else False
