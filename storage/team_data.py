"""What is voted on by teams, and by whom, as plain data."""

from dataclasses import dataclass, field
from datetime import datetime

from storage.errors import StorageError
from storage.rows import Rating


class RoundClosed(StorageError):
    """A vote or a proposal for a round that is over."""

    default = "round-closed"


class NotCounted(StorageError):
    """A vote that may not be counted: the person who gave it is no voter of the side, or their browser has voted."""

    default = "not-counted"


class TooManyProposals(StorageError):
    """A round with as many proposals as there may be, in all or by one person; `own` says which."""

    default = "too-many-proposals"


@dataclass(frozen=True, slots=True)
class TeamStanding:
    """How well a team plays, what it is called, and on which platform its place is."""

    rating: Rating
    name: str
    platform: str


@dataclass(frozen=True, slots=True)
class Side:
    """A team in a game: the round it votes on, until when, None while it has nothing to vote on."""

    game: str
    team: int
    seconds: int
    round: int
    closes_at: datetime | None = None
    extended: bool = False
    changed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What somebody proposes in a round: a turn by its actions, or something else by its kind."""

    number: int
    kind: str
    actions: tuple[str, ...]
    person: int | None
    made_at: datetime
    round: int
    team: int
    votes: int = 0


@dataclass(frozen=True, slots=True)
class Vote:
    """Who voted for which proposal of a round; `person` is None for somebody who was forgotten."""

    round: int
    team: int
    proposal: int
    person: int | None


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote to be counted: by whom, from which browser, and whether only those who are listed may vote."""

    game: str
    team: int
    round: int
    person: int
    proposal: int
    browser: str | None = None
    listed: bool = False


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A turn, or something else, to be proposed; with it goes the vote of the person who proposes it."""

    kind: str
    actions: tuple[str, ...] = field(default=())
