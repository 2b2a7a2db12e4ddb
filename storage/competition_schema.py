"""The tables of competitions and of channels that play as one."""

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Table,
    UniqueConstraint,
    false,
    text,
)

from storage import shapes
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


# A team plays and has ratings as a row of `people` without an identity. Without a name it is the whole place.
teams = Table(
    "teams",
    metadata,
    Column("person", Integer, ForeignKey("people.id"), primary_key=True),
    Column("place", Integer, ForeignKey("places.id"), nullable=False),
    Column("name", PlainText, nullable=False),
    UniqueConstraint("place", "name"),
)

# A team in one game: its round (the revision at which the position arose) and when that closes, since when there are
# votes that its board does not show, and whether the round has been extended once.
team_sides = Table(
    "team_sides",
    metadata,
    Column("game", String(6), ForeignKey("games.id"), primary_key=True),
    Column("team", Integer, ForeignKey("people.id"), primary_key=True),
    Column("seconds", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("closes_at", Utc),
    Column("extended", Boolean, nullable=False, server_default=false()),
    Column("changed_at", Utc),
    Index(
        "ix_team_sides_closes_at",
        "closes_at",
        postgresql_where=text("closes_at IS NOT NULL"),
        sqlite_where=text("closes_at IS NOT NULL"),
    ),
    Index(
        "ix_team_sides_changed_at",
        "changed_at",
        postgresql_where=text("changed_at IS NOT NULL"),
        sqlite_where=text("changed_at IS NOT NULL"),
    ),
)

# Proposals of a round: a turn by its actions, or something else (resigning ...) by its kind; `person` is NULL
# once they were forgotten.
team_proposals = Table(
    "team_proposals",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", String(6), ForeignKey("games.id"), nullable=False),
    Column("team", Integer, ForeignKey("people.id"), nullable=False),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("actions", JsonText(shapes.Texts), nullable=False),
    Column("person", Integer, ForeignKey("people.id"), index=True),
    Column("made_at", Utc, nullable=False),
    UniqueConstraint("game", "round", "number"),
)

# One vote per person and round, and one per browser; `proposal` is the number of the proposal.
team_votes = Table(
    "team_votes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", String(6), ForeignKey("games.id"), nullable=False),
    Column("team", Integer, ForeignKey("people.id"), nullable=False),
    Column("round", Integer, nullable=False),
    Column("person", Integer, ForeignKey("people.id"), index=True),
    Column("proposal", Integer, nullable=False),
    Column("browser", PlainText),
    Column("at", Utc, nullable=False),
    UniqueConstraint("game", "round", "person"),
    UniqueConstraint("game", "round", "browser"),
)

# The admitted voters of a side, and whether they want to be called to every turn.
team_voters = Table(
    "team_voters",
    metadata,
    Column("game", String(6), ForeignKey("games.id"), primary_key=True),
    Column("person", Integer, ForeignKey("people.id"), primary_key=True, index=True),
    Column("team", Integer, ForeignKey("people.id"), nullable=False),
    Column("admitted", Boolean, nullable=False, server_default=false()),
    Column("called", Boolean, nullable=False, server_default=false()),
)

# Those who were named for a side and have not answered yet whether they vote with it.
team_invitations = Table(
    "team_invitations",
    metadata,
    Column("game", String(6), ForeignKey("games.id"), primary_key=True),
    Column("team", Integer, ForeignKey("people.id"), primary_key=True),
    Column("person", Integer, ForeignKey("people.id"), primary_key=True, index=True),
    Column("asked_at", Utc, nullable=False),
)
