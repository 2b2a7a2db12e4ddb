"""The tables of guesses at the next turn of games, beside those of `storage/schema.py`."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Table, UniqueConstraint

from storage.columns import JsonText, PlainText, Utc
from storage.schema import metadata

# Who plays a game and agrees that its turns are guessed.
guess_consents = Table(
    "guess_consents",
    metadata,
    Column("game", String(6), ForeignKey("games.id"), primary_key=True),
    Column("person", Integer, ForeignKey("people.id"), primary_key=True, index=True),
    Column("agreed_at", Utc, nullable=False),
)

# What somebody guesses that the turn after `revision` will be, the revision at which the position came about. `browser`
# has one guess a turn where the platform knows browsers. `hit` is NULL while the turn was not played, or counts
# nothing; `good`, until an analysis has looked at it. `checked`: the game's revision that it was last compared with.
guesses = Table(
    "guesses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", String(6), ForeignKey("games.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("person", Integer, ForeignKey("people.id"), nullable=False, index=True),
    Column("actions", JsonText, nullable=False),
    Column("browser", PlainText),
    Column("made_at", Utc, nullable=False, index=True),
    Column("hit", Boolean),
    Column("good", Boolean),
    Column("checked", Integer, nullable=False),
    UniqueConstraint("game", "revision", "person"),
)
