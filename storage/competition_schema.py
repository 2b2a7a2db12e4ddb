"""The tables of competitions, beside those of `storage/schema.py`."""

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Table,
    UniqueConstraint,
    text,
)

from storage.columns import Integer, JsonText, PlainText, String, Utc
from storage.schema import metadata

_IS_DUE: Final = text("due_at IS NOT NULL")

# Competitions consist of events, as games do; bot/competitions/ interprets them.
competitions = Table(
    "competitions",
    metadata,
    Column("id", String(6), primary_key=True),
    Column("status", PlainText, nullable=False),
    Column("game_key", PlainText, nullable=False),
    Column("place", Integer, ForeignKey("places.id"), nullable=False, index=True),
    Column("maker", Integer, ForeignKey("people.id"), nullable=False, index=True),
    Column("seed", PlainText, nullable=False),
    Column("seed_hash", PlainText, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("due_at", Utc),
    Column("created_at", Utc, nullable=False),
    Column("ended_at", Utc),
    Column("kind", PlainText, nullable=False, server_default="cup"),
    CheckConstraint("status IN ('open', 'running', 'over')", name="status"),
    Index("ix_competitions_due", "due_at", postgresql_where=_IS_DUE, sqlite_where=_IS_DUE),
)


competition_events = Table(
    "competition_events",
    metadata,
    Column("competition", String(6), ForeignKey("competitions.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", PlainText, nullable=False),
    Column("data", JsonText, nullable=False),
    Column("person", Integer, ForeignKey("people.id"), index=True),
    Column("at", Utc, nullable=False),
    Column("cause", PlainText),
    Column("moves", Integer, nullable=False, server_default=text("0")),  # the clock's moves before the event
)

# The person behind a number in the events, which name nobody, so that people can be merged and forgotten.
entrants = Table(
    "entrants",
    metadata,
    Column("competition", String(6), ForeignKey("competitions.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("person", Integer, ForeignKey("people.id")),
    Column("place", Integer, ForeignKey("places.id"), index=True),
    Column("joined_by", PlainText, nullable=False),
    Column("inside", Boolean, nullable=False),
    Column("rank", Integer),
    UniqueConstraint("competition", "person"),
    Index(None, "person", "rank"),
)

competition_games = Table(
    "competition_games",
    metadata,
    Column("game", String(6), ForeignKey("games.id"), primary_key=True),
    Column("competition", String(6), ForeignKey("competitions.id"), nullable=False),
    Column("slot", PlainText, nullable=False),
    UniqueConstraint("competition", "slot"),
)

competition_places = Table(
    "competition_places",
    metadata,
    Column("competition", String(6), ForeignKey("competitions.id"), primary_key=True),
    Column("place", Integer, ForeignKey("places.id"), primary_key=True, index=True),
    Column("message", PlainText),
    Column("shown_revision", Integer),
    Column("announced_rounds", Integer, nullable=False),
    Column("due_at", Utc),
    Column("attempts", Integer, nullable=False),
    Column("gone", Boolean, nullable=False),
    Index("ix_competition_places_due", "due_at", postgresql_where=_IS_DUE, sqlite_where=_IS_DUE),
)

# Titles won in a season; `source` is the competition or place, `original` the person before a merge.
titles = Table(
    "titles",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person", Integer, ForeignKey("people.id"), nullable=False),
    Column("original", Integer, ForeignKey("people.id"), nullable=False, index=True),
    Column("kind", PlainText, nullable=False),
    Column("game_key", PlainText, nullable=False),
    Column("source", PlainText, nullable=False),
    Column("period", PlainText, nullable=False),
    Column("earned_at", Utc, nullable=False),
    UniqueConstraint("person", "kind", "game_key", "source", "period"),
)
