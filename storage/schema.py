"""The tables and their rows. A change here needs a migration: `python tools/new_migration.py "what it does"`.

Each table is declared once. SQLAlchemy's Declarative builds the columns from the annotations of the row class
(`mapped_column` in `Annotated`); the default value of a field is that of its column. The column types are in
storage/columns.py.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal, TypeVar, get_type_hints

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    MetaData,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from storage import shapes
from storage.agreements import GameProgress, Offers, Reminder, StoredOffers, StoredTerms, Terms
from storage.columns import (
    BigInteger,
    Count,
    Figure,
    Integer,
    Json,
    JsonText,
    PersonSettings,
    PlaceSettings,
    PlainText,
    RowData,
    String,
    Utc,
)

GameStatus = Literal["lobby", "playing", "over"]
SeatState = Literal["open", "invited", "joined", "declined"]
Mark = Literal["win", "draw", "loss"]
PageKind = Literal["game", "competition", "person"]
Pace = Literal["slow", "live"]
"""How fast games are played: people have separate ratings at each pace."""

PEOPLE_POOL: Final = "people"
"""The rating pool of games among people."""
SLOW: Final = "slow"
LIVE: Final = "live"
PACES: Final[tuple[Pace, ...]] = (SLOW, LIVE)
FIRST_MU: Final = 25.0
FIRST_SIGMA: Final = FIRST_MU / 3
"""The initial rating of a person, also instead of an unreadable one."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class _Base(DeclarativeBase):
    metadata = metadata
    type_annotation_map: Mapping[Any, Any] = {
        datetime: Utc,
        float: Figure,
        int: Integer,
        str: PlainText,
        **dict.fromkeys((GameStatus, SeatState, Mark, PageKind, Pace), PlainText),
    }


class DeclaredTable:
    """A table, or an alias of one, whose columns are its attributes: `games.id`.

    SQLAlchemy accepts it in place of a table (`__clause_element__`); other attributes of a table are in `table`.
    """

    def __init__(self, table: Any) -> None:
        self.table: Any = table

    def __clause_element__(self) -> Any:
        return self.table

    def alias(self, name: str) -> "DeclaredTable":
        """Return the table under another name, for a query that uses it twice."""
        return DeclaredTable(self.table.alias(name))

    def __getitem__(self, name: str) -> Column[Any]:
        column: Column[Any] = self.table.c[name]
        return column

    def __getattr__(self, name: str) -> Column[Any]:
        if name not in self.table.c:
            raise AttributeError(name)
        return self[name]


T = TypeVar("T")
_TABLES: Final[dict[type, DeclaredTable]] = {}
_MAPPED: Final[Any] = Mapped


def declare(
    name: str,
    row: type | None,
    /,
    *constraints: SchemaItem,
    indexed: Iterable[str] = (),
    without: Collection[str] = (),
    **more: Any,
) -> DeclaredTable:
    """Return the table of a row class; `more` are columns without a field, `without` are fields without a column.

    Each of the columns `indexed` has an index of its own.
    Columns in `more` replace those of fields with the same name. A table whose rows are never objects has no row class.
    """
    kind: Any = row
    own = get_type_hints(kind, include_extras=True) if row is not None else {}
    hints = {**more, **{key: hint for key, hint in own.items() if key not in without}, **more}
    defaults = {
        each.name: mapped_column(default=each.default)
        for each in (fields(kind) if row is not None else ())
        if each.default not in (MISSING, None) and each.name in hints and each.name not in more
    }
    mapped: Any = type(
        name,
        (_Base,),
        {"__tablename__": name, "__table_args__": (*constraints, *(Index(None, each) for each in indexed))}
        | {"__annotations__": {key: _MAPPED[hint] for key, hint in hints.items()}}
        | defaults,
    )
    table = DeclaredTable(mapped.__table__)
    if row is not None:
        _TABLES.setdefault(row, table)
    return table


def columns_of(row: type, table: DeclaredTable | None = None) -> list[Column[Any]]:
    """Return the columns of a row class, in its own table or in another one, such as an alias."""
    source = table or _TABLES[row]
    return [source[each.name] for each in fields(row) if each.name in source.table.c]


def read_row(row_class: type[T], row: RowData, prefix: str = "") -> T:
    """Return an object of a row class from the columns of a database row whose names begin with a prefix."""
    return row_class(**{each.name: row[prefix + each.name] for each in fields(row_class)})  # type: ignore[arg-type]


def labelled(prefix: str, columns: Iterable[Column[Any]]) -> list[Any]:
    """Return columns labelled with a prefix, for a query with other columns of the same names."""
    return [column.label(prefix + column.name) for column in columns]


Id = Annotated[int, mapped_column(primary_key=True)]
TextId = Annotated[str, mapped_column(primary_key=True)]
Code = Annotated[str, mapped_column(String(6), primary_key=True)]
PersonId = Annotated[int, mapped_column(ForeignKey("people.id"))]
PaceKey = Annotated[Pace, mapped_column(PlainText, primary_key=True)]
PersonKey = Annotated[int, mapped_column(ForeignKey("people.id"), primary_key=True)]
PlaceId = Annotated[int, mapped_column(ForeignKey("places.id"))]
PlaceKey = Annotated[int, mapped_column(ForeignKey("places.id"), primary_key=True)]
GameId = Annotated[str, mapped_column(String(6), ForeignKey("games.id"))]
GameKey = Annotated[str, mapped_column(String(6), ForeignKey("games.id"), primary_key=True)]
CompetitionId = Annotated[str, mapped_column(String(6), ForeignKey("competitions.id"))]
CompetitionKey = Annotated[str, mapped_column(String(6), ForeignKey("competitions.id"), primary_key=True)]
Counted = Annotated[int, mapped_column(Count)]
Mu = Annotated[float, mapped_column(Figure(FIRST_MU))]
Sigma = Annotated[float, mapped_column(Figure(FIRST_SIGMA))]
Texts = Annotated[tuple[str, ...], mapped_column(JsonText(tuple[str, ...]))]


def stored_json(shape: Any, **options: Any) -> Any:
    """Return a column for JSON of a shape, for an annotation."""
    return mapped_column(JsonText(shape, **options))


def partial_index(name: str, *columns: str, where: str, where_sqlite: str | None = None) -> Index:
    """Return an index of the rows that fulfil a condition."""
    return Index(name, *columns, postgresql_where=text(where), sqlite_where=text(where_sqlite or where))


def due_index(name: str, column: str = "due_at") -> Index:
    """Return an index of the rows that have a time."""
    return partial_index(name, column, where=f"{column} IS NOT NULL")


def flag_index(name: str, column: str, flag: str) -> Index:
    """Return an index of the rows with a flag."""
    return partial_index(name, column, where=flag, where_sqlite=f"{flag} = 1")


@dataclass(frozen=True, slots=True)
class Person:
    """A person on any platforms; `language` is the platform's, `settings` are the person's choices."""

    id: Id
    name: str
    language: str | None = None
    settings: Annotated[Json, stored_json(PersonSettings, in_parts=True)] = field(default_factory=dict)

    @property
    def team_place(self) -> int | None:
        """The place of a team; None for a human being."""
        place: int | None = self.settings.get("team")
        return place

    @property
    def team_name(self) -> str | None:
        """The name of a named team in a place; None for a whole place and for a human being."""
        name: str | None = self.settings.get("team_name")
        return name


# `merged_into` is the person into whom a linked person was merged.
people = declare("people", Person, indexed=("merged_into",), created_at=datetime, merged_into=int | None)


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as one platform knows them.

    `can_dm` says whether a private message reaches them there, None if unknown.
    """

    platform: TextId
    user_id: TextId
    person: PersonId
    name: str
    language: str | None = None
    can_dm: bool | None = None


# `previous_person` is the person to whom the identity belonged before it was linked.
identities = declare("identities", Identity, indexed=("person", "name_key"), name_key=str, previous_person=int | None)


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A channel of a platform, or a thread in it; `group` is the server or group that it belongs to.

    Missing settings are `inherited`: by a thread from its channel, by a channel from its group, for which there is a
    place with the group's id as its channel.
    """

    id: Id
    platform: str
    channel: str
    thread: str | None = None
    group: str | None = None
    kind: Literal["group", "private"] = "group"
    title: str = ""
    settings: Annotated[Json, stored_json(PlaceSettings, in_parts=True)] = field(default_factory=dict)
    inherited: Json = field(default_factory=dict)
    guest: bool = False
    """True if the bot is not a member there and can write only with the tokens of presses (`InteractionPass`)."""
    of_group: Json = field(default_factory=dict)
    """The settings of the whole server or group, which are part of the inherited ones."""
    daily_hour: int | None = None
    """The local hour of the daily puzzle, None without a subscription."""

    @property
    def effective(self) -> Json:
        """The settings in effect: the inherited ones, overridden by the place's own."""
        return {**self.inherited, **self.settings}


places = declare(
    "places",
    PlaceRow,
    UniqueConstraint("platform", "channel", "thread"),
    Index(None, "platform", "group_id"),
    flag_index("ix_places_public", "public", "public"),
    without=("group", "inherited", "of_group", "daily_hour"),
    thread=str,  # empty instead of NULL, because NULLs would not be unique
    kind=str,
    group_id=str | None,
    public=bool | None,  # repeats the setting of that name, for lists of all places with it
)


members = declare(
    "members",
    None,
    Index(None, "place", "seen_at"),
    indexed=("person",),
    place=PlaceKey,
    person=PersonKey,
    seen_at=datetime,
)


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of a game: `number` is the order of joining from 0, `seat` the index in the game after the draw.

    Either `person` or `computer` (a level) is set; neither while the seat is open, or reserved for an unknown `name`.
    `joined_by` is the platform's id of the event by which it was taken.
    """

    number: Id
    state: SeatState = "joined"
    seat: int | None = None
    person: PersonId | None = None
    computer: str | None = None
    name: str = ""
    joined_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GameBrief:
    """A game without its position, for lists.

    `to_move` is the person for whom the game waits, since `waiting_since`; `turn` counts finished turns. `alarm_at` is
    when the game is due for processing, `reminder` whether a person was reminded. `thinking` says that a computer is to
    move or to answer an offer.

    In a person's list, `waiting` says that the game waits for their move or answer. `unread` names stored parts that
    cannot be read.
    """

    id: Code
    game: str
    status: GameStatus
    place: PlaceId
    starter: PersonId
    seat_count: int
    seats: tuple[Seat, ...]
    options: Annotated[Json, stored_json(shapes.Options)]
    revision: int
    turn: int
    to_move: PersonId | None
    waiting_since: datetime
    deadline: datetime | None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    outcome: Annotated[Json | None, stored_json(shapes.StoredOutcome)]
    alarm_at: datetime | None = None
    terms: Annotated[Terms, stored_json(StoredTerms, in_parts=True)] = field(default_factory=Terms)
    progress: GameProgress = field(default_factory=GameProgress)
    offers: Annotated[Offers, stored_json(StoredOffers, in_parts=True)] = field(default_factory=Offers)
    reminder: Reminder | None = None
    thinking: bool = False
    waiting: bool = False
    unread: tuple[str, ...] = ()

    @property
    def is_lobby(self) -> bool:
        """True before the start, while people join."""
        return self.status == "lobby"

    @property
    def is_playing(self) -> bool:
        """True between the start and the end."""
        return self.status == "playing"

    @property
    def is_over(self) -> bool:
        """True after the end."""
        return self.status == "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRow(GameBrief):
    """A game with its current position, its last turn for the picture, and its secret seed (hexadecimal).

    `chance` is the people's contribution to its randomness, None for games from versions without it.
    """

    rules_version: int
    seed: str = field(repr=False)
    seed_hash: str
    chance: Annotated[Json | None, stored_json(shapes.StoredChance, in_parts=True)] = None
    position: Annotated[Json | None, stored_json(dict)]
    last_turn: Annotated[Json | None, stored_json(dict)]


games = declare(
    "games",
    GameRow,
    CheckConstraint("status IN ('lobby', 'playing', 'over')", name="status"),
    partial_index("ix_games_live", "status", where="status <> 'over'"),
    due_index("ix_games_alarm_at", "alarm_at"),
    flag_index("ix_games_thinking", "waiting_since", "thinking"),
    without=("seats", "progress", "reminder", "waiting", "unread"),
)

# `live` (here and in game_places) repeats that the game is unfinished, so that the index has only unfinished games.
seats = declare(
    "seats",
    Seat,
    UniqueConstraint("game", "seat"),
    UniqueConstraint("game", "person"),
    flag_index("ix_seats_live", "person", "live"),
    game=GameKey,
    live=bool,
)


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a game or a competition, numbered from 1; `cause` names the platform's event ("platform:id").

    `moves` is the number of the clock's last move before an event of a competition (`storage/clock.py`).
    """

    game: GameKey
    number: Id
    kind: str
    data: Annotated[Json, stored_json(shapes.EventData, in_parts=True)]
    person: PersonId | None
    at: datetime
    cause: str | None = None
    moves: int = 0


_PLANNED: Final = text("cause LIKE 'plan:%'")
events = declare(
    "events",
    Event,
    # At most one planned turn answers an event.
    Index("ix_events_planned", "game", "cause", unique=True, postgresql_where=_PLANNED, sqlite_where=_PLANNED),
    without=("moves",),
)


@dataclass(frozen=True, slots=True)
class NewResult:
    """The result of a seat: `place_number` is 1 for the best and equal for shared places.

    `pool` separates games against computers, `pace` live games; `mu` and `sigma` are the person's rating after a rated
    game.
    """

    seat: Id
    place_number: Counted
    reason: str
    person: PersonId | None = None
    rated: bool = True
    pool: str = PEOPLE_POOL
    mu: float | None = None
    sigma: float | None = None
    pace: Pace = SLOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(NewResult):
    """A stored result; `mark`: win = sole first place, draw = shared first, loss = any other."""

    game: str
    game_key: str
    mark: Mark
    ended_at: datetime


# The game comes first in the primary key.
results = declare("results", Result, Index(None, "person", "game_key", "ended_at"), indexed=("ended_at",), game=GameKey)


@dataclass(frozen=True, slots=True)
class Rating:
    """A person's rating in a game at a pace, and its uncertainty; the empty `game_key` is for all games together."""

    person: PersonKey
    game_key: TextId
    mu: Mu
    sigma: Sigma
    wins: Counted = 0
    draws: Counted = 0
    losses: Counted = 0
    pool: TextId = PEOPLE_POOL
    pace: PaceKey = SLOW

    @property
    def played(self) -> int:
        """The number of rated games."""
        return self.wins + self.draws + self.losses


ratings = declare("ratings", Rating, Index(None, "game_key", "pool", "pace"))


@dataclass(frozen=True, slots=True)
class Lesson:
    """A person's progress in the lesson of a game; without a step the lesson was offered but never begun.

    `revision` counts its changes, `place` is where it was last continued, `state` is the data of the lesson.
    """

    id: Id
    person: PersonId
    game_key: str
    touched_at: datetime
    revision: int = 0
    step: str = ""
    state: Annotated[Json, stored_json(shapes.LessonState)] = field(default_factory=dict)
    place: PlaceId | None = None
    finished_at: datetime | None = None


lessons = declare("lessons", Lesson, UniqueConstraint("person", "game_key"))


@dataclass(frozen=True, slots=True)
class StoredTree:
    """A person's tree of lines in a game, on their private analysis board; `id` is None before it was stored.

    `revision` counts its changes, `tree` is read by `bot/kernel/tree.py`, `planned` says that a part of it is a plan,
    which is played automatically.
    """

    person: PersonId
    game: GameId
    tree: Annotated[Json, stored_json(shapes.StoredTryout, in_parts=True)] = field(default_factory=dict)
    revision: int = 0
    planned: bool = False
    id: int | None = None
    touched_at: datetime | None = None


analysis_boards = declare(
    "analysis_boards",
    StoredTree,
    UniqueConstraint("person", "game"),
    flag_index("ix_analysis_boards_planned", "game", "planned"),
    indexed=("touched_at",),
    id=Id,
    touched_at=datetime,
)


@dataclass(frozen=True, slots=True)
class FormDraft:
    """A person's choices in a form so far; `place` is the form's place if the form is shown in another one."""

    code: TextId
    person: PersonId
    form: str
    version: int
    chosen: Annotated[Mapping[str, str], stored_json(shapes.TextByName)]
    place: Annotated[int | None, mapped_column(ForeignKey("places.id"))]
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ClockMove:
    """A difference by which stored durations were moved; `at` is the time before the move, `number` counts from 1.

    The clock was set, or the program was not running. Times in history are not moved: to compare one with others, all
    moves made after it was stored are added to it.
    """

    number: Id
    at: datetime
    seconds: Annotated[int, mapped_column(BigInteger)]

    @property
    def by(self) -> timedelta:
        """The difference: positive if time was added."""
        return timedelta(seconds=self.seconds)


link_codes = declare("link_codes", None, indexed=("person",), code=TextId, person=PersonId, expires_at=datetime)
form_drafts = declare("form_drafts", FormDraft, indexed=("person", "place", "expires_at"))
# Heartbeats of the program: clocks stop while it is not running.
pulses = declare("pulses", None, name=TextId, at=datetime)
clock_moves = declare("clock_moves", ClockMove)
key_values = declare(
    "key_values", None, platform=TextId, name=TextId, value=Annotated[Json, stored_json(shapes.KeyValue)]
)
# All places where a game was ever shown: their lists and leaderboards include it.
game_places = declare(
    "game_places",
    None,
    flag_index("ix_game_places_live", "place", "live"),
    indexed=("game",),
    place=PlaceKey,
    game=GameKey,
    live=bool,
)
analyses = declare(
    "analyses", None, game=GameKey, found=Annotated[Json, stored_json(shapes.StoredAnalysis)], made_at=datetime
)


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban or a mute of a `person` and of all identities of a `browser` (matched by the prefix of their ids).

    `browser` is empty if unknown, `person` is None once forgotten, `until` is None if the ban has no end.
    """

    kind: str
    browser: str
    person: PersonId | None
    until: datetime | None

    def holds_for(self, person: int | None, browsers: Collection[str]) -> bool:
        """Return whether the ban applies to a person or to one of their browsers."""
        return (person is not None and person == self.person) or (self.browser != "" and self.browser in browsers)


bans = declare(
    "bans",
    Ban,
    due_index("ix_bans_until", "until"),
    indexed=("place", "person"),
    id=Id,
    place=PlaceId,
    made_at=datetime,
)


@dataclass(frozen=True, slots=True)
class Doer:
    """The author and place of an event as read before, checked again in the transaction that records it."""

    user: str
    person: int
    place: int


@dataclass(frozen=True, slots=True)
class ProcessedEvent:
    """A processed event of a platform, with the reply for repeated deliveries.

    With a `doer` it is stored only if they are still the same person and not banned.
    """

    platform: TextId
    event: TextId
    reply: Annotated[Json | None, stored_json(shapes.StoredReply, if_unreadable=None)] = None
    doer: Doer | None = field(default=None, compare=False)


processed_events = declare("processed_events", ProcessedEvent, indexed=("at",), without=("doer",), at=datetime)
