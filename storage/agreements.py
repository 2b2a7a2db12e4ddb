"""Typed views of two JSON columns of a game: `terms` (agreed terms and progress) and `offers` (pending offers).

The column `terms` holds Terms and GameProgress, the column `offers` holds Offers and a Reminder. Keys that cannot be
read, because another version wrote them or they are damaged, are kept in `unknown` and written back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from functools import partial
from typing import Any, Final, Self, TypeVar

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
from storage.team_terms import TeamTerms, read_team_terms

T = TypeVar("T")
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
    """The JSON keys of both columns, except those of the kinds of offers."""

    CLOCK = "clock"
    RATED = "rated"
    HINTS = "hints"
    TRIES = "try"
    REMATCH_OF = "rematch_of"
    ORDER = "order"
    ROTATED = "rotated"
    CUP = "cup"
    HOLIDAYS = "holidays"
    TEAM = "team"
    PAUSED = "paused"
    UNRATED = "unrated"
    REMATCH = "rematch"
    SET_ASIDE = "set-aside"
    AT_ONCE = "at-once"
    NEWCOMERS = "newcomers"
    LEFT = "left"
    POINTS = "points"
    UNCOUNTED = "uncounted"
    UNREMINDED = "unreminded"
    GUESSES = "guesses"

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
_TERMS_KEYS: Final = frozenset(
    {_Key.CLOCK, _Key.RATED, _Key.HINTS, _Key.TRIES, _Key.REMATCH_OF, _Key.ORDER, _Key.ROTATED, _Key.CUP, _Key.HOLIDAYS}
    | {_Key.TEAM, _Key.GUESSES}
    | {
        _Key.PAUSED,
        _Key.UNRATED,
        _Key.REMATCH,
        _Key.SET_ASIDE,
        _Key.AT_ONCE,
        _Key.NEWCOMERS,
        _Key.LEFT,
        _Key.POINTS,
        _Key.UNCOUNTED,
        _Key.UNREMINDED,
    }
)
_OFFERS_KEYS: Final = frozenset({*map(str, OfferKind), *_NEWS_KEYS, _Key.CLOCK})


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the players agreed on before the start.

    `clock` is the number of seconds for a turn, None for no limit. `hints` says whether hints are allowed, None for the
    default of this kind of game; `tries` whether lines may be tried out during the game. `rematch_of` is the id of the
    previous game, `order` says who gets its seats (positive numbers are people, negative ones are computer levels), and
    `rotated` that the seats were rotated instead of drawn by lot. `cup` is the id of the competition whose pairing
    decides the seats. `holidays` is the maximum number of days by which a player's holiday extends a turn, None for no
    maximum.
    """

    clock: int | None = None
    rated: bool = True
    hints: bool | None = None
    tries: bool = True
    rematch_of: str | None = None
    order: tuple[int, ...] = ()
    rotated: bool = False
    cup: str | None = None
    holidays: int | None = None
    team: TeamTerms | None = None
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
    """

    paused: bool = False
    unrated: frozenset[int] = frozenset()
    rematch: str | None = None
    set_aside: int | None = None
    at_once: bool = False
    newcomers: frozenset[int] = frozenset()
    left: Mapping[int, str] = field(default_factory=dict)
    points: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    uncounted: str | None = None
    unreminded: frozenset[int] = frozenset()
    guesses: bool = False


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


def read_terms(stored: object) -> tuple[Terms, GameProgress]:
    """Return the terms and the progress from the column `terms`; parts that cannot be read are left in `unknown`."""
    keys = JsonReader(stored)
    course = GameProgress(
        paused=keys.take(_Key.PAUSED, read_flag, False),
        unrated=frozenset(keys.take(_Key.UNRATED, read_integers, ())),
        rematch=keys.take(_Key.REMATCH, read_text, None),
        set_aside=keys.take(_Key.SET_ASIDE, read_integer, None),
        at_once=keys.take(_Key.AT_ONCE, read_flag, False),
        newcomers=frozenset(keys.take(_Key.NEWCOMERS, read_integers, ())),
        left=keys.take(_Key.LEFT, partial(read_by_seat, read_text), {}),
        points=keys.take(_Key.POINTS, partial(read_by_seat, read_pair), {}),
        uncounted=keys.take(_Key.UNCOUNTED, read_text, None),
        unreminded=frozenset(keys.take(_Key.UNREMINDED, read_integers, ())),
        guesses=keys.take(_Key.GUESSES, read_flag, False),
    )
    terms = Terms(
        clock=keys.take(_Key.CLOCK, read_integer, None),
        rated=keys.take(_Key.RATED, read_flag, True),
        hints=keys.take(_Key.HINTS, read_flag, None),
        tries=keys.take(_Key.TRIES, read_flag, True),
        rematch_of=keys.take(_Key.REMATCH_OF, read_text, None),
        order=keys.take(_Key.ORDER, read_integers, ()),
        rotated=keys.take(_Key.ROTATED, read_flag, False),
        cup=keys.take(_Key.CUP, read_text, None),
        holidays=keys.take(_Key.HOLIDAYS, read_integer, None),
        team=keys.take(_Key.TEAM, read_team_terms, None),
        unknown=keys.left,
    )
    return terms, course


def terms_to_json(terms: Terms, course: GameProgress) -> dict[str, Any]:
    """Return the JSON of the column `terms`; default values are left out."""
    said = {
        _Key.CLOCK: terms.clock,
        _Key.RATED: None if terms.rated else False,
        _Key.HINTS: terms.hints,
        _Key.TRIES: None if terms.tries else False,
        _Key.REMATCH_OF: terms.rematch_of,
        _Key.ORDER: list(terms.order) or None,
        _Key.ROTATED: terms.rotated or None,
        _Key.CUP: terms.cup,
        _Key.HOLIDAYS: terms.holidays,
        _Key.TEAM: None if terms.team is None else terms.team.to_json(),
        _Key.PAUSED: course.paused or None,
        _Key.UNRATED: sorted(course.unrated) or None,
        _Key.REMATCH: course.rematch,
        _Key.SET_ASIDE: course.set_aside,
        _Key.AT_ONCE: course.at_once or None,
        _Key.NEWCOMERS: sorted(course.newcomers) or None,
        _Key.LEFT: {str(seat): why for seat, why in course.left.items()} or None,
        _Key.POINTS: {str(seat): list(points) for seat, points in course.points.items()} or None,
        _Key.UNCOUNTED: course.uncounted,
        _Key.UNREMINDED: sorted(course.unreminded) or None,
        _Key.GUESSES: course.guesses or None,
    }
    return {**terms.unknown, **_without_none(said)}


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
