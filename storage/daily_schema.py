"""The tables of daily and monthly messages, beside those of `storage/schema.py`."""

from typing import Final

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table, UniqueConstraint, false, text

from storage.columns import Integer, PlainText, String, Utc
from storage.schema import metadata

# Subscriptions of places to the daily puzzle: the local hour, and when the row is processed next.
dailies = Table(
    "dailies",
    metadata,
    Column("place", Integer, ForeignKey("places.id"), primary_key=True),
    Column("hour", Integer, nullable=False),
    Column("due_at", Utc, nullable=False, index=True),
)

# One row per place and date, stored before sending, so that the message is sent once, even after a restart.
daily_messages = Table(
    "daily_messages",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("place", Integer, ForeignKey("places.id"), nullable=False),
    Column("date", String(10), nullable=False),
    Column("puzzle", PlainText, nullable=False),
    Column("message", PlainText),
    Column("shown", PlainText),  # what stands for the words that it shows; never the words, which hold names
    Column("posted_at", Utc),  # until it is sent, when it was promised
    Column("shown_at", Utc),
    Column("due_at", Utc),
    Column("attempts", Integer, nullable=False),
    Column("waiting", Boolean, nullable=False, server_default=false()),
    Column("closed", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("place", "date"),
    Index(None, "puzzle"),
    Index(None, "posted_at"),
    Index(
        "ix_daily_messages_due",
        "due_at",
        postgresql_where=text("due_at IS NOT NULL"),
        sqlite_where=text("due_at IS NOT NULL"),
    ),
    Index("ix_daily_messages_waiting", "place", postgresql_where=text("waiting"), sqlite_where=text("waiting = 1")),
)

# One row per place and month, stored before sending, so that it is sent once; `due_at` is NULL once it is done.
monthly_messages = Table(
    "monthly_messages",
    metadata,
    Column("place", Integer, ForeignKey("places.id"), primary_key=True),
    Column("month", String(7), primary_key=True),
    Column("message", PlainText),
    Column("promised_at", Utc, nullable=False),
    Column("due_at", Utc),
    Column("attempts", Integer, nullable=False),
    Index(
        "ix_monthly_messages_due",
        "due_at",
        postgresql_where=text("due_at IS NOT NULL"),
        sqlite_where=text("due_at IS NOT NULL"),
    ),
)

IS_OPEN: Final = (daily_messages.c.closed.is_(False), daily_messages.c.waiting.is_(False))
"""The conditions for a message that still needs updates."""
