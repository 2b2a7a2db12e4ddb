"""What can be worked out about a position while somebody waits: provers say what first actions lead to, for sure.

An oracle (`engine.oracle`) looks things up; a prover searches, as long as a budget lasts, and says nothing rather than
guess. What it says of an action holds whatever the others do, or, where dice are still to fall, is exactly what may be
expected of them.
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
    """What an action leads to if all go on as well as can be: the values per seat (1 a win, 0.5 a draw of two).

    `turns` is within how many turns of its own, this one counted if it is its own, the winner wins in any case; None
    where that was not asked. `expected`: dice are still to fall, and the values are the mean over all of them.
    """

    values: tuple[float, ...]
    turns: int | None = None
    expected: bool = False


class Prover(ABC):
    """Proves what it can about positions of one game."""

    turns: int = 0
    """Within how many of its own turns it looks for a seat's wins by default; 0 if it does not."""
    pace: int = 8
    """How many positions it looks at in the time in which the game's search looks at one."""

    def covers(self, state: State) -> bool:
        """Say at little cost whether it may have anything to say about a position with a seat on the move."""
        return True

    @abstractmethod
    def settle(self, state: State, budget: Budget) -> Mapping[Action, Proof]:
        """Return what the position's last actions come to: all legal ones with their proofs, or nothing at all."""

    def wins(self, state: State, turns: int, budget: Budget) -> Mapping[Action, bool | None]:
        """Say of every legal action whether the seat wins by it within so many turns of its own, this one counted.

        True and False hold whatever the other does; None where the budget was over before that was known.
        """
        return dict.fromkeys(state.legal_actions())

    def has_win(self, state: State, turns: int, budget: Budget) -> bool | None:
        """Say whether any action wins so, as `wins` would; a game may find that without asking of each."""
        won = self.wins(state, turns, budget).values()
        return True if any(won) else None if None in won else False
