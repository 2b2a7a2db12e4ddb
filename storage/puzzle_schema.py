"""The tables of puzzles and guesses."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table, UniqueConstraint

from storage import shapes
from storage.columns import Count, DateText, Figure, Integer, JsonText, PlainText, String, Utc
from storage.schema import FIRST_MU, FIRST_SIGMA, metadata

# Attempts at puzzles; bot/puzzles/service.py reads `state`. `result` is empty until the attempt ends.
attempts = Table(
    "puzzle_attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person", Integer, ForeignKey("people.id"), nullable=False),
    Column("puzzle", PlainText, nullable=False, index=True),
    Column("game_key", PlainText, nullable=False),
    Column("motif", PlainText, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("state", JsonText(shapes.AttemptState), nullable=False),
    Column("presses", Integer, nullable=False),
    Column("wrong", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Column("result", PlainText, nullable=False),
    Column("place", Integer, ForeignKey("places.id")),
    Column("rated", Boolean),  # whether it counts for ratings; NULL until that is decided
    Column("began_at", Utc, nullable=False),
    Column("tried_at", Utc),
    Column("ended_at", Utc),
    Column("touched_at", Utc, nullable=False),
    UniqueConstraint("person", "puzzle"),
)

# The places where an attempt was begun or continued, whose summaries include it.
attempt_places = Table(
    "puzzle_places",
    metadata,
    Column("place", Integer, ForeignKey("places.id"), primary_key=True),
    Column("attempt", Integer, ForeignKey("puzzle_attempts.id"), primary_key=True, index=True),
)

# The calendar dates whose puzzle a person has solved on the day.
puzzle_days = Table(
    "puzzle_days",
    metadata,
    Column("person", Integer, ForeignKey("people.id"), primary_key=True),
    Column("day", DateText, primary_key=True),
    Column("puzzle", PlainText, nullable=False),
    Column("mark", PlainText, nullable=False),
)

# People's puzzle ratings, separate from their ratings in games.
puzzle_ratings = Table(
    "puzzle_ratings",
    metadata,
    Column("person", Integer, ForeignKey("people.id"), primary_key=True),
    Column("game_key", PlainText, primary_key=True),
    Column("mu", Figure(FIRST_MU), nullable=False),
    Column("sigma", Figure(FIRST_SIGMA), nullable=False),
    Column("tries", Count, nullable=False),
    Column("solved", Count, nullable=False),
)

# The difficulty of puzzles, and since when their solutions are public anywhere.
puzzles = Table(
    "puzzles",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("mu", Figure),
    Column("sigma", Figure),
    Column("tries", Count, nullable=False),
    Column("solved", Count, nullable=False),
    Column("public_at", Utc),
)

# A person's moments in finished games: where something clearly better was there (bot/puzzles/own_moments.py), and when
# each comes again. `card` is the state of the spaced repetition, `solved` whether the last repetition was.
own_moments = Table(
    "own_moments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person", Integer, ForeignKey("people.id"), nullable=False),
    Column("game", PlainText, ForeignKey("games.id"), nullable=False, index=True),
    Column("game_key", PlainText, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("data", JsonText(shapes.MistakeData), nullable=False),
    Column("card", JsonText(shapes.RepetitionState, if_unreadable={}), nullable=False),
    Column("reviews", Integer, nullable=False),
    Column("solved", Boolean, nullable=False),
    Column("found_at", Utc, nullable=False),
    Column("due_at", Utc, nullable=False),
    UniqueConstraint("person", "game", "turn"),
)

Index("ix_own_moments_due", own_moments.c.person, own_moments.c.due_at)

# Games that were looked through for puzzles, since all people who play in them have agreed to that.
puzzle_sources = Table(
    "puzzle_sources",
    metadata,
    Column("game", String(6), ForeignKey("games.id"), primary_key=True),
    Column("looked_at", Utc, nullable=False),
)

# Puzzles made from games that people have played here, as bot/puzzles/puzzle.py writes them.
played_puzzles = Table(
    "played_puzzles",
    metadata,
    Column("id", PlainText, primary_key=True),
    Column("game", String(6), ForeignKey("games.id"), nullable=False, index=True),
    Column("game_key", PlainText, nullable=False),
    Column("data", JsonText(shapes.PuzzleData), nullable=False),
    Column("made_at", Utc, nullable=False, index=True),
)


# The players of a game who agree that its turns are guessed.
guess_consents = Table(
    "guess_consents",
    metadata,
    Column("game", String(6), ForeignKey("games.id"), primary_key=True),
    Column("person", Integer, ForeignKey("people.id"), primary_key=True, index=True),
    Column("agreed_at", Utc, nullable=False),
)

# Guesses at the turn after `revision`, the revision at which the position arose. A `browser` has one guess per turn
# where the platform knows browsers. `hit` is NULL until the turn is played, or if it does not count; `good` is NULL
# until an analysis has judged it. `checked` is the game's revision with which the guess was last compared.
guesses = Table(
    "guesses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", String(6), ForeignKey("games.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("person", Integer, ForeignKey("people.id"), nullable=False, index=True),
    Column("actions", JsonText(shapes.Texts), nullable=False),
    Column("browser", PlainText),
    Column("made_at", Utc, nullable=False, index=True),
    Column("hit", Boolean),
    Column("good", Boolean),
    Column("checked", Integer, nullable=False),
    UniqueConstraint("game", "revision", "person"),
)
