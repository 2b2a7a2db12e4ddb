"""The tables and rows of everything shown and sent: posts, notices, the room, pages, webhooks, subscriptions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import mapped_column

from storage import shapes
from storage.columns import Json, String
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
    partial_index,
    stored_json,
)

BOARD: Final = "board"
"""The kind of post that shows a game; its subject is the game's id."""
DAILY: Final = "daily"
"""The kind of post that shows the puzzle of a day; its subject is `2026-05-01:PUZZLE`."""
MONTH: Final = "month"
"""The kind of post that sums up a month; its subject is `2026-05`."""


@dataclass(frozen=True, slots=True)
class Post:
    """A message in a place that is kept up to date: a board, an offer, a competition's table, a daily puzzle ...

    `kind` and `subject` identify what it shows, which belongs to a `game` or a `competition`. `message` shows
    `shown_revision` of the subject, and `content`, which is only compared for equality (all None before it was sent).
    `announced` is a number that stands for what the message announced, None if a new message is wanted.
    `stale_messages` are older messages whose buttons must be removed, with the revisions that they showed if known, 0
    for those that announced nothing. `due_at` is when the post is processed next, None if nothing is to do; `attempts`
    is the number of consecutive failures. A `waiting` post may not be written at present: it is left alone until its
    place is open again. A `gone` post is not shown any more.
    """

    id: Id
    kind: str
    subject: str
    game: GameId | None
    competition: CompetitionId | None
    place: PlaceRow
    revision: int
    made_at: datetime
    message: str | None = None
    shown_revision: int | None = None
    announced: int | None = None
    content: str | None = None
    shown_at: datetime | None = None
    stale_messages: Mapping[str, int | None] = field(default_factory=dict)
    due_at: datetime | None = None
    attempts: int = 0
    gone: bool = False
    waiting: bool = False

    @property
    def is_current(self) -> bool:
        """True if the message shows the newest revision, and no new message is wanted."""
        return self.shown_revision == self.revision and self.announced is not None

    @property
    def removes_old_messages(self) -> bool:
        """True if its place keeps only the newest message."""
        return bool(self.place.effective.get("newest_only"))


posts = declare(
    "posts",
    Post,
    UniqueConstraint("kind", "subject", "place"),
    Index(None, "place", "message"),
    due_index("ix_posts_due"),
    partial_index("ix_posts_waiting", "place", where="waiting"),
    indexed=("game", "competition"),
    without=("revision",),
    place=PlaceId,
    stale_messages=Annotated[Any, stored_json(shapes.StaleMessages, in_parts=True)],
)

IS_TABLE: Final = posts.competition == posts.subject
"""True for a post that shows a competition's table: its kind is the competition's kind, its subject the id."""


@dataclass(frozen=True, slots=True)
class NewInteractionPass:
    """The token of a press where the bot is not a member: a `secret` that allows it to write there.

    `message` is the pressed message, which the token can edit, None if there is none; `until` is when it expires, None
    if never; `spare` is the number of new messages it allows, None for any number. The secret is never shown.
    """

    secret: str = field(repr=False)
    message: str | None = None
    until: datetime | None = None
    spare: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionPass(NewInteractionPass):
    """A stored token, which can edit the messages in `sent` as well.

    While `answered` is False, the press is still being answered, or the process that did so has died.
    """

    id: Id
    sent: Texts
    made_at: datetime
    answered: bool = False

    def can_edit(self, message: str) -> bool:
        """Return whether the token can edit a message."""
        return message == self.message or message in self.sent

    @property
    def can_send(self) -> bool:
        """True if the token can send a new message."""
        return self.spare is None or self.spare > 0


interaction_tokens = declare(
    "interaction_tokens",
    InteractionPass,
    UniqueConstraint("place", "secret"),
    due_index("ix_interaction_tokens_until", "until"),
    place=PlaceId,
)


@dataclass(frozen=True, slots=True)
class NewNotice:
    """A notice to a person about a subject, sent once; its route is None until decided.

    `due_at` is when it is processed next, None when it was delivered or a board delivers it.
    """

    person: PersonId
    kind: str
    subject: str
    due_at: datetime | None = None
    route: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(NewNotice):
    """A stored notice, with its place; `attempts` is the number of consecutive failures."""

    id: Id
    game: GameId | None
    place: PlaceId | None
    attempts: int
    made_at: datetime
    delivered_at: datetime | None


notices = declare(
    "notices",
    Notice,
    UniqueConstraint("person", "kind", "subject"),
    due_index("ix_notices_due"),
    indexed=("game", "made_at"),
)


# Places for which a person chose another route for notices.
notice_choices = declare("notice_choices", None, indexed=("person",), place=PlaceKey, person=PersonKey, route=str)


@dataclass(frozen=True, slots=True)
class RoomMessage:
    """A message of the local chat page; the bot's own have no `author`.

    `recipient` is the only person who sees it, None for all. `change` grows with every new, edited or deleted message
    of the room; `picture` is the change that added its picture, None without one.
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


# One row per room: every change increments its number first, which serializes the changes of a room.
rooms = declare("rooms", None, name=TextId, change=int)
room_messages = declare(
    "room_messages",
    RoomMessage,
    UniqueConstraint("room", "change"),
    UniqueConstraint("room", "key"),
    Index(None, "room", "id"),
    indexed=("author", "recipient"),
    key=str | None,
)
# `change` is the change that showed the picture last.
room_drawings = declare(
    "room_drawings",
    None,
    Index(None, "change", "size"),
    digest=Annotated[str, mapped_column(String(64), primary_key=True)],
    size=int,
    change=int,
    content=bytes,
)
room_pictures = declare(
    "room_pictures",
    None,
    indexed=("digest",),
    message=Annotated[int, mapped_column(ForeignKey("room_messages.id"), primary_key=True)],
    digest=Annotated[str, mapped_column(String(64), ForeignKey("room_drawings.digest"))],
)


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
    """An address to which the events of a place are sent; `stopped` is why it was stopped, empty while it is active.

    `failing_since` is when the first of the `attempts` consecutive failures was; `due_at` is when the next attempt is
    due, also after a pause without a failure.
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
    """What a webhook was sent about a game or a competition: revision, number of turns or rounds, whether it was over.

    The subject is `game:ID` or `competition:ID`.
    """

    webhook: Annotated[int, mapped_column(ForeignKey("webhooks.id"), primary_key=True)]
    subject: TextId
    revision: int
    turn: int
    over: bool


webhooks = declare("webhooks", StoredWebhook, indexed=("place", "person"))
webhook_cursors = declare("webhook_cursors", WebhookCursor)


@dataclass(frozen=True, slots=True)
class Daily:
    """A place's subscription to the puzzle of the day, at a local hour; `due_at` is when it is processed next."""

    place: PlaceRow
    hour: int
    due_at: datetime


dailies = declare("dailies", Daily, indexed=("due_at",), place=PlaceKey)
