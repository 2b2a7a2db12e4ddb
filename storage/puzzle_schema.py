"""The tables of puzzles and guesses, and their rows."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final, Literal

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import mapped_column

from storage import shapes
from storage.columns import DateText, Json, PlainText
from storage.schema import (
    Counted,
    GameId,
    GameKey,
    Id,
    Mu,
    PersonId,
    PersonKey,
    PlaceId,
    PlaceKey,
    Sigma,
    TextId,
    Texts,
    declare,
    stored_json,
)

PuzzleMark = Literal["clean", "errors", "hinted"]
"""How a puzzle was solved: without errors, after wrong turns, or with hints."""
SOLVED: Final = "solved"
GIVEN_UP: Final = "given-up"
"""The results of an attempt; empty while it is unfinished."""


def get_mark(wrong: int, hints: int) -> PuzzleMark:
    """Return the mark for the numbers of wrong turns and hints."""
    return "hinted" if hints else "errors" if wrong else "clean"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A person's attempt at a puzzle.

    `revision` counts its changes, `state` is read by `bot/boards/puzzle_boards.py`, `place` is where it was last
    continued. `presses`, `wrong` turns and `hints` are counted until the first `result`, "solved" or "given-up".
    `rated` says whether the attempt changes ratings, None until that is decided. `tried_at` is when the first turn was
    played.
    """

    id: Id
    person: PersonId
    puzzle: str
    game_key: str
    motif: str
    began_at: datetime
    touched_at: datetime
    state: Annotated[Json, stored_json(shapes.AttemptState)] = field(default_factory=dict)
    revision: int = 0
    presses: int = 0
    wrong: int = 0
    hints: int = 0
    result: str = ""
    place: PlaceId | None = None
    rated: bool | None = None
    tried_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def mark(self) -> PuzzleMark | None:
        """How the puzzle was solved, None if it was not."""
        return get_mark(self.wrong, self.hints) if self.result == SOLVED else None


attempts = declare("puzzle_attempts", Attempt, UniqueConstraint("person", "puzzle"), indexed=("puzzle",))


@dataclass(frozen=True, slots=True)
class PuzzleDay:
    """A calendar date (YYYY-MM-DD) whose puzzle a person solved on that day, and how."""

    person: PersonKey
    day: Annotated[str, mapped_column(DateText, primary_key=True)]
    puzzle: str
    mark: Annotated[PuzzleMark, mapped_column(PlainText)]


@dataclass(frozen=True, slots=True)
class PuzzleRating:
    """A person's puzzle rating in a game (an empty key: in all games) after a number of attempts."""

    person: PersonKey
    game_key: TextId
    mu: Mu
    sigma: Sigma
    tries: Counted = 0
    solved: Counted = 0


@dataclass(frozen=True, slots=True)
class PuzzleFigures:
    """The difficulty of a puzzle as a rating, and since when its solution is public.

    `mu` and `sigma` are None until an attempt has counted.
    """

    id: TextId
    mu: float | None = None
    sigma: float | None = None
    tries: Counted = 0
    solved: Counted = 0
    public_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StoredMoment:
    """A turn (from 1) in a person's finished game with a clearly better alternative, and its spaced repetition.

    `card` is the state of the repetition, `solved` whether the last one was solved, `due_at` when the next is due.
    """

    id: Id
    person: PersonId
    game: Annotated[str, mapped_column(PlainText, ForeignKey("games.id"))]
    game_key: str
    turn: int
    data: Annotated[Json, stored_json(shapes.MistakeData)]
    card: Annotated[Json, stored_json(shapes.RepetitionState, if_unreadable={})]
    reviews: int
    solved: bool
    found_at: datetime
    due_at: datetime


@dataclass(frozen=True, slots=True)
class PlayedPuzzle:
    """A puzzle made from a game that was played here, as written by bot/boards/puzzles/puzzle.py."""

    id: TextId
    game: GameId
    game_key: str
    data: Annotated[Json, stored_json(shapes.PuzzleData)]


@dataclass(frozen=True, slots=True)
class NewGuess:
    """A person's guess at the turn after a revision; a `browser` has one guess per turn."""

    game: GameId
    revision: int
    person: PersonId
    actions: Texts
    browser: str | None = None


@dataclass(frozen=True, slots=True)
class StoredGuess(NewGuess):
    """A guess with its result.

    `hit` is None until the turn is played, or if the guess does not count; `good` is None until an analysis has judged
    the guess. `checked` is the revision of the game with which it was last compared.
    """

    id: int = 0
    made_at: datetime | None = None
    hit: bool | None = None
    good: bool | None = None
    checked: int = 0


# The places where an attempt was begun or continued, whose summaries include it.
attempt_places = declare(
    "puzzle_places",
    None,
    indexed=("attempt",),
    place=PlaceKey,
    attempt=Annotated[int, mapped_column(ForeignKey("puzzle_attempts.id"), primary_key=True)],
)
puzzle_days = declare("puzzle_days", PuzzleDay)
# People's puzzle ratings, separate from their ratings in games.
puzzle_ratings = declare("puzzle_ratings", PuzzleRating)
puzzles = declare("puzzles", PuzzleFigures)
own_moments = declare(
    "own_moments",
    StoredMoment,
    UniqueConstraint("person", "game", "turn"),
    Index("ix_own_moments_due", "person", "due_at"),
    indexed=("game",),
)
# Games that were searched for puzzles, with the consent of all their players.
puzzle_sources = declare("puzzle_sources", None, game=GameKey, looked_at=datetime)
played_puzzles = declare("played_puzzles", PlayedPuzzle, indexed=("game", "made_at"), made_at=datetime)
# The players of a game who agree that its turns are guessed.
guess_consents = declare(
    "guess_consents", None, indexed=("person",), game=GameKey, person=PersonKey, agreed_at=datetime
)
guesses = declare(
    "guesses",
    StoredGuess,
    UniqueConstraint("game", "revision", "person"),
    indexed=("person", "made_at"),
    id=Id,
    made_at=datetime,
)
