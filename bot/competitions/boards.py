"""The parts of a competition: who entered, and rounds with their boards and games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.competitions.events import Leaving, Walkover


@dataclass(frozen=True)
class Entrant:
    """Somebody who entered: whether they are in, have left (`why`) or were put out, and when.

    `asked`: they never made a first move and have not said yet that they are still in. `gone_after` is how many rounds
    had been paired when they left.
    """

    number: int
    cause: str
    state: Literal["in", "left", "excluded"] = "in"
    why: Leaving | None = None
    asked: bool = False
    gone_after: int | None = None


@dataclass(frozen=True)
class CupGame:
    """A game of a board: who has which seat, its id once it is opened, and how it ended once it has."""

    seats: tuple[int, ...]
    id: str | None = None
    places: tuple[int, ...] | None = None
    reason: str = ""
    absent: tuple[int, ...] = ()

    @property
    def is_draw(self) -> bool:
        """Whether it ended with several at the first place."""
        return self.places is not None and self.places.count(1) > 1

    @property
    def winner(self) -> int | None:
        """The entrant (or NOBODY) that won alone; None while it is played, and in a draw."""
        return None if self.places is None or self.is_draw else self.seats[self.places.index(1)]


@dataclass(frozen=True)
class CupBoard:
    """A board of a round: its games, more than one only where a drawn one is played again.

    `decided` is who goes on though the last game was drawn, `by_lot` or since the other is gone.
    """

    games: tuple[CupGame, ...]
    decided: int | None = None
    by_lot: bool = False

    @property
    def entrants(self) -> tuple[int, ...]:
        """Who plays there, in the seats of the first game; NOBODY for computers."""
        return self.games[0].seats

    @property
    def last(self) -> CupGame:
        """The newest game."""
        return self.games[-1]

    @property
    def winner(self) -> int | None:
        """Who has won the board, by a game or by what was decided after it."""
        return self.decided if self.decided is not None else self.last.winner


@dataclass(frozen=True)
class CupRound:
    """A round: its boards, the games won without playing, and those who have a bye."""

    number: int
    boards: tuple[CupBoard, ...]
    walkovers: tuple[Walkover, ...] = ()
    byes: tuple[int, ...] = ()
