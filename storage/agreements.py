"""Typed views of two JSON columns of a game: `terms` (agreed terms and progress) and `offers` (pending offers).

The column `terms` holds Terms and GameProgress, the column `offers` holds Offers and a Reminder. Keys that cannot be
read, because another version wrote them or they are damaged, are kept in `unknown` and written back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import IntEnum, StrEnum
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Self, TypeVar, get_type_hints

from pydantic import (
    AfterValidator,
    ConfigDict,
    PlainSerializer,
    StrictBool,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
)

from storage.columns import BROKEN_JSON, Json, Values

T = TypeVar("T")
Unknown = Values
SeatSet = Annotated[frozenset[StrictInt], PlainSerializer(sorted)]
IntegerTuple = tuple[StrictInt, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamTerms:
    """How a team votes on its turns.

    A round lasts `seconds`, or until a proposal has `quorum` votes. `idle` is the consequence of a round that gets no
    votes even after its extension: the `computer` plays, or the game is a `loss`. `voters` says who may vote:
    `everyone` in the channel, those with a `role`, those who were `known` there when the game was opened, or `auto`, by
    the platform of each side. `against` is the opponent that the maker wants: a `computer`, a `person` or a `channel`.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    seconds: StrictInt
    quorum: StrictInt | None = None
    idle: StrictStr = "computer"
    voters: StrictStr = "everyone"
    role: StrictStr | None = None
    against: StrictStr = "computer"


class OfferKind(StrEnum):
    """A kind of offer that one player can make to the others at the table."""

    DRAW = "draw"
    UNDO = "undo"
    TOGETHER = "together"
    OFF = "off"
    PAUSE = "pause"
    WAIT = "wait"
    SEAT = "seat"

    @classmethod
    def from_name(cls, name: str) -> OfferKind | None:
        """Return the kind of this name, None if there is none."""
        return next((kind for kind in cls if kind == name), None)


class Stage(IntEnum):
    """How many times the player to move has been reminded: never, once, or for the last time."""

    NONE = 0
    REMINDER = 1
    WARNING = 2


MAX_LIVE_TURN_SECONDS: Final = 30 * 60
"""Maximum seconds for a turn of a live game."""
_ACCEPTED_KEY: Final = "accepted"
_DECLINED_KEY: Final = "declined"
_NEWS_KEYS: Final = (_ACCEPTED_KEY, _DECLINED_KEY)
_CLOCK_KEY: Final = "clock"
_OFFERS_KEYS: Final = frozenset({*map(str, OfferKind), *_NEWS_KEYS, _CLOCK_KEY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the players agreed on before the start.

    `clock` is the number of free seconds of each turn, None for none. `reserve` is each player's number of additional
    seconds for the whole game, None for none: they are used when a turn takes longer than `clock`. `increment` is the
    number of seconds added to the reserve after each turn. `hints` says whether hints are allowed, None for the default
    of this kind of game; `tries` whether players may try out lines during the game. `rematch_of` is the id of the
    previous game, `order` says who gets the seats (positive numbers are people, negative ones computer levels), and
    `rotated` that the seats were rotated instead of drawn by lot. `cup` is the id of the competition whose pairing
    decides the seats, and `cup_kind` its kind, None in games of older versions. `holidays` is the maximum number of
    days by which a player's holiday extends a turn, None for no maximum.
    """

    clock: StrictInt | None = None
    reserve: StrictInt | None = None
    increment: StrictInt = 0
    rated: StrictBool = True
    hints: StrictBool | None = None
    tries: StrictBool = True
    rematch_of: StrictStr | None = None
    order: IntegerTuple = ()
    rotated: StrictBool = False
    cup: StrictStr | None = None
    cup_kind: StrictStr | None = None
    holidays: StrictInt | None = None
    team: TeamTerms | None = None
    unknown: Unknown = field(default_factory=dict)

    @property
    def damaged(self) -> bool:
        """True if a part of the stored terms, or of the progress stored with them, cannot be read."""
        return _is_damaged(self.unknown, _TERMS_KEYS)

    @property
    def has_clock(self) -> bool:
        """True if turns have a deadline."""
        return bool(self.clock or self.reserve)

    @property
    def is_live(self) -> bool:
        """True if the game is played in one sitting: it has only a reserve, or at most half an hour for a turn."""
        return bool(self.reserve) if not self.clock else self.clock <= MAX_LIVE_TURN_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class GameProgress:
    """What has happened since the start, apart from the moves.

    `paused` stops the clock. The results of `unrated` seats do not count, because they changed hands. `rematch` is the
    id of the next game. `set_aside` is the number of the event that caused the game to be set aside, even though its
    position can be read.

    `at_once` was stored until version 0.2.0 for games that began without a lobby. `newcomers` are the seats of people
    who had never finished a game of this kind. `left` says why players left their seats. `points` are the ratings of
    seats after and before the end. `uncounted` says why a game agreed as rated was not rated. `unreminded` are the
    seats that the last clock reminder did not reach. `guesses`: True if all players agree to guesses. `moved_seconds`
    is the shift of the turn's deadline because the bot was not running or its clock was set. `reserves` are the
    milliseconds left of each seat's reserve at the beginning of its turn; a missing seat has its full reserve.
    `on_screen` are the seats whose players made their last move on a page or in an app, where boards are drawn at once.
    """

    paused: StrictBool = False
    unrated: SeatSet = frozenset()
    rematch: StrictStr | None = None
    set_aside: StrictInt | None = None
    at_once: StrictBool = False
    newcomers: SeatSet = frozenset()
    left: Mapping[int, StrictStr] = field(default_factory=dict)
    points: Mapping[int, tuple[StrictInt, StrictInt]] = field(default_factory=dict)
    uncounted: StrictStr | None = None
    unreminded: SeatSet = frozenset()
    guesses: StrictBool = False
    moved_seconds: StrictInt = 0
    reserves: Mapping[int, StrictInt] = field(default_factory=dict)
    on_screen: SeatSet = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An offer that needs the consent of the other players.

    `by` is the seat that made the offer, None for a person without a seat; `revision` is the revision of the game with
    the offer; `agreed` are the seats that have consented. A takeback goes back `to` an event. A `seat` that changes
    hands goes to a `person`, or to a `computer` of a level.
    """

    kind: OfferKind
    by: StrictInt | None = None
    agreed: IntegerTuple
    revision: StrictInt
    to: StrictInt | None = None
    seat: StrictInt | None = None
    person: StrictInt | None = None
    computer: StrictStr | None = None
    unknown: Unknown = field(default_factory=dict)

    def agreed_by(self, *seats: int) -> Self:
        """Return the offer with the consent of more seats."""
        return replace(self, agreed=(*self.agreed, *seats))

    def details(self) -> Json:
        """Return the offer's details as stored, without its kind."""
        known = {name: getattr(self, name) for name in ("to", "seat", "person", "computer")}
        return {name: value for name, value in known.items() if value is not None}

    @property
    def is_whole(self) -> bool:
        """True if the offer has all fields that its kind needs."""
        newcomer = self.person is not None or self.computer is not None
        if self.kind == OfferKind.SEAT:
            return self.seat is not None and newcomer
        return self.by is not None and (self.kind != OfferKind.UNDO or self.to is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferNews:
    """The outcome of an offer: it was `accepted`, declined, or withdrawn by its `own` side.

    `by` is the seat that declined; for an accepted offer, the seat that made it or that changed hands.
    """

    kind: OfferKind
    by: StrictInt
    accepted: bool
    own: StrictBool = False
    unknown: Unknown = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """The pending offers of a game, at most one of each kind, oldest first, and the outcome of the last one.

    Both lapse when the game moves on; an outcome also lapses with the next offer or consent.
    """

    pending: tuple[Offer, ...] = ()
    news: tuple[OfferNews, ...] = ()
    unknown: Unknown = field(default_factory=dict)

    @property
    def damaged(self) -> bool:
        """True if a part of the stored offers, or of the reminder stored with them, cannot be read."""
        return _is_damaged(self.unknown, _OFFERS_KEYS)

    def offer_of_kind(self, kind: OfferKind) -> Offer | None:
        """Return the offer of a kind, None if there is none."""
        return next((offer for offer in self.pending if offer.kind == kind), None)

    def without_kind(self, kind: OfferKind) -> Offers:
        """Return the offers without those of a kind, and without news."""
        unknown = {name: value for name, value in self.unknown.items() if name not in (kind, *_NEWS_KEYS)}
        return Offers(pending=tuple(offer for offer in self.pending if offer.kind != kind), unknown=unknown)

    def with_offer(self, offer: Offer) -> Offers:
        """Return the offers with a new or updated one."""
        rest = self.without_kind(offer.kind)
        return replace(rest, pending=(*rest.pending, offer))

    def with_news(self, news: OfferNews) -> Offers:
        """Return the offers with an outcome instead of the offer that it ends."""
        return replace(self.without_kind(news.kind), news=(news,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """The fact that the player to move was reminded of the clock."""

    stage: Stage
    unknown: Unknown = field(default_factory=dict)


_DEFERRED: Final = ConfigDict(defer_build=True)
"""The validator of a field is built on first use: building all takes longer than the rest of the import."""
_KEYS: Final = {
    "tries": "try",
    "set_aside": "set-aside",
    "at_once": "at-once",
    "moved_seconds": "moved-seconds",
    "on_screen": "on-screen",
}
"""The stored keys of fields whose key differs from their name."""
_KEYS_OF: Final[Mapping[type, Mapping[str, str]]] = {Offer: {"revision": "at"}, OfferNews: {"kind": "what"}}
_UNSTORED: Final[Mapping[type, frozenset[str]]] = {Offer: frozenset({"kind"}), OfferNews: frozenset({"accepted"})}


@cache
def _list_fields(kind: Any) -> list[tuple[str, str, TypeAdapter[Any], object]]:
    """Return the stored fields of a type: name, key, type adapter, and default value or MISSING."""
    hints, own_keys = get_type_hints(kind, include_extras=True), {**_KEYS, **_KEYS_OF.get(kind, {})}
    unstored = {"unknown", *_UNSTORED.get(kind, ())}
    return [
        (
            each.name,
            own_keys.get(each.name, each.name),
            TypeAdapter(hints[each.name], config=_DEFERRED),
            each.default if each.default_factory is MISSING else each.default_factory(),
        )
        for each in fields(kind)
        if each.name not in unstored
    ]


def take_fields(kind: type[T], left: Json, /, **known: Any) -> T | None:
    """Build an object from fields taken out of a JSON object; None if a field without a default is unreadable."""
    for name, key, adapter, default in _list_fields(kind):  # type: ignore[arg-type]
        if left.get(key) is None:
            left.pop(key, None)
        else:
            with suppress(ValidationError):
                known[name] = adapter.validate_python(left[key])
                del left[key]
        if name not in known and default is MISSING:
            return None
    return kind(**known)


def dump_fields(part: Any) -> Json:
    """Return the JSON of the fields without their default value, and of the parts that could not be read."""
    stored = dict(getattr(part, "unknown", {}))
    for name, key, adapter, default in _list_fields(type(part)):  # type: ignore[arg-type]
        if (value := getattr(part, name)) != default:
            stored[key] = adapter.dump_python(value, mode="json", exclude_none=True)
    return stored


def read_terms(stored: object) -> tuple[Terms, GameProgress]:
    """Return the terms and the progress from the column `terms`; parts that cannot be read are left in `unknown`."""
    left = dict(stored if isinstance(stored, dict) else BROKEN_JSON)
    progress = take_fields(GameProgress, left) or GameProgress()
    return take_fields(Terms, left, unknown=left) or Terms(), progress


def terms_to_json(terms: Terms, progress: GameProgress) -> Json:
    """Return the JSON of the column `terms`; default values are left out."""
    return dump_fields(terms) | dump_fields(progress)


def read_offers(stored: object) -> tuple[Offers, Reminder | None]:
    """Return the offers and the reminder from the column `offers`; parts that cannot be read are left in `unknown`."""
    unknown = dict(stored if isinstance(stored, dict) else BROKEN_JSON)
    pending: list[Offer] = []
    news: list[OfferNews] = []
    reminder = None
    for name, value in list(unknown.items()):
        left = dict(value if isinstance(value, dict) else BROKEN_JSON)
        found: Offer | OfferNews | Reminder | None = None
        if name == _CLOCK_KEY:
            found = reminder = take_fields(Reminder, left, unknown=left)
        elif name in _NEWS_KEYS:
            # The first version stored only declined draws, without a kind.
            left.setdefault("what", OfferKind.DRAW)
            found = take_fields(OfferNews, left, accepted=name == _ACCEPTED_KEY, unknown=left)
            news += [found] if found else []
        elif (kind := OfferKind.from_name(name)) is not None:
            offer = take_fields(Offer, left, kind=kind, unknown=left)
            found = offer if offer is not None and offer.is_whole else None
            pending += [found] if found else []
        if found is not None:
            del unknown[name]
    return Offers(pending=tuple(pending), news=tuple(news), unknown=unknown), reminder


def offers_to_json(offers: Offers, reminder: Reminder | None) -> Json:
    """Return the JSON of the column `offers`."""
    stored = {**offers.unknown, **{str(offer.kind): dump_fields(offer) for offer in offers.pending}}
    for news in offers.news:
        stored[_ACCEPTED_KEY if news.accepted else _DECLINED_KEY] = dump_fields(news)
    return stored | ({} if reminder is None else {_CLOCK_KEY: dump_fields(reminder)})


_TERMS_KEYS: Final = frozenset(key for kind in (Terms, GameProgress) for _, key, *_ in _list_fields(kind))


def _is_damaged(unknown: Unknown, known: frozenset[str]) -> bool:
    return unknown == BROKEN_JSON or not known.isdisjoint(unknown)


def _check_terms(stored: Json) -> Json:
    terms, _ = read_terms(stored)
    if terms.unknown:
        raise ValueError("terms with parts that are not known")
    return stored


def _check_offers(stored: Json) -> Json:
    offers, reminder = read_offers(stored)
    parts: list[Any] = [offers, *offers.pending, *offers.news, *([reminder] if reminder else [])]
    if any(each.unknown for each in parts):
        raise ValueError("offers with parts that are not known")
    return stored


StoredTerms = Annotated[Json, AfterValidator(_check_terms)]
StoredOffers = Annotated[Json, AfterValidator(_check_offers)]
