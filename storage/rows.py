"""The plain data that the storage takes and returns, independent of the rules of any game."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal

from storage.agreements import GameProgress, Offers, Reminder, Terms

Json = dict[str, Any]

GameStatus = Literal["lobby", "playing", "over"]
SeatState = Literal["open", "invited", "joined", "declined"]
Mark = Literal["win", "draw", "loss"]

PEOPLE_POOL: Final = "people"
"""The rating pool of games among people."""


def utc_now() -> datetime:
    """Return the current time in UTC, for callers without a clock of their own."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Person:
    """A person on whatever platform; `language` is the platform's, `settings` are the person's own."""

    id: int
    name: str
    language: str | None = None
    settings: Json = field(default_factory=dict)

    @property
    def team_place(self) -> int | None:
        """The place whose team this is; None for a human being."""
        place = self.settings.get("team")
        return place if isinstance(place, int) else None

    @property
    def team_name(self) -> str | None:
        """The name of a named team in a place; None for a whole place and for a human being."""
        name = self.settings.get("team_name")
        return name if isinstance(name, str) else None


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as one platform knows them.

    `can_dm` says whether a private message reaches them there, None if unknown.
    """

    platform: str
    user: str
    person: int
    name: str
    language: str | None = None
    can_dm: bool | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A person's lesson in a game and how far they are; without a step it was offered but never begun.

    `revision` counts its changes, `place` is where it goes on, `state` is the lesson's own data.
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

    Missing settings are `inherited`: by a thread from its channel, by a channel from its group, whose own place has the
    group's id as its channel.
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
    """True if the bot is no member there and can write only with the tokens of presses (`InteractionPass`)."""

    @property
    def effective(self) -> Json:
        """The settings in effect: own ones, and inherited ones."""
        return {**self.inherited, **self.settings}


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of a game: `number` is the order of joining from 0, `seat` the index in the game after the draw.

    Either `person` or `computer` (a level) is set; neither while it is open, or reserved for a `name` not known yet.
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
    """A game without its position, for lists.

    `to_move` is the person it waits for, since `waiting_since`; `turn` counts finished turns. `alarm_at` is when it is
    due for processing, `reminder` whether somebody was reminded. `thinking` says that a computer is to move or to
    answer an offer.

    In a person's list, `waiting` says that the game waits for their move or answer. `unread` names stored parts that
    cannot be read.
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
    """A game with its current position, its last turn for the picture, and its secret seed (hexadecimal).

    `chance` is the people's contribution to its randomness, None for a game of a version without one.
    """

    rules_version: int
    seed: str = field(repr=False)
    seed_hash: str
    chance: Json | None = None
    position: Json | None
    last_turn: Json | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """A game to be created, in its lobby; without an `id` the store generates one."""

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
    """An event to be added to a game; `person` is its author, if any.

    `cause` names its cause if that is not the platform's event.
    """

    kind: str
    data: Json = field(default_factory=dict)
    person: int | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a game or a competition, numbered from 1; `cause` names the platform's event ("platform:id").

    `moves` is the number of the clock's last move before an event of a competition (`storage/clock.py`).
    """

    game: str
    number: int
    kind: str
    data: Json
    person: int | None
    at: datetime
    cause: str | None = None
    moves: int = 0


@dataclass(frozen=True, slots=True)
class NewResult:
    """The result of a seat: `place_number` is 1 for the best and equal for shared places.

    `pool` separates games against computers; `mu` and `sigma` are the person's rating after a rated game.
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
    """A person's rating in a game and its uncertainty; the empty `game_key` is for all games together."""

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
        """The number of rated games."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class Standing:
    """A person's rated results of one game, or of all, in one place."""

    person: int
    name: str
    played: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Doer:
    """The author and place of an event as a process knew them, checked again in the transaction that records it."""

    user: str
    person: int
    place: int


@dataclass(frozen=True, slots=True)
class ProcessedEvent:
    """A platform's event, with what is needed to answer it the same way when it is delivered again.

    With a `doer` it is only stored while they are still the same person and not banned.
    """

    platform: str
    event: str
    reply: Json | None = None
    doer: Doer | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RequestSource:
    """The author and the place of a platform's event; `handled` is what was stored when it was processed before.

    `can_dm` is that of the identity. `is_game_here` says that the game which the event is about is shown there.
    """

    person: Person
    place: PlaceRow
    processed: ProcessedEvent | None = None
    can_dm: bool | None = None
    is_game_here: bool = False


@dataclass(frozen=True, slots=True)
class NewNotice:
    """A notice to a person about a subject, sent once; without `due_at` only a board delivers it."""

    person: int
    kind: str
    subject: str
    due_at: datetime | None = None
    route: str | None = None


@dataclass(frozen=True, slots=True)
class PastNotice:
    """Outdated notices of a game: of a kind, perhaps only about one subject, or to one person."""

    kind: str
    subject: str | None = None
    person: int | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice to a person about a subject: its route, None until decided, and its place.

    `due_at` is when it is processed next, None when it was delivered or a board delivers it; `attempts` is the number
    of failures in a row.
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
    """One step of a game, stored completely or not at all.

    `game` is the new row, made with `dataclasses.replace` from the row that was read: its `revision` is compared, and
    so are the columns of `before`, the row as read, that change without an event. `events` holds at least one event, so
    that every change counts. `unplanned` says that nobody's plans were checked.
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
