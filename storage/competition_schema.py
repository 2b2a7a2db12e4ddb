"""The tables of competitions and of channels that play as a team, and their rows."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final, Literal, get_args

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlalchemy.orm import mapped_column

from storage.columns import Json, PlainText
from storage.schema import (
    Code,
    CompetitionId,
    CompetitionKey,
    Event,
    GameId,
    GameKey,
    Id,
    PersonId,
    PersonKey,
    PlaceId,
    Rating,
    Texts,
    declare,
    due_index,
    stored_json,
)

CompetitionStatus = Literal["open", "running", "over"]
CompetitionKind = Literal["cup", "league", "ladder"]
COMPETITION_KINDS: Final[tuple[CompetitionKind, ...]] = get_args(CompetitionKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionRow:
    """A competition without its events; `due_at` is when it is to be processed, `seed` its secret random seed."""

    id: Code
    status: Annotated[CompetitionStatus, mapped_column(PlainText)]
    game_key: str
    place: PlaceId
    maker: PersonId
    seed: str = field(repr=False)
    seed_hash: str
    revision: int
    due_at: datetime | None
    created_at: datetime
    ended_at: datetime | None
    kind: Annotated[CompetitionKind, mapped_column(PlainText)] = "cup"

    @property
    def is_over(self) -> bool:
        """True after the end."""
        return self.status == "over"


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """The person behind an entrant number in the events of a competition; `person` is None for a computer.

    The events contain only entrant numbers, so that people can be merged and forgotten. `place` is where they entered,
    with the event `joined_by`; `inside` is true until they leave; `rank` is their final rank.
    """

    number: Id
    person: PersonId | None
    place: PlaceId | None
    joined_by: str
    inside: bool = True
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class NewTitle:
    """A title of a person, won in a season: its kind, game, `source` (a competition or a place) and `period`."""

    person: PersonId
    kind: str
    game_key: str
    source: str
    period: str


@dataclass(frozen=True, slots=True)
class Title(NewTitle):
    """A title with the time when it was won."""

    earned_at: datetime


# Competitions consist of events, as games do; bot/competitions/ interprets them.
competitions = declare(
    "competitions",
    CompetitionRow,
    CheckConstraint("status IN ('open', 'running', 'over')", name="status"),
    due_index("ix_competitions_due"),
    indexed=("place", "maker"),
)
competition_events = declare(
    "competition_events",
    Event,
    indexed=("person",),
    without=("game",),
    competition=CompetitionKey,
    data=Annotated[Json, stored_json(dict)],
)
entrants = declare(
    "entrants",
    EntrantRow,
    UniqueConstraint("competition", "person"),
    Index(None, "person", "rank"),
    indexed=("place",),
    competition=CompetitionKey,
)
competition_games = declare(
    "competition_games",
    None,
    UniqueConstraint("competition", "slot"),
    game=GameKey,
    competition=CompetitionId,
    slot=str,
)
# `original` is the person before a merge.
titles = declare(
    "titles",
    Title,
    UniqueConstraint("person", "kind", "game_key", "source", "period"),
    indexed=("original",),
    id=Id,
    original=PersonId,
)


@dataclass(frozen=True, slots=True)
class Side:
    """A team in a game, and its current round of votes, which is the revision of the position.

    The round closes at `closes_at`, None while there is nothing to vote on; since `changed_at` there are votes that the
    team's board does not show. A round is extended at most once.
    """

    game: GameKey
    team: PersonKey
    seconds: int
    round: int
    closes_at: datetime | None = None
    extended: bool = False
    changed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A person's proposal in a round: a turn by its actions, or something else (resigning ...) by its kind.

    `person` is None after they were forgotten.
    """

    number: int
    kind: str
    actions: Texts
    person: PersonId | None
    made_at: datetime
    round: int
    team: PersonId
    votes: int = 0


@dataclass(frozen=True, slots=True)
class Vote:
    """A person's vote for a proposal of a round, by its number; `person` is None after they were forgotten."""

    round: int
    team: PersonId
    proposal: int
    person: PersonId | None


# A team plays and has ratings as a row of `people` without an identity. A team without a name is the whole place.
teams = declare("teams", None, UniqueConstraint("place", "name"), person=PersonKey, place=PlaceId, name=str)
team_sides = declare(
    "team_sides",
    Side,
    due_index("ix_team_sides_closes_at", "closes_at"),
    due_index("ix_team_sides_changed_at", "changed_at"),
)
team_proposals = declare(
    "team_proposals",
    Proposal,
    UniqueConstraint("game", "round", "number"),
    indexed=("person",),
    without=("votes",),
    id=Id,
    game=GameId,
)
# One vote per person and round, and one per browser.
team_votes = declare(
    "team_votes",
    Vote,
    UniqueConstraint("game", "round", "person"),
    UniqueConstraint("game", "round", "browser"),
    indexed=("person",),
    id=Id,
    game=GameId,
    browser=str | None,
    at=datetime,
)
# The admitted voters of a side, and whether they want a notice of every turn.
team_voters = declare(
    "team_voters",
    None,
    indexed=("person",),
    game=GameKey,
    person=PersonKey,
    team=PersonId,
    admitted=bool,
    called=bool,
)
# People who were invited to vote with a side and have not answered yet.
team_invitations = declare(
    "team_invitations", None, indexed=("person",), game=GameKey, team=PersonKey, person=PersonKey, asked_at=datetime
)


@dataclass(frozen=True, slots=True)
class TeamStanding:
    """A team's rating, its name, and the platform of its place."""

    rating: Rating
    name: str
    platform: str
