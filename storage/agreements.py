"""Typed views of two JSON columns of a game: `terms` (agreed terms and progress) and `offers` (pending offers).

The column `terms` holds Terms and GameProgress, the column `offers` holds Offers and a Reminder. Keys that cannot be
read, because another version wrote them or they are damaged, are kept in `unknown` and written back unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import IntEnum, StrEnum
from functools import partial
from typing import Annotated, Any, Final, Self, TypeVar, get_type_hints

from pydantic import AfterValidator

from storage.columns import (
    BROKEN_JSON,
    JsonReader,
    read_by_seat,
    read_flag,
    read_integer,
    read_integers,
    read_pair,
    read_text,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamTerms:
    """How teams play that vote on their turns.

    A round takes so many `seconds`, or until a proposal has `quorum` votes. `idle` is what is done where nobody votes
    twice: the `computer` plays, or the game is a `loss`. `voters` says who may: `everyone` there, those with a `role`,
    those who were `known` there when the game was opened, or `auto`, by the platform of each side. `against` is whom
    the maker wants to meet: a `computer`, a `person` or a `channel`.
    """

    seconds: int
    quorum: int | None = None
    idle: str = "computer"
    voters: str = "everyone"
    role: str | None = None
    against: str = "computer"

    def to_json(self) -> dict[str, Any]:
        """Return what is stored."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def read_team_terms(stored: object) -> TeamTerms | None:
    """Return how teams vote as it is stored, None where it cannot be read."""
    keys = JsonReader(stored)
    seconds = keys.take("seconds", read_integer, None)
    if seconds is None:
        return None
    found = TeamTerms(
        seconds=seconds,
        quorum=keys.take("quorum", read_integer, None),
        idle=keys.take("idle", read_text, "computer"),
        voters=keys.take("voters", read_text, "everyone"),
        role=keys.take("role", read_text, None),
        against=keys.take("against", read_text, "computer"),
    )
    return None if keys.left else found


Unknown = Mapping[str, Any]


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


class _Key(StrEnum):
    """The JSON keys of the column `offers`, except those of the kinds of offers."""

    CLOCK = "clock"
    ACCEPTED = "accepted"
    DECLINED = "declined"

    BY = "by"
    AGREED = "agreed"
    REVISION = "at"
    TO = "to"
    SEAT = "seat"
    PERSON = "person"
    COMPUTER = "computer"
    WHAT = "what"
    OWN = "own"
    STAGE = "stage"


_NEWS_KEYS: Final = (_Key.ACCEPTED, _Key.DECLINED)
_OFFERS_KEYS: Final = frozenset({*map(str, OfferKind), *_NEWS_KEYS, _Key.CLOCK})


@dataclass(frozen=True, slots=True)
class _Stored:
    """How a field of Terms or GameProgress is stored: under a `key`, unless it has its default value.

    `read` returns None for a value that it cannot read; `write` returns a value as JSON, None if it is JSON itself.
    """

    key: str
    read: Callable[[Any], Any]
    write: Callable[[Any], Any] | None = None


def _read_seats(value: object) -> frozenset[int] | None:
    found = read_integers(value)
    return None if found is None else frozenset(found)


def _write_left(left: Mapping[int, str]) -> dict[str, str]:
    return {str(seat): why for seat, why in left.items()}


def _write_points(points: Mapping[int, tuple[int, int]]) -> dict[str, list[int]]:
    return {str(seat): list(pair) for seat, pair in points.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the players agreed on before the start.

    `clock` is the number of seconds for a turn, None for no limit. `hints` says whether hints are allowed, None for the
    default of this kind of game; `tries` whether lines may be tried out during the game. `rematch_of` is the id of the
    previous game, `order` says who gets its seats (positive numbers are people, negative ones are computer levels), and
    `rotated` that the seats were rotated instead of drawn by lot. `cup` is the id of the competition whose pairing
    decides the seats, and `cup_kind` its kind, None in games of older versions. `holidays` is the maximum number of
    days by which a player's holiday extends a turn, None for no maximum.
    """

    clock: Annotated[int | None, _Stored("clock", read_integer)] = None
    rated: Annotated[bool, _Stored("rated", read_flag)] = True
    hints: Annotated[bool | None, _Stored("hints", read_flag)] = None
    tries: Annotated[bool, _Stored("try", read_flag)] = True
    rematch_of: Annotated[str | None, _Stored("rematch_of", read_text)] = None
    order: Annotated[tuple[int, ...], _Stored("order", read_integers, list)] = ()
    rotated: Annotated[bool, _Stored("rotated", read_flag)] = False
    cup: Annotated[str | None, _Stored("cup", read_text)] = None
    cup_kind: Annotated[str | None, _Stored("cup_kind", read_text)] = None
    holidays: Annotated[int | None, _Stored("holidays", read_integer)] = None
    team: Annotated[TeamTerms | None, _Stored("team", read_team_terms, TeamTerms.to_json)] = None
    unknown: Unknown = field(default_factory=dict)

    @property
    def damaged(self) -> bool:
        """True if a part of the stored terms, or of the progress beside them, cannot be read."""
        return _is_damaged(self.unknown, _TERMS_KEYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameProgress:
    """What has happened since the start, apart from the moves.

    `paused` stops the clock. The results of `unrated` seats do not count, because they changed hands. `rematch` is the
    id of the next game. `set_aside` is the number of the event because of which the game was set aside, even though its
    position can be read.

    `at_once` says that it began without a lobby, because its starter plays only computers. `newcomers` are the seats of
    people who had never finished a game of this kind. `left` says why players left their seats. `points` are the
    ratings of seats after and before the end. `uncounted` says why a game agreed as rated was not rated. `unreminded`
    are the seats that the last clock reminder did not reach. `guesses`: True if all who play agree to guesses.
    `moved_seconds` is by how much the deadline of the turn was moved, because the bot was away or its clock was set.
    """

    paused: Annotated[bool, _Stored("paused", read_flag)] = False
    unrated: Annotated[frozenset[int], _Stored("unrated", _read_seats, sorted)] = frozenset()
    rematch: Annotated[str | None, _Stored("rematch", read_text)] = None
    set_aside: Annotated[int | None, _Stored("set-aside", read_integer)] = None
    at_once: Annotated[bool, _Stored("at-once", read_flag)] = False
    newcomers: Annotated[frozenset[int], _Stored("newcomers", _read_seats, sorted)] = frozenset()
    left: Annotated[Mapping[int, str], _Stored("left", partial(read_by_seat, read_text), _write_left)] = field(
        default_factory=dict
    )
    points: Annotated[
        Mapping[int, tuple[int, int]], _Stored("points", partial(read_by_seat, read_pair), _write_points)
    ] = field(default_factory=dict)
    uncounted: Annotated[str | None, _Stored("uncounted", read_text)] = None
    unreminded: Annotated[frozenset[int], _Stored("unreminded", _read_seats, sorted)] = frozenset()
    guesses: Annotated[bool, _Stored("guesses", read_flag)] = False
    moved_seconds: Annotated[int, _Stored("moved-seconds", read_integer)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An offer that needs the others' consent.

    `by` is the seat that made it, None for a person without a seat, in the event that brought the game to `revision`;
    `agreed` are the seats that have consented. A takeback goes back `to` an event. A `seat` that changes hands goes to
    a `person`, or to a `computer` of a level.
    """

    kind: OfferKind
    by: int | None
    agreed: tuple[int, ...]
    revision: int
    to: int | None = None
    seat: int | None = None
    person: int | None = None
    computer: str | None = None
    unknown: Unknown = field(default_factory=dict)

    def agreed_by(self, *seats: int) -> Self:
        """Return the same offer with the consent of more seats."""
        return replace(self, agreed=(*self.agreed, *seats))

    def details(self) -> dict[str, Any]:
        """Return the details of the offer as they are stored, without its kind."""
        seat = {_Key.SEAT: self.seat, _Key.PERSON: self.person, _Key.COMPUTER: self.computer}
        return _without_none({_Key.TO: self.to, **seat})

    def to_json(self) -> dict[str, Any]:
        """Return the offer as JSON; the key is its kind."""
        said = {_Key.BY: self.by, _Key.AGREED: list(self.agreed), _Key.REVISION: self.revision}
        return {**self.unknown, **{str(name): value for name, value in said.items()}, **self.details()}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferNews:
    """The outcome of an offer: it was `accepted`, declined, or withdrawn by its `own` side.

    `by` is the seat that declined; for an accepted offer, the seat that made it or that changed hands.
    """

    kind: OfferKind
    by: int
    accepted: bool
    own: bool = False
    unknown: Unknown = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the news as JSON; the key is the outcome."""
        said = {_Key.BY: self.by, _Key.WHAT: str(self.kind), _Key.OWN: self.own or None}
        return {**self.unknown, **_without_none(said)}


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
        """True if a part of the stored offers, or of the reminder beside them, cannot be read."""
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
        """Return the offers with an outcome in place of the offer that it ends."""
        return replace(self.without_kind(news.kind), news=(news,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """The fact that the player to move was reminded of the clock."""

    stage: Stage
    unknown: Unknown = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the reminder as JSON."""
        return {**self.unknown, str(_Key.STAGE): int(self.stage)}


def _list_stored(kind: type[Terms | GameProgress]) -> dict[str, _Stored]:
    """Return the stored fields of a type by their names."""
    hints = get_type_hints(kind, include_extras=True).items()
    return {name: each for name, hint in hints for each in getattr(hint, "__metadata__", ())}


_FIELDS: Final = {kind: _list_stored(kind) for kind in (Terms, GameProgress)}
_TERMS_KEYS: Final = frozenset(each.key for known in _FIELDS.values() for each in known.values())


def read_terms(stored: object) -> tuple[Terms, GameProgress]:
    """Return the terms and the progress from the column `terms`; parts that cannot be read are left in `unknown`."""
    keys = JsonReader(stored)
    course = GameProgress(**_read_fields(GameProgress, keys))
    return Terms(**_read_fields(Terms, keys), unknown=keys.left), course


def _read_fields(kind: type[Terms | GameProgress], keys: JsonReader) -> dict[str, Any]:
    known = [(name, each) for name, each in _FIELDS[kind].items() if each.key in keys.left]
    found = {name: keys.take(each.key, each.read, None) for name, each in known}
    return {name: value for name, value in found.items() if value is not None}


def terms_to_json(terms: Terms, course: GameProgress) -> dict[str, Any]:
    """Return the JSON of the column `terms`; default values are left out."""
    stored = dict(terms.unknown)
    for part, usual in ((terms, _USUAL_TERMS), (course, _USUAL_PROGRESS)):
        for name, each in _FIELDS[type(part)].items():
            value = getattr(part, name)
            if value != getattr(usual, name):
                stored[each.key] = value if each.write is None else each.write(value)
    return stored


_USUAL_TERMS: Final = Terms()
_USUAL_PROGRESS: Final = GameProgress()


def read_offers(stored: object) -> tuple[Offers, Reminder | None]:
    """Return the offers and the reminder from the column `offers`; parts that cannot be read are left in `unknown`."""
    keys = JsonReader(stored)
    pending: list[Offer] = []
    news: list[OfferNews] = []
    reminder = keys.take(_Key.CLOCK, _read_reminder, None)
    for name in list(keys.left):
        kind = OfferKind.from_name(name)
        if kind is not None and (offer := keys.take(name, partial(_read_offer, kind), None)) is not None:
            pending.append(offer)
        if (
            name in _NEWS_KEYS
            and (entry := keys.take(name, partial(_read_offer_news, name == _Key.ACCEPTED), None)) is not None
        ):
            news.append(entry)
    return Offers(pending=tuple(pending), news=tuple(news), unknown=keys.left), reminder


def offers_to_json(offers: Offers, reminder: Reminder | None) -> dict[str, Any]:
    """Return the JSON of the column `offers`."""
    stored = {**offers.unknown, **{str(offer.kind): offer.to_json() for offer in offers.pending}}
    stored |= {str(_Key.ACCEPTED if news.accepted else _Key.DECLINED): news.to_json() for news in offers.news}
    return stored | ({} if reminder is None else {str(_Key.CLOCK): reminder.to_json()})


def _read_offer(kind: OfferKind, stored: object) -> Offer | None:
    """Return a stored offer, None if a part that its kind needs is missing."""
    if not isinstance(stored, dict):
        return None
    keys = JsonReader(stored)
    agreed = keys.take(_Key.AGREED, read_integers, None)
    revision = keys.take(_Key.REVISION, read_integer, None)
    if agreed is None or revision is None:
        return None
    offer = Offer(
        kind=kind,
        by=keys.take(_Key.BY, read_integer, None),
        agreed=agreed,
        revision=revision,
        to=keys.take(_Key.TO, read_integer, None),
        seat=keys.take(_Key.SEAT, read_integer, None),
        person=keys.take(_Key.PERSON, read_integer, None),
        computer=keys.take(_Key.COMPUTER, read_text, None),
        unknown=keys.left,
    )
    lacks_end = kind == OfferKind.UNDO and offer.to is None
    newcomer = offer.person is not None or offer.computer is not None
    lacks_seat = kind == OfferKind.SEAT and (offer.seat is None or not newcomer)
    return None if lacks_end or lacks_seat or (offer.by is None and kind != OfferKind.SEAT) else offer


def _read_offer_news(accepted: bool, stored: object) -> OfferNews | None:
    if not isinstance(stored, dict):
        return None
    keys = JsonReader(stored)
    # The first version stored only declined draws, without a kind.
    kind, by = keys.take(_Key.WHAT, _read_kind, OfferKind.DRAW), keys.take(_Key.BY, read_integer, None)
    if by is None or _Key.WHAT in keys.left:
        return None
    return OfferNews(kind=kind, by=by, accepted=accepted, own=keys.take(_Key.OWN, read_flag, False), unknown=keys.left)


def _read_reminder(stored: object) -> Reminder | None:
    if not isinstance(stored, dict):
        return None
    keys = JsonReader(stored)
    stage = keys.take(_Key.STAGE, _read_stage, None)
    return None if stage is None else Reminder(stage=stage, unknown=keys.left)


def _read_kind(value: object) -> OfferKind | None:
    return OfferKind.from_name(value) if isinstance(value, str) else None


def _read_stage(value: object) -> Stage | None:
    return next((stage for stage in Stage if stage == read_integer(value)), None)


def _is_damaged(unknown: Unknown, known: frozenset[str]) -> bool:
    return unknown == BROKEN_JSON or not known.isdisjoint(unknown)


def _without_none(said: Mapping[_Key, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in said.items() if value is not None}


def _check_terms(stored: dict[str, Any]) -> dict[str, Any]:
    terms, _ = read_terms(stored)
    if terms.unknown:
        raise ValueError("terms with parts that are not known")
    return stored


def _check_offers(stored: dict[str, Any]) -> dict[str, Any]:
    offers, reminder = read_offers(stored)
    parts = [offers.unknown, *(each.unknown for each in offers.pending), *(each.unknown for each in offers.news)]
    if any(parts) or (reminder is not None and reminder.unknown):
        raise ValueError("offers with parts that are not known")
    return stored


StoredTerms = Annotated[dict[str, Any], AfterValidator(_check_terms)]
StoredOffers = Annotated[dict[str, Any], AfterValidator(_check_offers)]
