"""Oracles: proven values of positions under best play, beyond a game's rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.core import State


@dataclass(frozen=True, slots=True)
class Verdict:
    """The values of all seats under best play: 1 a win, 0.5 a draw, 0 a loss.

    `turns` is the number of turns (both seats', this one included) within which the next capture comes that keeps these
    values, if the winner hurries and the loser delays; None for a draw.
    """

    values: tuple[float, ...]
    turns: int | None


class Oracle(ABC):
    """Knows the values of some positions of one game; what it says is always true."""

    @abstractmethod
    def probe(self, state: State) -> Verdict | None:
        """Return the verdict on a position with a seat on the move, None if it is not known.

        History counts: where repetition or the no-progress rule might turn a win into a draw, there is no verdict.
        """

    @abstractmethod
    def covers(self, state: State) -> bool:
        """Return cheaply whether the position is covered, whatever came before."""
