"""The tables. A change here needs a migration: `python tools/new_migration.py "what it does"`."""

from typing import Any, Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    false,
    text,
)

from storage import shapes
from storage.agreements import StoredOffers, StoredTerms
from storage.columns import BigInteger, Count, DateText, Figure, Integer, JsonText, PlainText, String, Utc
from storage.settings_data import PersonSettings, PlaceSettings

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


FIRST_MU: Final = 25.0
FIRST_SIGMA: Final = FIRST_MU / 3
"""The rating of somebody who has not played, in place of one that cannot be read."""


def _partial(name: str, *columns: str, where: str, where_sqlite: str | None = None) -> Index:
    return Index(name, *columns, postgresql_where=text(where), sqlite_where=text(where_sqlite or where))


def _person(name: str, **options: Any) -> Column[int]:
    return Column(name, Integer, ForeignKey("people.id"), **options)


def _game(**options: Any) -> Column[str]:
    return Column("game", String(6), ForeignKey("games.id"), **options)


def _place(**options: Any) -> Column[int]:
    return Column("place", Integer, ForeignKey("places.id"), **options)


people = Table(
    "people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", PlainText, nullable=False),
    Column("language", PlainText),
    Column("settings", JsonText(PersonSettings, in_parts=True), nullable=False),
    Column("created_at", Utc, nullable=False),
    Column("merged_into", Integer, index=True),  # the person whom a linked one has become
)

identities = Table(
    "identities",
    metadata,
    Column("platform", PlainText, primary_key=True),
    Column("user_id", PlainText, primary_key=True),
    _person("person", nullable=False, index=True),
    Column("name", PlainText, nullable=False),
    Column("name_key", PlainText, nullable=False, index=True),
    Column("language", PlainText),
    Column("previous_person", Integer),  # the person it belonged to before it was linked
    Column("can_dm", Boolean),  # whether a private message reaches them; NULL where nobody knows
)

places = Table(
    "places",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("platform", PlainText, nullable=False),
    Column("channel", PlainText, nullable=False),
    Column("thread", PlainText, nullable=False),  # empty where there is none: NULLs would not be unique
    Column("group_id", PlainText),
    Column("kind", PlainText, nullable=False),
    Column("title", PlainText, nullable=False),
    Column("settings", JsonText(PlaceSettings, in_parts=True), nullable=False),
    Column("guest", Boolean, nullable=False, server_default=false()),  # the bot is no member there
    Column("public", Boolean),  # repeats the setting of that name, for lists of all places that have it
    UniqueConstraint("platform", "channel", "thread"),
    Index(None, "platform", "group_id"),
    _partial("ix_places_public", "public", where="public", where_sqlite="public = 1"),
)

members = Table(
    "members",
    metadata,
    _place(primary_key=True),
    _person("person", primary_key=True, index=True),
    Column("seen_at", Utc, nullable=False),
    Index(None, "place", "seen_at"),
)

games = Table(
    "games",
    metadata,
    Column("id", String(6), primary_key=True),
    Column("game", PlainText, nullable=False),
    Column("status", PlainText, nullable=False),
    _place(nullable=False),
    _person("starter", nullable=False),
    Column("options", JsonText(shapes.Options), nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("seat_count", Integer, nullable=False),
    Column("seed", PlainText, nullable=False),
    Column("seed_hash", PlainText, nullable=False),
    Column(
        "chance", JsonText(shapes.StoredChance, in_parts=True)
    ),  # what people have given to the chance of the game; NULL where none is taken from them
    Column("revision", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("position", JsonText(dict, has_floats=False)),
    Column("last_turn", JsonText(dict, has_floats=False)),
    _person("to_move"),
    Column("waiting_since", Utc, nullable=False),
    Column("deadline", Utc),
    Column("alarm_at", Utc),
    # storage/agreements.py reads `terms` and `offers`.
    Column("terms", JsonText(StoredTerms, in_parts=True), nullable=False, server_default=text("'{}'")),
    Column("offers", JsonText(StoredOffers, in_parts=True), nullable=False, server_default=text("'{}'")),
    Column("outcome", JsonText(shapes.StoredOutcome)),
    Column("thinking", Boolean, nullable=False, server_default=false()),
    Column("created_at", Utc, nullable=False),
    Column("updated_at", Utc, nullable=False),
    Column("started_at", Utc),
    Column("ended_at", Utc),
    CheckConstraint("status IN ('lobby', 'playing', 'over')", name="status"),
    _partial("ix_games_live", "status", where="status <> 'over'"),
    _partial("ix_games_alarm_at", "alarm_at", where="alarm_at IS NOT NULL"),
    _partial("ix_games_thinking", "waiting_since", where="thinking", where_sqlite="thinking = 1"),
)

# `live` (here and in game_places) repeats that the game is unfinished, which keeps years of games out of the index.
seats = Table(
    "seats",
    metadata,
    _game(primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("state", PlainText, nullable=False),
    Column("seat", Integer),
    _person("person"),
    Column("computer", PlainText),
    Column("name", PlainText, nullable=False),
    Column("joined_by", PlainText),
    Column("live", Boolean, nullable=False),
    UniqueConstraint("game", "seat"),
    UniqueConstraint("game", "person"),
    _partial("ix_seats_live", "person", where="live", where_sqlite="live = 1"),
)

events = Table(
    "events",
    metadata,
    _game(primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", PlainText, nullable=False),
    Column("data", JsonText(shapes.EventData, in_parts=True), nullable=False),
    _person("person"),
    Column("at", Utc, nullable=False),
    Column("cause", PlainText),
    # At most one planned turn answers an event.
    Index(
        "ix_events_planned",
        "game",
        "cause",
        unique=True,
        postgresql_where=text("cause LIKE 'plan:%'"),
        sqlite_where=text("cause LIKE 'plan:%'"),
    ),
)

results = Table(
    "results",
    metadata,
    _game(primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("game_key", PlainText, nullable=False),
    _person("person"),
    Column("place_number", Count, nullable=False),
    Column("mark", PlainText, nullable=False),
    Column("reason", PlainText, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("ended_at", Utc, nullable=False),
    Column("pool", PlainText, nullable=False, server_default=text("'people'")),
    Column("mu", Figure),
    Column("sigma", Figure),
    Index(None, "person", "game_key", "ended_at"),
    Index(None, "ended_at"),
)

ratings = Table(
    "ratings",
    metadata,
    _person("person", primary_key=True),
    Column("game_key", PlainText, primary_key=True),
    Column("pool", PlainText, primary_key=True),
    Column("mu", Figure(FIRST_MU), nullable=False),
    Column("sigma", Figure(FIRST_SIGMA), nullable=False),
    Column("wins", Count, nullable=False),
    Column("draws", Count, nullable=False),
    Column("losses", Count, nullable=False),
    Index(None, "game_key", "pool"),
)

lessons = Table(
    "lessons",
    metadata,
    Column("id", Integer, primary_key=True),
    _person("person", nullable=False),
    Column("game_key", PlainText, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("step", PlainText, nullable=False),  # empty where the lesson was only offered
    Column("state", JsonText(shapes.LessonState), nullable=False),
    _place(),
    Column("touched_at", Utc, nullable=False),
    Column("finished_at", Utc),
    UniqueConstraint("person", "game_key"),
)

# A person's private analysis boards; bot/tables/tree.py reads `tree`.
analysis_boards = Table(
    "analysis_boards",
    metadata,
    Column("id", Integer, primary_key=True),
    _person("person", nullable=False),
    _game(nullable=False),
    Column("revision", Integer, nullable=False),
    Column("tree", JsonText(shapes.StoredTryout, in_parts=True), nullable=False),
    Column("planned", Boolean, nullable=False, server_default=false()),
    Column("touched_at", Utc, nullable=False, index=True),
    UniqueConstraint("person", "game"),
    _partial("ix_analysis_boards_planned", "game", where="planned", where_sqlite="planned = 1"),
)

link_codes = Table(
    "link_codes",
    metadata,
    Column("code", PlainText, primary_key=True),
    _person("person", nullable=False, index=True),
    Column("expires_at", Utc, nullable=False),
)

# Heartbeats of the program: clocks stop while it is down.
pulses = Table("pulses", metadata, Column("name", PlainText, primary_key=True), Column("at", Utc, nullable=False))

# By how much stored durations were moved, because the clock was set or the program was away; `at` is the time before.
clock_moves = Table(
    "clock_moves",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("at", Utc, nullable=False),
    Column("seconds", BigInteger, nullable=False),
)

key_values = Table(
    "key_values",
    metadata,
    Column("platform", PlainText, primary_key=True),
    Column("name", PlainText, primary_key=True),
    Column("value", JsonText(shapes.KeyValue), nullable=False),
)

# Every place where a game was ever shown, whose lists and leaderboards include it.
game_places = Table(
    "game_places",
    metadata,
    _place(primary_key=True),
    _game(primary_key=True, index=True),
    Column("live", Boolean, nullable=False),
    _partial("ix_game_places_live", "place", where="live", where_sqlite="live = 1"),
)

analyses = Table(
    "analyses",
    metadata,
    _game(primary_key=True),
    Column("found", JsonText(shapes.StoredAnalysis), nullable=False),
    Column("made_at", Utc, nullable=False),
)

surfaces = Table(
    "surfaces",
    metadata,
    Column("id", Integer, primary_key=True),
    _game(nullable=False),
    _place(nullable=False),
    Column("message", PlainText),
    Column("shown_revision", Integer),
    Column("announced_turn", Integer),
    Column("stale_messages", JsonText(shapes.StaleMessages, in_parts=True), nullable=False),
    Column("extra_messages", JsonText(shapes.TextByName), nullable=False, server_default=text("'{}'")),
    Column("due_at", Utc),
    Column("attempts", Integer, nullable=False),
    Column("gone", Boolean, nullable=False),
    Column("waiting", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("game", "place"),
    Index(None, "place", "message"),
    _partial("ix_surfaces_due", "due_at", where="due_at IS NOT NULL"),
    _partial("ix_surfaces_waiting", "place", where="waiting"),
)

# Tokens of presses where the bot is no member: with its `secret` the messages `message` and `sent` can be edited and
# `spare` new ones sent, until it expires. The secret is never shown to anyone.
interaction_tokens = Table(
    "interaction_tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    _place(nullable=False),
    Column("secret", PlainText, nullable=False),
    Column("message", PlainText),
    Column("sent", JsonText(shapes.Texts), nullable=False),
    Column("until", Utc),
    Column("spare", Integer),
    Column("answered", Boolean, nullable=False, server_default=false()),
    Column("made_at", Utc, nullable=False),
    UniqueConstraint("place", "secret"),
    _partial("ix_interaction_tokens_until", "until", where="until IS NOT NULL"),
)

# Notices to people until they are outdated, delivered by a board, or by a message when due.
notices = Table(
    "notices",
    metadata,
    Column("id", Integer, primary_key=True),
    _person("person", nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("subject", PlainText, nullable=False),
    _game(index=True),
    Column("route", PlainText),
    _place(),
    Column("due_at", Utc),
    Column("attempts", Integer, nullable=False),
    Column("made_at", Utc, nullable=False, index=True),
    Column("delivered_at", Utc),
    UniqueConstraint("person", "kind", "subject"),
    _partial("ix_notices_due", "due_at", where="due_at IS NOT NULL"),
)

# Places for which a person chose another route for notices.
notice_choices = Table(
    "notice_choices",
    metadata,
    _place(primary_key=True),
    _person("person", primary_key=True, index=True),
    Column("route", PlainText, nullable=False),
)

# Bans and mutes in places; `person` is NULL once forgotten.
bans = Table(
    "bans",
    metadata,
    Column("id", Integer, primary_key=True),
    _place(nullable=False, index=True),
    Column("kind", PlainText, nullable=False),
    Column("browser", PlainText, nullable=False),  # what the ids of its names begin with, empty where none is known
    _person("person", index=True),
    Column("until", Utc),
    Column("made_at", Utc, nullable=False),
    _partial("ix_bans_until", "until", where="until IS NOT NULL"),
)

processed_events = Table(
    "processed_events",
    metadata,
    Column("platform", PlainText, primary_key=True),
    Column("event", PlainText, primary_key=True),
    Column("reply", JsonText(shapes.StoredReply, if_unreadable=None)),
    Column("at", Utc, nullable=False, index=True),
)

# One row per room: incrementing its number first serializes the changes of a room.
rooms = Table("rooms", metadata, Column("name", PlainText, primary_key=True), Column("change", Integer, nullable=False))

room_messages = Table(
    "room_messages",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("room", PlainText, ForeignKey("rooms.name"), nullable=False),
    Column("change", Integer, nullable=False),
    Column("key", PlainText),
    _person("author", index=True),
    _person("recipient", index=True),
    Column("text", PlainText, nullable=False),
    Column("card", JsonText(shapes.RoomCard, if_unreadable=None)),
    Column("picture", Integer),
    Column("created_at", Utc, nullable=False),
    Column("edited_at", Utc),
    Column("deleted", Boolean, nullable=False),
    UniqueConstraint("room", "change"),
    UniqueConstraint("room", "key"),
    Index(None, "room", "id"),
)

room_drawings = Table(
    "room_drawings",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("size", Integer, nullable=False),
    Column("change", Integer, nullable=False),  # with which it was shown last
    Column("content", LargeBinary, nullable=False),
    Index(None, "change", "size"),
)

room_pictures = Table(
    "room_pictures",
    metadata,
    Column("message", Integer, ForeignKey("room_messages.id"), primary_key=True),
    Column("digest", String(64), ForeignKey("room_drawings.digest"), nullable=False, index=True),
)


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
    Column("date", DateText, nullable=False),
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
