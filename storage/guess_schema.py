"""The tables of guesses at the next turn of games, beside those of `storage/schema.py`."""

from sqlalchemy import Boolean, Column, ForeignKey, Table, UniqueConstraint

from storage import shapes
from storage.columns import Integer, JsonText, PlainText, String, Utc
from storage.schema import metadata

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
