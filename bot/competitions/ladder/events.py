"""The stored events of a ladder, with their times; people are numbers from 0 in the order of joining."""

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from bot.competitions.events import (
    CommonTerms,
    Ended,
    Entered,
    EventCodec,
    EventTime,
    Excluded,
    HexHash,
    Left,
    RulesVersion,
    Short,
    Strict,
    Whole,
)

MAX_CLIMBERS: Final = 1000
"""Maximum number of people on a ladder."""
MIN_ANSWER_DAYS: Final = 1
MAX_ANSWER_DAYS: Final = 14


class Closing(StrEnum):
    """How a challenge ended without a game.

    The challenged climber conceded or did not answer in time, or the challenger withdrew. Blocking the other player
    during a challenge concedes or withdraws it.
    """

    CONCEDED = "conceded"
    FORFEITED = "forfeited"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, kw_only=True)
class LadderTerms(CommonTerms):
    """The maker's choices: `days` is the time to answer a challenge."""

    days: Annotated[int, Field(ge=MIN_ANSWER_DAYS, le=MAX_ANSWER_DAYS)] = 3


@dataclass(frozen=True)
class LadderCreated(Strict):
    """Somebody made a ladder; `seed_hash` is the SHA-256 of the seed from which its games' seeds are derived."""

    terms: LadderTerms
    code: Annotated[str, Field(min_length=1, max_length=40)]
    seed_hash: HexHash
    rules_version: RulesVersion = 1


@dataclass(frozen=True)
class ClimberAway(Strict):
    """Somebody is on holiday until a time: their deadlines and their month without a game are extended by it."""

    entrant: Whole
    until: EventTime


@dataclass(frozen=True)
class Challenged(Strict):
    """A climber challenges a higher one; challenges are numbered from 0."""

    challenger: Whole
    challenged: Whole


@dataclass(frozen=True)
class ChallengeAccepted(Strict):
    """The challenged climber accepts; the game is opened next.

    `first` is who begins by the lot, because both have begun as often; None where it follows from that, and by the
    rules of version 1.
    """

    challenge: Whole
    first: Whole | None = None


@dataclass(frozen=True)
class ChallengeClosed(Strict):
    """A challenge ended without a game."""

    challenge: Whole
    why: Annotated[Closing, Field(strict=False)]


@dataclass(frozen=True)
class ChallengeAttached(Strict):
    """The game of a challenge was opened; `game` is its id."""

    challenge: Whole
    game: Short


@dataclass(frozen=True)
class ChallengeResult(Strict):
    """The game of a challenge ended: the places of its seats (1 is best), and the reason."""

    challenge: Whole
    places: Annotated[tuple[Annotated[int, Field(ge=1, le=2)], ...], Field(min_length=2, max_length=2)]
    reason: Short


@dataclass(frozen=True)
class ClimberWarned(Strict):
    """A climber is warned that they will sink unless they play."""

    entrant: Whole


@dataclass(frozen=True)
class ClimberSank(Strict):
    """A climber who has not played for a month sinks by a tenth."""

    entrant: Whole


LadderEvent = (
    LadderCreated | Entered | Left | Excluded | ClimberAway | Challenged | ChallengeAccepted
    | ChallengeClosed | ChallengeAttached | ChallengeResult | ClimberWarned | ClimberSank | Ended
)  # fmt: skip


def _shift_times(event: LadderEvent, by: timedelta) -> LadderEvent:
    return replace(event, until=event.until + by) if isinstance(event, ClimberAway) else event


LADDER_CODEC: Final[EventCodec[LadderEvent]] = EventCodec(
    {
        "created": LadderCreated,
        "entered": Entered,
        "left": Left,
        "excluded": Excluded,
        "away": ClimberAway,
        "challenged": Challenged,
        "accepted": ChallengeAccepted,
        "closed": ChallengeClosed,
        "attached": ChallengeAttached,
        "result": ChallengeResult,
        "warned": ClimberWarned,
        "sank": ClimberSank,
        "ended": Ended,
    },
    _shift_times,
)
