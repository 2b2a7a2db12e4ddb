"""The tables of public page ids and webhooks."""

from sqlalchemy import Boolean, Column, ForeignKey, Table

from storage.columns import Integer, PlainText, String, Utc
from storage.schema import metadata

# Unguessable ids of public pages; a row stays after withdrawal, so that the page can answer 410.
# Exactly one of `game`, `competition` and `person` was set; a forgotten person is removed.
public_pages = Table(
    "public_pages",
    metadata,
    Column("id", String(22), primary_key=True),
    Column("kind", PlainText, nullable=False),
    Column("game", String(6), ForeignKey("games.id"), unique=True),
    Column("competition", String(6), ForeignKey("competitions.id"), unique=True),
    Column("person", Integer, ForeignKey("people.id"), unique=True),
    Column("made_at", Utc, nullable=False),
)

# Webhook addresses of places; `stopped` is the reason why one was stopped, empty while it is active.
webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("place", Integer, ForeignKey("places.id"), nullable=False, index=True),
    Column("address", PlainText, nullable=False),
    Column("secret", PlainText, nullable=False),
    Column("person", Integer, ForeignKey("people.id"), index=True),
    Column("made_at", Utc, nullable=False),
    Column("stopped", PlainText, nullable=False),
    Column("failing_since", Utc),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Utc),
)

# How far a webhook has been sent a game or a competition (`game:ID`, `competition:ID`).
webhook_cursors = Table(
    "webhook_cursors",
    metadata,
    Column("webhook", Integer, ForeignKey("webhooks.id"), primary_key=True),
    Column("subject", PlainText, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("over", Boolean, nullable=False),
)
