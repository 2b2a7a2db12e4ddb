"""What happens on a ladder, stored for ever with its time; people are numbers from 0 in the order of joining."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from pydantic import AwareDatetime, Field

from bot.competitions.codec import EventCodec
from bot.competitions.events import CommonTerms, Leaving, Short, Strict, Whole

MAX_CLIMBERS: Final = 1000
"""So many stand on a ladder at most."""
MIN_ANSWER_DAYS: Final = 1
MAX_ANSWER_DAYS: Final = 14


class Closing(StrEnum):
    """How a challenge ended without a game.

    The challenged gave the place away, or let the time to answer pass, or the challenger took it back. Blocking the
    other player while a challenge is open gives it up.
    """

    CONCEDED = "conceded"
    FORFEITED = "forfeited"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, kw_only=True)
class LadderTerms(CommonTerms):
    """What the maker chose: `days` is how long a challenge may wait for its answer."""

    days: Annotated[int, Field(ge=MIN_ANSWER_DAYS, le=MAX_ANSWER_DAYS)] = 3


@dataclass(frozen=True)
class LadderCreated(Strict):
    """Somebody made a ladder; `seed_hash` is the SHA-256 of the seed from which those of its games follow."""

    terms: LadderTerms
    code: Annotated[str, Field(min_length=1, max_length=40)]
    seed_hash: Annotated[str, Field(min_length=64, max_length=64)]


@dataclass(frozen=True)
class LadderJoined(Strict):
    """Somebody joined, or came back: at the end. `cause` is the platform's id of what they did."""

    entrant: Whole
    cause: Short


@dataclass(frozen=True)
class LadderLeft(Strict):
    """Somebody is off the ladder; all below move up."""

    entrant: Whole
    why: Annotated[Leaving, Field(strict=False)] = Leaving.ASKED


@dataclass(frozen=True)
class LadderExcluded(Strict):
    """The organiser has put somebody out, who cannot come back."""

    entrant: Whole


@dataclass(frozen=True)
class ClimberAway(Strict):
    """Somebody is on holiday until a time: what waits for them, and their month without a game, waits as long."""

    entrant: Whole
    until: AwareDatetime


@dataclass(frozen=True)
class Challenged(Strict):
    """Somebody challenges somebody above; challenges are numbered from 0."""

    challenger: Whole
    challenged: Whole


@dataclass(frozen=True)
class ChallengeAccepted(Strict):
    """The challenged takes a challenge on; its game is opened."""

    challenge: Whole


@dataclass(frozen=True)
class ChallengeClosed(Strict):
    """A challenge ended without a game."""

    challenge: Whole
    why: Annotated[Closing, Field(strict=False)]


@dataclass(frozen=True)
class ChallengeAttached(Strict):
    """The game of a challenge has been opened; `game` is its id."""

    challenge: Whole
    game: Short


@dataclass(frozen=True)
class ChallengeResult(Strict):
    """The game of a challenge has ended: the places of its seats (1 is best), and the reason."""

    challenge: Whole
    places: Annotated[tuple[Annotated[int, Field(ge=1, le=2)], ...], Field(min_length=2, max_length=2)]
    reason: Short


@dataclass(frozen=True)
class ClimberWarned(Strict):
    """Somebody is warned that they will sink unless they play."""

    entrant: Whole


@dataclass(frozen=True)
class ClimberSank(Strict):
    """Somebody who has not played for a month goes down by a tenth."""

    entrant: Whole


@dataclass(frozen=True)
class LadderEnded(Strict):
    """The organiser has ended the ladder."""


LadderEvent = (
    LadderCreated | LadderJoined | LadderLeft | LadderExcluded | ClimberAway | Challenged | ChallengeAccepted
    | ChallengeClosed | ChallengeAttached | ChallengeResult | ClimberWarned | ClimberSank | LadderEnded
)  # fmt: skip

LADDER_CODEC: Final[EventCodec[LadderEvent]] = EventCodec(
    {
        "created": LadderCreated,
        "entered": LadderJoined,
        "left": LadderLeft,
        "excluded": LadderExcluded,
        "away": ClimberAway,
        "challenged": Challenged,
        "accepted": ChallengeAccepted,
        "closed": ChallengeClosed,
        "attached": ChallengeAttached,
        "result": ChallengeResult,
        "warned": ClimberWarned,
        "sank": ClimberSank,
        "ended": LadderEnded,
    }
)
