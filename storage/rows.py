"""What the storage takes and gives: plain data, and nothing that knows a game's rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

from storage.agreements import GameProgress, Offers, Reminder, Terms

Json = dict[str, Any]

GameStatus = Literal["lobby", "playing", "over"]
SeatState = Literal["open", "invited", "joined", "declined"]
Mark = Literal["win", "draw", "loss"]

PEOPLE_POOL: Final = "people"
"""The pool of games among people."""


def utc_now() -> datetime:
    """Return the time, in UTC, for callers without a clock of their own."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, whatever the platform; `language` is what a platform last said of them, `settings` what they chose."""

    id: int
    name: str
    language: str | None = None
    settings: Json = field(default_factory=dict)

    @property
    def team_place(self) -> int | None:
        """The place that this is the team of; None for somebody of flesh and blood."""
        place = self.settings.get("team")
        return place if isinstance(place, int) else None

    @property
    def team_name(self) -> str | None:
        """The name of a team of some people in a place; None for a whole place, and for somebody of flesh and blood."""
        name = self.settings.get("team_name")
        return name if isinstance(name, str) else None


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as one platform knows them.

    `can_dm`: whether a private message reaches them there, None where nothing is known of that.
    """

    platform: str
    user: str
    person: int
    name: str
    language: str | None = None
    can_dm: bool | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """Somebody's coached first game of a game: where in it they are; without a step it was offered and never begun.

    `revision` counts its changes, `place` is where it goes on, `state` what the lesson itself keeps.
    """

    id: int
    person: int
    game: str
    touched_at: datetime
    revision: int = 0
    step: str = ""
    state: Json = field(default_factory=dict)
    place: int | None = None
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A channel of a platform, or a thread in it; `group` is the server or group that it belongs to.

    What is not set in a place is `inherited`: a thread has it from its channel, a channel from its group, whose own
    place is the one with the group's id as its channel.
    """

    id: int
    platform: str
    channel: str
    thread: str | None = None
    group: str | None = None
    kind: Literal["group", "private"] = "group"
    title: str = ""
    settings: Json = field(default_factory=dict)
    inherited: Json = field(default_factory=dict)
    guest: bool = False
    """Whether the bot is no member there: it can write only with what presses bring (`Pass`)."""

    @property
    def effective(self) -> Json:
        """What holds here: what is set, and what is inherited."""
        return {**self.inherited, **self.settings}


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of a game: `number` is the order of joining from 0, `seat` the index in the game once the lot is drawn.

    Either `person` or `computer` (a level) is set; neither while it is open, or kept for a `name` not known yet.
    `joined_by` is the platform's id of the event by which it was taken.
    """

    number: int
    state: SeatState = "joined"
    seat: int | None = None
    person: int | None = None
    computer: str | None = None
    name: str = ""
    joined_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GameBrief:
    """A game without its position: enough for a list.

    `to_move` is the person it waits for, since `waiting_since`; `turn` counts the turns finished. `alarm_at` is when
    something is to be done for it, `reminder` whether somebody was reminded of it. `thinking` says that a computer is
    to move, or to answer an offer.
    Where a list belongs to somebody, `waiting` says that it is their move or their answer that the game waits for.
    `unread` names what is stored of it and cannot be read.
    """

    id: str
    game: str
    status: GameStatus
    place: int
    starter: int
    seat_count: int
    seats: tuple[Seat, ...]
    options: Json
    revision: int
    turn: int
    to_move: int | None
    waiting_since: datetime
    deadline: datetime | None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    outcome: Json | None
    alarm_at: datetime | None = None
    terms: Terms = field(default_factory=Terms)
    course: GameProgress = field(default_factory=GameProgress)
    offers: Offers = field(default_factory=Offers)
    reminder: Reminder | None = None
    thinking: bool = False
    waiting: bool = False
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRow(GameBrief):
    """A game with its newest position, its last turn for the picture, and its secret seed (hexadecimal).

    `chance` is what people have given to its chance, None for a game of a version that took nothing from them.
    """

    rules_version: int
    seed: str = field(repr=False)
    seed_hash: str
    chance: Json | None = None
    position: Json | None
    last_turn: Json | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """A game to be created, in its lobby; without an `id` the store finds one."""

    game: str
    place: int
    starter: int
    rules_version: int
    seat_count: int
    seats: tuple[Seat, ...]
    options: Json
    seed: str = field(repr=False)
    seed_hash: str
    id: str | None = None
    terms: Terms = field(default_factory=Terms)
    alarm_at: datetime | None = None
    chance: Json | None = None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """Something that happens in a game; `person` is who did it, if anybody did.

    `cause` is what brought it about where that is not the platform's event.
    """

    kind: str
    data: Json = field(default_factory=dict)
    person: int | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a game, numbered from 1; `cause` names the platform's event behind it ("platform:id")."""

    game: str
    number: int
    kind: str
    data: Json
    person: int | None
    at: datetime
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class NewResult:
    """How a seat came out: `place_number` is 1 for the best and equal for shared places.

    `pool` keeps games against computers apart; `mu` and `sigma` are the person's rating after a rated game.
    """

    seat: int
    place_number: int
    reason: str
    person: int | None = None
    rated: bool = True
    pool: str = PEOPLE_POOL
    mu: float | None = None
    sigma: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A stored result; `mark`: win = sole first place, draw = shared first, loss = any other."""

    game: str
    seat: int
    game_key: str
    person: int | None
    place_number: int
    mark: Mark
    reason: str
    rated: bool
    ended_at: datetime
    pool: str = PEOPLE_POOL
    mu: float | None = None
    sigma: float | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """How well a person plays a game, with the uncertainty of it; the empty `game_key` is for all games together."""

    person: int
    game_key: str
    mu: float
    sigma: float
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pool: str = PEOPLE_POOL

    @property
    def played(self) -> int:
        """How many rated games that were."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class Standing:
    """One person's rated results of one game, or of all, in one place."""

    person: int
    name: str
    played: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Doer:
    """Who an event came from as its process knew it, and where: looked at again by the transaction that notes it."""

    user: str
    person: int
    place: int


@dataclass(frozen=True, slots=True)
class ProcessedEvent:
    """A platform's event, with what is needed to answer it the same way when it is delivered again.

    With a `doer` it is stored only as long as they are still who they were, and nothing keeps them out.
    """

    platform: str
    event: str
    reply: Json | None = None
    doer: Doer | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RequestSource:
    """Whom a platform's event comes from, and where; `handled` is what was stored when it came before.

    `can_dm` is that of their identity.
    """

    person: Person
    place: PlaceRow
    processed: ProcessedEvent | None = None
    can_dm: bool | None = None


@dataclass(frozen=True, slots=True)
class NewNotice:
    """Something that a person is to be told about a subject, once; `due_at` if not a board alone is to tell it."""

    person: int
    kind: str
    subject: str
    due_at: datetime | None = None
    route: str | None = None


@dataclass(frozen=True, slots=True)
class PastNotice:
    """Notices of a game that are of no matter any more: of a kind, perhaps only on one subject, or to one person."""

    kind: str
    subject: str | None = None
    person: int | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person is to be told about a subject: which `way`, None until that is decided, and in which `place`.

    `due_at` is when something is to be done for it, None when it was told, or a board tells it; after `attempts`
    failures in a row.
    """

    id: int
    person: int
    kind: str
    subject: str
    game: str | None
    route: str | None
    place: int | None
    due_at: datetime | None
    attempts: int
    made_at: datetime
    delivered_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GameChange:
    """One step of a game, all or nothing.

    `game` is the row as it shall be, made with `dataclasses.replace` from the row that was read: its `revision` is
    compared, and of `before`, the row as it was read, what changes without an event: who sits there, when it is due.
    `events` holds at least one event, so that every change counts. `unplanned`: nobody's plans were looked at.
    """

    game: GameRow
    before: GameRow | None = None
    unplanned: bool = False
    events: tuple[NewEvent, ...]
    at: datetime
    processed: ProcessedEvent | None = None
    results: tuple[NewResult, ...] = ()
    ratings: tuple[Rating, ...] = ()
    past: tuple[PastNotice, ...] = ()
    promised: tuple[NewNotice, ...] = ()


@dataclass(frozen=True, slots=True)
class RoomMessage:
    """A message of the local chat page; the bot's own have no `author`.

    `recipient` is the only person to see it, if not None. `change` grows with every new, edited or deleted message
    of the room; `picture` is the change with which its picture came, None without one.
    """

    id: int
    room: str
    change: int
    author: int | None
    recipient: int | None
    text: str
    card: Json | None
    picture: int | None
    created_at: datetime
    edited_at: datetime | None
    deleted: bool
