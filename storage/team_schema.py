"""The tables of games in which a whole place has a seat, beside those of `storage/schema.py`."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table, UniqueConstraint, false, text

from storage import shapes
from storage.columns import Integer, JsonText, PlainText, String, Utc
from storage.schema import metadata

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
