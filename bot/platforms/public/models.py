"""Parameters and responses of the API as pydantic models, from which its description and its JSON are generated."""

import datetime as dt
import re
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from bot.kernel.presses import read_number
from engine import games
from storage import Json
from storage.schema import SLOW, Pace

MAX_ITEMS: Final = 100
DEFAULT_ITEMS: Final = 30
MAX_TURNS: Final = 500
ID_PATTERN: Final = "^[A-Za-z0-9_-]{22}$"
_DATE_PATTERN: Final = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


def _read_number(text: Any) -> int:
    if (number := read_number(str(text), 6)) is None:
        raise ValueError(text)
    return number


def _read_date(text: Any) -> dt.date:
    if not re.fullmatch(_DATE_PATTERN, str(text)):
        raise ValueError(text)
    return dt.date.fromisoformat(text)


def _check_game(key: str) -> str:
    if key not in games:
        raise ValueError(key)
    return key


PageId = Annotated[str, Field(pattern=ID_PATTERN)]
Number = Annotated[int, Field(ge=0)]
Url = Annotated[str, Field(json_schema_extra={"format": "uri"})]
Date = Annotated[dt.date, Field(json_schema_extra={"pattern": _DATE_PATTERN})]
Missing = SkipJsonSchema[None]
"""The value of a missing parameter."""
_AskedDate = Annotated[Date, BeforeValidator(_read_date)]
_GameKey = Annotated[str, AfterValidator(_check_game), WithJsonSchema({"type": "string", "enum": list(games)})]
_Limit = Annotated[int, Field(ge=1, le=MAX_ITEMS, description="How many at most."), BeforeValidator(_read_number)]
_Cursor = Annotated[PageId | Missing, Field(description="What `next` of the page before says.")]


class Asked(BaseModel):
    """The parameters of an operation; others that are given mean nothing."""

    model_config = ConfigDict(frozen=True)


class AskedPage(Asked):
    """What is found by the id of its page."""

    id: PageId = Field(description="The id, as the address of its page has it.")


class AskedList(Asked):
    """A page of a list."""

    limit: _Limit = DEFAULT_ITEMS
    cursor: _Cursor = None


class AskedGames(AskedList):
    """A page of the list of games."""

    game: _GameKey | Missing = Field(None, description="Only of this game.")
    status: Literal["playing", "over"] | Missing = Field(None, description="Only running or finished ones.")
    player: PageId | Missing = Field(None, description="Only those of a player, by the id of their page.")
    cup: PageId | Missing = Field(None, description="Only those of a cup, by the id of its page.")
    league: PageId | Missing = Field(None, description="Only those of a league, by the id of its page.")
    ladder: PageId | Missing = Field(None, description="Only those of a ladder, by the id of its page.")


class AskedTurns(AskedPage):
    """Some turns of a game."""

    limit: Annotated[int, Field(ge=1, le=MAX_TURNS), BeforeValidator(_read_number)] = Field(
        100, description="How many at most."
    )
    cursor: Annotated[int, Field(ge=0, le=999_999), BeforeValidator(_read_number)] | Missing = Field(
        None, description="After which turn."
    )


class AskedPuzzles(Asked):
    """A page of the list of puzzles."""

    limit: _Limit = DEFAULT_ITEMS
    cursor: _AskedDate | Missing = Field(None, description="What `next` of the page before says.")


class AskedPuzzle(Asked):
    """The puzzle of a date."""

    date: _AskedDate = Field(description="A date.")


class AskedRatings(AskedList):
    """A page of the list of ratings."""

    game: _GameKey = Field(next(iter(games)), description="Which game.")
    pace: Pace = Field(SLOW, description="Ratings of slow games, or of live ones.")


class Answer(BaseModel):
    """What is answered: exactly these fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Item = TypeVar("Item", bound=BaseModel)


class ListPage(Answer, Generic[Item]):
    """A page of a list; `next` is the cursor of the one after it."""

    items: list[Item]
    next: PageId | None


class Index(Answer):
    """Where everything is."""

    description: str
    documentation: Url
    links: dict[str, str]


class Seat(Answer):
    """A place in a game, and who has it."""

    seat: Number
    name: str
    computer: int | None = Field(description="The level of a computer player.")
    player: PageId | None


class Outcome(Answer):
    """How a game ended."""

    reason: str
    places: list[Number] | None = Field(description="By seat, 1 for the best, equal if shared.")


class GameSummary(Answer):
    """A game in a list."""

    id: PageId
    url: Url
    game: str
    status: Literal["playing", "over"]
    players: list[Seat]
    to_move: int | None
    turns: Number = Field(description="How many are finished.")
    rated: bool = Field(description="Whether its result counts for ratings.")
    pace: Pace = Field(description="In which ratings it counts: those of live games, or of all others.")
    created_at: dt.datetime
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    outcome: Outcome | None
    links: dict[str, Url]


class Game(GameSummary):
    """A game without its turns."""

    options: Json
    rules_version: int
    revision: Number
    position: Json = Field(description="As docs/rules describes it for each game.")
    seed_hash: str
    seed: str | None = Field(description="Once the game is over.")


class GameProgress(Answer):
    """How far a game has come, for its page."""

    revision: Number
    status: str


class GameList(ListPage[GameSummary]):
    """A page of the list of games."""


class Turn(Answer):
    """A turn of a game."""

    number: int = Field(ge=1)
    seat: int | None = Field(description="Null for chance alone.")
    actions: list[str]
    finished: bool = Field(description="False for a turn that has only begun: the last one of a list.")


class TurnList(Answer):
    """Some turns of a game."""

    items: list[Turn]
    next: int | None


class Entrant(Answer):
    """A person in a competition."""

    entrant: Number = Field(description="The number of a person within this competition.")
    name: str | None = Field(description="Null for a person who is not shown.")
    player: PageId | None


class Standing(Entrant):
    """A row of a table."""

    place: int | None
    points: str


class Pairing(Answer):
    """A game of a competition."""

    entrants: list[int] = Field(description="By seat; -1 is a computer.")
    places: list[Number] | None = Field(description="By seat, null while it goes on.")
    game: PageId | None


class _Competition(Answer):
    id: PageId
    url: Url
    game: str
    status: Literal["open", "running", "over"]
    created_at: dt.datetime
    ended_at: dt.datetime | None


class CupSummary(_Competition):
    """A cup in a list."""

    format: str
    entrants: Number
    rounds_planned: Number


class Round(Answer):
    """A round of a cup."""

    number: Number
    pairings: list[Pairing]
    byes: list[Number]


class Cup(CupSummary):
    """A cup with its table and its rounds."""

    table: list[Standing]
    rounds: list[Round]


class CupList(ListPage[CupSummary]):
    """A page of the list of cups."""


class LeagueSummary(_Competition):
    """A league in a list."""

    members: Number = Field(description="How many are in, those who wait for the next season, too.")
    season_days: Number = Field(description="How many days a season lasts.")
    season_number: int | None = Field(description="Null before the first season.")


class Division(Answer):
    """A division of a season."""

    number: Number
    table: list[Standing]
    pairings: list[Pairing]


class Season(Answer):
    """A season of a league."""

    number: Number
    starts_at: dt.datetime
    ends_at: dt.datetime
    over: bool
    divisions: list[Division]


class League(LeagueSummary):
    """A league with its newest season and the one before."""

    season: Season | None
    season_before: Season | None
    queue: list[Entrant]


class LeagueList(ListPage[LeagueSummary]):
    """A page of the list of leagues."""


class LadderSummary(_Competition):
    """A ladder in a list."""

    people: Number
    answer_days: Number = Field(description="For how many days a challenge waits for its answer.")


class Rung(Entrant):
    """A place on a ladder."""

    place: Number


class Challenge(Answer):
    """An open challenge on a ladder."""

    challenger: Number
    challenged: Number
    made_at: dt.datetime
    answer_by: dt.datetime
    accepted: bool
    game: PageId | None


class Ladder(LadderSummary):
    """A ladder from the top down, with the challenges that are open."""

    places: list[Rung]
    challenges: list[Challenge]


class LadderList(ListPage[LadderSummary]):
    """A page of the list of ladders."""


class Goal(Answer):
    """What a puzzle asks for."""

    kind: str
    turns: Number


class Puzzle(Answer):
    """The puzzle of a date."""

    date: Date
    url: Url
    game: str
    position: Json
    seat: Number
    goal: Goal
    motif: str
    solution: list[list[str]]


class PuzzleList(Answer):
    """A page of the list of puzzles."""

    items: list[Puzzle]
    next: dt.date | None


class Rating(Answer):
    """A rating in one game."""

    game: str
    pace: Pace = Field(description="Whether it is that of live games, or of all others.")
    points: Number
    ranked: bool = Field(
        description="Whether it has enough games for a leaderboard; if not, the points are a first guess."
    )
    wins: Number
    draws: Number
    losses: Number


class RankedPlayer(Rating):
    """A rating in one game, and whose it is."""

    name: str
    player: PageId


class RatingList(ListPage[RankedPlayer]):
    """A page of the list of ratings."""


class Title(Answer):
    """A title that a person has won."""

    kind: str
    game: str
    period: str
    earned_at: dt.datetime


class Player(Answer):
    """A person who wants a page."""

    id: PageId
    url: Url
    name: str
    ratings: list[Rating] = Field(description="Those of slow games.")
    live_ratings: list[Rating]
    titles: list[Title]


class Problem(BaseModel):
    """Why a request is not answered (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str | Missing = None
