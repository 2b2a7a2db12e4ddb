"""The parts of a competition: rounds, boards and games."""

from dataclasses import dataclass

from bot.competitions.events import Walkover


@dataclass(frozen=True)
class CupGame:
    """A game of a board: its seats, its id once it is opened, and its result once it is over."""

    seats: tuple[int, ...]
    id: str | None = None
    places: tuple[int, ...] | None = None
    reason: str = ""
    absent: tuple[int, ...] = ()

    @property
    def is_draw(self) -> bool:
        """Whether it ended with a shared first place."""
        return self.places is not None and self.places.count(1) > 1

    @property
    def winner(self) -> int | None:
        """The only winner (or COMPUTER_ENTRANT); None while it is played, and in a draw."""
        return None if self.places is None or self.is_draw else self.seats[self.places.index(1)]


@dataclass(frozen=True)
class CupBoard:
    """A board of a round with its games; more than one only if a drawn game is replayed.

    `decided` is who advances although the last game was drawn: `by_lot`, or because the other has left.
    """

    games: tuple[CupGame, ...]
    decided: int | None = None
    by_lot: bool = False

    @property
    def entrants(self) -> tuple[int, ...]:
        """The players in the seats of the first game; COMPUTER_ENTRANT for computers."""
        return self.games[0].seats

    @property
    def last(self) -> CupGame:
        """The newest game."""
        return self.games[-1]

    @property
    def winner(self) -> int | None:
        """The winner of the board, by a game or by the decision after it."""
        return self.decided if self.decided is not None else self.last.winner


@dataclass(frozen=True)
class CupRound:
    """A round: its boards, walkovers and byes."""

    number: int
    boards: tuple[CupBoard, ...]
    walkovers: tuple[Walkover, ...] = ()
    byes: tuple[int, ...] = ()
