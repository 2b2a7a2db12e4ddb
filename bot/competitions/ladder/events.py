"""What happens on a ladder, stored for ever with its time; people are numbers from 0 in the order of joining."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AwareDatetime, ConfigDict, Field

from bot.competitions.codec import EventCodec
from bot.competitions.events import Leaving, Short, Whole

MAX_CLIMBERS: Final = 1000
"""So many stand on a ladder at most."""
MIN_ANSWER_DAYS: Final = 1
MAX_ANSWER_DAYS: Final = 14

_STRICT_CONFIG: Final = ConfigDict(extra="forbid", strict=True)


class Closing(StrEnum):
    """How a challenge ended without a game.

    The challenged gave the place away, or let the time to answer pass, or the challenger took it back. Blocking the
    other player while a challenge is open gives it up.
    """

    CONCEDED = "conceded"
    FORFEITED = "forfeited"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, kw_only=True)
class LadderTerms:
    """What the maker chose: `days` is how long a challenge may wait for its answer, `clock` the seconds of a turn."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    game: Annotated[str, Field(min_length=1, max_length=60)]
    clock: Annotated[int, Field(gt=0, le=100_000_000)]
    options: dict[str, str | int] = field(default_factory=dict)
    days: Annotated[int, Field(ge=MIN_ANSWER_DAYS, le=MAX_ANSWER_DAYS)] = 3
    entry: Literal["here", "group", "code"] = "here"
    rated: bool = True


@dataclass(frozen=True)
class LadderCreated:
    """Somebody made a ladder; `seed_hash` is the SHA-256 of the seed from which those of its games follow."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    terms: LadderTerms
    code: Annotated[str, Field(min_length=1, max_length=40)]
    seed_hash: Annotated[str, Field(min_length=64, max_length=64)]


@dataclass(frozen=True)
class LadderJoined:
    """Somebody joined, or came back: at the end. `cause` is the platform's id of what they did."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole
    cause: Short


@dataclass(frozen=True)
class LadderLeft:
    """Somebody is off the ladder; all below move up."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole
    why: Annotated[Leaving, Field(strict=False)] = Leaving.ASKED


@dataclass(frozen=True)
class LadderExcluded:
    """The organiser has put somebody out, who cannot come back."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole


@dataclass(frozen=True)
class ClimberAway:
    """Somebody is on holiday until a time: what waits for them, and their month without a game, waits as long."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole
    until: AwareDatetime


@dataclass(frozen=True)
class Challenged:
    """Somebody challenges somebody above; challenges are numbered from 0."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    challenger: Whole
    challenged: Whole


@dataclass(frozen=True)
class ChallengeAccepted:
    """The challenged takes a challenge on; its game is opened."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    challenge: Whole


@dataclass(frozen=True)
class ChallengeClosed:
    """A challenge ended without a game."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    challenge: Whole
    why: Annotated[Closing, Field(strict=False)]


@dataclass(frozen=True)
class ChallengeAttached:
    """The game of a challenge has been opened; `game` is its id."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    challenge: Whole
    game: Short


@dataclass(frozen=True)
class ChallengeResult:
    """The game of a challenge has ended: the places of its seats (1 is best), and the reason."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    challenge: Whole
    places: Annotated[tuple[Annotated[int, Field(ge=1, le=2)], ...], Field(min_length=2, max_length=2)]
    reason: Short


@dataclass(frozen=True)
class ClimberWarned:
    """Somebody is warned that they will sink unless they play."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole


@dataclass(frozen=True)
class ClimberSank:
    """Somebody who has not played for a month goes down by a tenth."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG

    entrant: Whole


@dataclass(frozen=True)
class LadderEnded:
    """The organiser has ended the ladder."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT_CONFIG


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
