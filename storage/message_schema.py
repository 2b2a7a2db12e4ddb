"""The tables of what is shown and told, and their rows: boards, notices, the room, pages, webhooks, daily messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import mapped_column

from storage import shapes
from storage.columns import DateText, Json, String
from storage.schema import (
    CompetitionId,
    GameId,
    Id,
    PageKind,
    PersonId,
    PersonKey,
    PlaceId,
    PlaceKey,
    PlaceRow,
    TextId,
    Texts,
    declare,
    due_index,
    flag_index,
    partial_index,
    stored_json,
)


@dataclass(frozen=True, slots=True)
class Surface:
    """A place that shows a game, and how far delivery has come there.

    `message` shows `shown_revision` (both None before the first delivery) and announced the turn `announced_turn`.
    `stale_messages` are older messages whose buttons must be removed, with the revisions that they showed as far as
    known. `extra_messages` are the messages beside the board, by subject. `due_at` is when it is processed next, None
    when all is done; `attempts` is the number of failures in a row. A `waiting` surface may not be written to at
    present: nothing happens there until its place is open again.
    """

    id: Id
    game: GameId
    place: PlaceRow
    revision: int
    message: str | None = None
    shown_revision: int | None = None
    announced_turn: int | None = None
    stale_messages: Mapping[str, int | None] = field(default_factory=dict)
    extra_messages: Annotated[Mapping[str, str], stored_json(shapes.TextByName)] = field(default_factory=dict)
    due_at: datetime | None = None
    attempts: int = 0
    gone: bool = False
    waiting: bool = False


surfaces = declare(
    "surfaces",
    Surface,
    UniqueConstraint("game", "place"),
    Index(None, "place", "message"),
    due_index("ix_surfaces_due"),
    partial_index("ix_surfaces_waiting", "place", where="waiting"),
    without=("revision",),
    place=PlaceId,
    stale_messages=Annotated[Any, stored_json(shapes.StaleMessages, in_parts=True)],
)


@dataclass(frozen=True, slots=True)
class InteractionPass:
    """The stored token of a press where the bot is no member; `message` and the messages `sent` with it can be edited.

    `spare` new ones can be sent, any number if it is None, `until` it expires. Until it is `answered`, the press itself
    is still being answered with it, or the process that did so has died. The secret is never shown to anyone.
    """

    id: Id
    secret: str = field(repr=False)
    message: str | None
    sent: Texts
    until: datetime | None
    spare: int | None
    made_at: datetime
    answered: bool = False

    def can_edit(self, message: str) -> bool:
        """Return whether a message can be edited with it."""
        return message == self.message or message in self.sent

    @property
    def can_send(self) -> bool:
        """True if a new message can be sent with it."""
        return self.spare is None or self.spare > 0


interaction_tokens = declare(
    "interaction_tokens",
    InteractionPass,
    UniqueConstraint("place", "secret"),
    due_index("ix_interaction_tokens_until", "until"),
    place=PlaceId,
)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice to a person about a subject, until it is outdated: its route, None until decided, and its place.

    `due_at` is when it is processed next, None when it was delivered or a board delivers it; `attempts` is the number
    of failures in a row.
    """

    id: Id
    person: PersonId
    kind: str
    subject: str
    game: GameId | None
    route: str | None
    place: PlaceId | None
    due_at: datetime | None
    attempts: int
    made_at: datetime
    delivered_at: datetime | None


notices = declare(
    "notices",
    Notice,
    Index(None, "game"),
    Index(None, "made_at"),
    UniqueConstraint("person", "kind", "subject"),
    due_index("ix_notices_due"),
)


class _NoticeChoice:
    place: PlaceKey
    person: PersonKey
    route: str


# Places for which a person chose another route for notices.
notice_choices = declare("notice_choices", _NoticeChoice, Index(None, "person"))


class _Room:
    name: TextId
    change: int


@dataclass(frozen=True, slots=True)
class RoomMessage:
    """A message of the local chat page; the bot's own have no `author`.

    `recipient` is the only person to see it, None for all. `change` grows with every new, edited or deleted message of
    the room; `picture` is the change that brought its picture, None without one.
    """

    id: Id
    room: Annotated[str, mapped_column(ForeignKey("rooms.name"))]
    change: int
    author: PersonId | None
    recipient: PersonId | None
    text: str
    card: Annotated[Json | None, stored_json(shapes.RoomCard, if_unreadable=None)]
    picture: int | None
    created_at: datetime
    edited_at: datetime | None
    deleted: bool


class _RoomDrawing:
    digest: Annotated[str, mapped_column(String(64), primary_key=True)]
    size: int
    change: int  # with which it was shown last
    content: bytes


class _RoomPicture:
    message: Annotated[int, mapped_column(ForeignKey("room_messages.id"), primary_key=True)]
    digest: Annotated[str, mapped_column(String(64), ForeignKey("room_drawings.digest"))]


# One row per room: incrementing its number first serializes the changes of a room.
rooms = declare("rooms", _Room)
room_messages = declare(
    "room_messages",
    RoomMessage,
    Index(None, "author"),
    Index(None, "recipient"),
    UniqueConstraint("room", "change"),
    UniqueConstraint("room", "key"),
    Index(None, "room", "id"),
    key=str | None,
)
room_drawings = declare("room_drawings", _RoomDrawing, Index(None, "change", "size"))
room_pictures = declare("room_pictures", _RoomPicture, Index(None, "digest"))


@dataclass(frozen=True, slots=True)
class PublicPage:
    """The unguessable id of a public page and its subject; all subjects are None once a person was forgotten.

    A row stays after withdrawal, so that the page can answer 410.
    """

    id: Annotated[str, mapped_column(String(22), primary_key=True)]
    kind: PageKind
    game: GameId | None
    competition: CompetitionId | None
    person: PersonId | None
    made_at: datetime


public_pages = declare(
    "public_pages",
    PublicPage,
    *(UniqueConstraint(subject) for subject in ("game", "competition", "person")),
)


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """An address that learns what happens in a place; `stopped` says why it is no longer, empty while it is.

    `failing_since` is when the first of the `attempts` failed that have all failed since; `due_at` when the next is, or
    until when it waits without having failed.
    """

    id: Id
    place: PlaceId
    address: str
    secret: str = field(repr=False)
    person: PersonId | None
    made_at: datetime
    stopped: str = ""
    failing_since: datetime | None = None
    attempts: int = 0
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WebhookCursor:
    """What a webhook was told of a game or a competition: the revision, the turns or rounds, whether it has ended.

    The subject is `game:ID` or `competition:ID`.
    """

    webhook: Annotated[int, mapped_column(ForeignKey("webhooks.id"), primary_key=True)]
    subject: TextId
    revision: int
    turn: int
    over: bool


webhooks = declare("webhooks", StoredWebhook, Index(None, "place"), Index(None, "person"))
webhook_cursors = declare("webhook_cursors", WebhookCursor)


@dataclass(frozen=True, slots=True)
class Daily:
    """A place's subscription to the puzzle of the day, at a local hour; `due_at` is when it is processed next."""

    place: PlaceRow
    hour: int
    due_at: datetime


@dataclass(frozen=True, slots=True)
class DailyMessage:
    """The message of one date in one place, stored before it is sent; `message` is None until then.

    `shown` identifies its content: never the words, which hold names. Until it is sent, `posted_at` is when it was
    promised. `past` means that a later message was sent, or that none will follow. `closed` means that it needs no
    further updates.
    """

    id: Id
    place: PlaceRow
    date: Annotated[str, mapped_column(DateText)]
    puzzle: str
    message: str | None
    shown: str | None
    posted_at: datetime | None
    shown_at: datetime | None
    due_at: datetime | None
    past: bool
    attempts: int = 0
    waiting: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True)
class MonthlyMessage:
    """The message of a month (`2026-05`) in a place, stored before it is sent; `due_at` is None once it is done."""

    place: PlaceRow
    month: Annotated[str, mapped_column(String(7), primary_key=True)]
    message: str | None
    promised_at: datetime
    due_at: datetime | None
    attempts: int = 0


dailies = declare("dailies", Daily, Index(None, "due_at"), place=PlaceKey)
daily_messages = declare(
    "daily_messages",
    DailyMessage,
    UniqueConstraint("place", "date"),
    Index(None, "puzzle"),
    Index(None, "posted_at"),
    due_index("ix_daily_messages_due"),
    flag_index("ix_daily_messages_waiting", "place", "waiting"),
    without=("past",),
    place=PlaceId,
)
monthly_messages = declare("monthly_messages", MonthlyMessage, due_index("ix_monthly_messages_due"), place=PlaceKey)
