"""What is proven about a game beyond its rules: an oracle knows what positions are worth under best play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.core import State


@dataclass(frozen=True, slots=True)
class Verdict:
    """What each seat gets under best play: 1 a win, 0.5 a draw, 0 a loss.

    `turns` is within how many turns, both seats' counted and this one the first, the next capture comes that keeps
    these values, if the winner hurries and the loser delays; None for a draw.
    """

    values: tuple[float, ...]
    turns: int | None


class Oracle(ABC):
    """Knows what some positions of one game are worth; what it says is always true."""

    @abstractmethod
    def probe(self, state: State) -> Verdict | None:
        """Return the verdict on a position with a seat on the move; None for one that it does not know.

        The history of the game counts: where repetition or the lack of progress might turn a win into a draw, it says
        nothing.
        """

    @abstractmethod
    def covers(self, state: State) -> bool:
        """Say at little cost whether the position is among those it was made for, whatever came before."""
