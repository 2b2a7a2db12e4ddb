"""The shapes of stored JSON: every key is declared, so that a damaged key makes a value unreadable."""

from datetime import MAXYEAR, datetime
from typing import Annotated, Any, Literal, NotRequired, Required

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, with_config
from typing_extensions import TypedDict

# Shapes nested in a closed shape are closed as well, unless declared open.
_closed = with_config(ConfigDict(extra="forbid"))
_open = with_config(ConfigDict(extra="allow"))


def _check_time(text: str) -> str:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None or time.year == MAXYEAR:
        raise ValueError("no time that one can reckon with")
    return text


Number = Annotated[int, Field(ge=-(2**31), lt=2**31)]
"""A number that fits into an integer column of the database."""
Hex = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{2})+$")]
Time = Annotated[str, AfterValidator(_check_time)]
Texts = list[str]
TextByNumber = dict[Annotated[str, StringConstraints(pattern=r"^\d+$")], str]


@_open
class Position(TypedDict):
    """A position. Only the key of its game is declared here: the game's rules read and check the rest."""

    game: str


# The page's messages: the bot's cards (with `rows`) and people's messages (with `name`).


class _CardTime(TypedDict):
    at: Time
    style: str


_WithTime = TypedDict("_WithTime", {"moment": NotRequired[_CardTime]})  # noqa: UP013 - no name of ours


class _CardSpan(_WithTime, total=False):
    text: Required[str]
    bold: bool
    code: bool
    small: bool
    pinned: bool
    person: Number


class _CardButton(TypedDict):
    label: str
    press: str
    style: Literal["plain", "primary", "danger"]
    disabled: bool
    people: NotRequired[list[Number]]
    without: NotRequired[list[Number]]
    managers: NotRequired[bool]
    choice: NotRequired[bool]


class _CardMenu(TypedDict):
    placeholder: str
    options: list[_CardButton]


class _Moving(TypedDict):
    width: Number
    height: Number
    digest: str


class _CardPicture(TypedDict):
    alt: str
    name: str
    width: Number
    height: Number
    spots: dict[str, tuple[Number, Number, Number]]
    cells: NotRequired[dict[str, str] | None]
    captures: NotRequired[list[str]]
    digest: str
    moving: NotRequired[_Moving]
    dark: NotRequired[str]


class _CardField(TypedDict):
    name: str
    kind: Literal["choice", "several", "yes-no", "number", "text", "people"]
    label: str
    about: str
    value: str
    error: str
    options: list[tuple[str, str]]
    least: Number | None
    most: Number | None
    leads: NotRequired[bool]
    section: NotRequired[str]


class _CardForm(TypedDict):
    press: str
    submit: str
    again: NotRequired[tuple[str, str] | None]
    fields: list[_CardField]


class _CardTile(TypedDict):
    label: str
    note: str
    lead: str
    press: str
    person: Number | None
    code: str
    game: str
    revision: Number


class _CardPanel(TypedDict):
    title: str
    tiles: list[_CardTile]


class _CardPage(TypedDict):
    text: list[_CardSpan]
    actions: list[_CardButton]
    panels: list[_CardPanel]
    tabs: NotRequired[list[list[_CardButton]]]


class _CardFile(TypedDict):
    name: str
    data: NotRequired[str]


class _Sitting(TypedDict):
    name: str
    person: Number | None
    level: str | None
    number: Number | None


class _CardTable(TypedDict):
    code: str
    game: str
    status: str
    revision: Number
    position: Number
    sitting: list[_Sitting]
    mover: Number | None
    firsts: list[Number]
    heads: NotRequired[TextByNumber]
    awaited: NotRequired[list[Number]]
    again: NotRequired[str | None]
    votes: NotRequired[str]
    unusual: NotRequired[bool]
    live: NotRequired[bool]


class _CardLot(TypedDict):
    code: str
    revision: Number
    heads: TextByNumber
    awaited: list[Number]
    cup: bool


class _CardLine(TypedDict):
    label: str
    press: str
    depth: Number
    here: bool
    note: str
    plan: bool


class _Used(TypedDict):
    name: str
    text: str


class _Quote(TypedDict):
    id: Number
    name: str
    text: str


@_closed
class _BotCard(TypedDict, total=False):
    text: Required[list[_CardSpan]]
    picture: Required[_CardPicture | None]
    rows: Required[list[list[_CardButton] | _CardMenu]]
    presses: Required[dict[str, str]]
    calls: Required[list[Number]]
    file: _CardFile | None
    table: _CardTable | None
    about: str | None
    lot: _CardLot | None
    tree: list[_CardLine]
    search: str | None
    form: _CardForm
    page: _CardPage
    retired: bool
    used: _Used
    parent: Number
    sheet: bool


@_closed
class _SaidCard(TypedDict):
    name: str
    event: NotRequired[str | None]
    answers: NotRequired[_Quote | None]


RoomCard = _BotCard | _SaidCard


# Replies to events that a platform may deliver again.


class _ReplyRow(TypedDict):
    buttons: list[tuple[str, str, str, bool]]
    placeholder: NotRequired[str]


_ReplySpan = (
    tuple[str, bool, bool, Number | None]
    | tuple[str, bool, bool, Number | None, bool, tuple[Time, str] | None, str | None, str | None]
)


class _ReplyCard(TypedDict):
    text: list[_ReplySpan]
    rows: list[_ReplyRow]
    presses: dict[str, str]


@_closed
class StoredReply(TypedDict):
    """The stored reply to an event of a platform."""

    card: _ReplyCard | None
    private: bool
    update: bool
    apart: NotRequired[bool]
    secret: NotRequired[bool]


# Games.


@_closed
class StoredChance(TypedDict, total=False):
    """People's contributions to the randomness of a game."""

    ids: TextByNumber
    heads: TextByNumber
    new: TextByNumber
    chains: list[tuple[Number, Number, str]]
    spent: Number
    done: list[Number]
    drawn: Number


Options = dict[str, str | Number]


@_closed
class StoredOutcome(TypedDict):
    """How a game ended."""

    reason: str
    places: NotRequired[list[Number]]
    details: NotRequired[dict[str, Any]]


@_closed
class EventData(TypedDict, total=False):
    """The details of an event of any kind, read in `bot/kernel/`."""

    action: str
    seat: Number
    draw: Number
    auto: bool
    why: str
    ids: list[tuple[Number, str]]
    seats: Number | list[Number]
    options: Options
    by: str
    level: str | Number
    what: str
    to: Number
    person: Number
    computer: str
    reason: str
    stage: Number
    on: bool
    game: str
    votes: tuple[Number, Number]
    plan: Number
    used: Number
    charged: Number
    seconds: Number


class _Choice(TypedDict):
    turn: Number
    seat: Number
    begun: Number
    played: Texts
    better: Texts
    before: float
    after: float
    proven: NotRequired[bool]
    turns: NotRequired[Number | None]
    within: NotRequired[Number | None]
    expected: NotRequired[bool]


class _Swing(TypedDict):
    turn: Number
    seat: Number
    dice: str
    before: float
    after: float


class _Alternative(TypedDict):
    turn: Number
    begun: Number
    actions: Texts
    key: tuple[Number, Number]


class _Judged(TypedDict):
    alternative: _Alternative
    value: float
    played: float


class _FoundMoment(TypedDict):
    choice: _Choice
    values: dict[str, float]


class _GoodTurn(TypedDict):
    turn: Number
    played: Texts
    margin: float


class _OwnMoments(TypedDict):
    version: Literal[2]
    moments: list[_FoundMoment]
    good: _GoodTurn | None


@_open
class _OlderMoments(TypedDict):
    version: Literal[1]


@_closed
class _Analysis(TypedDict):
    version: Literal[4]
    points: list[list[float]]
    moments: list[_Choice]
    swings: list[_Swing]
    settled: list[tuple[Number, Number, list[float]]]
    best_alternative: NotRequired[_Judged]
    own: NotRequired[dict[str, _OwnMoments | _OlderMoments]]


@_open
class _OlderAnalysis(TypedDict):
    version: Literal[1, 2, 3]


StoredAnalysis = _Analysis | _OlderAnalysis
"""An analysis; one from an older version is repeated when a person asks for it."""


@_closed
class StoredTryout(TypedDict):
    """A person's tree of tried lines, read by `bot/kernel/tree.py`; an unreadable tree is replaced by an empty one."""

    roots: list[tuple[Number, Number, Number, str, Position, dict[str, Any]]]
    nodes: list[tuple[Number, Number, Texts, str, bool]]
    here: Number
    begun: list[Texts]
    tip: Number
    last: Number
    checked: Number
    stopped: str
    guesses: NotRequired[bool]


@_closed
class _Nothing(TypedDict):
    pass


# Lessons and puzzles.


class _StoredTurn(TypedDict):
    number: Number
    seat: Number
    actions: Texts
    before: Position


class _StoredLine(TypedDict):
    finished: _StoredTurn | None
    begun: _StoredTurn | None
    draws: Number
    turns: NotRequired[list[Number]]
    earlier: NotRequired[dict[str, Any]]


@_closed
class _LessonState(TypedDict):
    position: Position
    last_turn: _StoredLine
    at: Number
    done: bool
    tries: Number
    turns: Number


LessonState = _LessonState | _Nothing


@_closed
class PuzzleData(TypedDict):
    """A puzzle as in the puzzle files."""

    id: str
    position: Position
    goal: list[str | Number]
    tree: list[list[Any]]
    size: Number
    difficulty: Number
    motif: str


@_closed
class MistakeData(TypedDict):
    """The data of a moment from a person's own finished game."""

    id: Number
    game: str
    names: Texts
    position: Position
    found: _FoundMoment
    at: Number
    count: Number


class _Solving(TypedDict):
    puzzle: str
    done: list[Texts]
    begun: list[Texts]
    wrong: Number
    hints: Number
    solved: bool


@_closed
class AttemptState(TypedDict, total=False):
    """A person's progress with a puzzle."""

    solving: _Solving
    over: str
    first: bool
    hinted: Number
    own: MistakeData
    played: PuzzleData


@_closed
class _Repetition(TypedDict):
    card_id: Number
    state: Number
    step: Number | None
    stability: float | None
    difficulty: float | None
    due: Time
    last_review: Time | None


RepetitionState = _Repetition | _Nothing


# Small values of platforms' adapters and features.


@_closed
class _Commands(TypedDict):
    digest: str
    bot: NotRequired[int]
    ids: NotRequired[dict[str, int]]


@_closed
class _Offset(TypedDict):
    next: int
    bot: int
    updates: NotRequired[list[dict[str, Any]]]


@_closed
class _Passing(TypedDict):
    owner: int
    until: Time


@_closed
class _Half(TypedDict):
    tap: str
    at: Time
    game: str
    revision: int
    answers: dict[str, str]


@_closed
class _GuestBoard(TypedDict):
    channel: str


@_closed
class _Launch(TypedDict):
    game: str
    at: int


@_closed
class _Key(TypedDict):
    key: Hex


@_closed
class _Trial(TypedDict):
    text: str


@_closed
class _Suggested(TypedDict):
    suggested_at: Time


@_closed
class _ClockTotal(TypedDict):
    number: int
    microseconds: int


KeyValue = (
    _Commands | _Offset | _Passing | _Half | _GuestBoard | _Launch | _Key | _Trial | _Suggested | _ClockTotal | _Nothing
)


StaleMessages = list[str | tuple[str, int | None]]
TextByName = dict[str, str]
