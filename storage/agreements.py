"""What was agreed on before a game, what comes about in its course, and what is on offer: types over two JSON columns.

The column `terms` holds Terms and Course, the column `offers` Offers and a Reminder. What else stands there, written by
another version of the program or damaged, is `unknown`: it is kept, and written again with the rest.
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
    """What can be offered to the others at the table."""

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
    """How far the player to move has been reminded: not yet, once, or for the last time."""

    NONE = 0
    REMINDER = 1
    WARNING = 2


class _Key(StrEnum):
    """The names in both columns, besides those of the kinds of offers."""

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
    | {_Key.TEAM}
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
    """What was agreed on before the start.

    `clock` is how many seconds a turn may take, None without end; `hints` says whether they may be asked for, None
    leaves that to what kind of game it is; `tries` whether lines may be tried out while it is at play. `rematch_of` is
    the id of the game that is played again, `order` who is to have its seats, by numbers above 0 for people and below
    for the levels of computers, and `rotated` says that they have got them instead of drawing lots. `cup` is the id of
    the competition that it is a game of, whose pairings say who has which seat; `holidays` is how many days a turn may
    take longer for somebody's, None for as long as theirs last.
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
        """Whether something of the stored terms, or of the course beside them, cannot be read."""
        return _is_damaged(self.unknown, _TERMS_KEYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameProgress:
    """What has come about since the start, apart from the moves.

    The clock is `paused`; the results of `unrated` seats do not count, since they changed hands; `rematch` is the id of
    the game in which it is played again. `set_aside` is the number of the event for which the game was set aside,
    though its position can be read.

    `at_once`: it began without a lobby, since its starter plays only with computers. `newcomers` are the seats
    whose people had never finished a game of its kind before, `left` says why seats have left it, and `points` what the
    ratings of seats are worth since its end, and were before. `uncounted`: why it rates nobody, though that was agreed.
    `unreminded` are the seats whose people no reminder of the clock reached when one was sent last.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An offer that needs the others' consent.

    `by` is the seat that made it, None for somebody without one, with the event that brought the game to `revision`;
    `agreed` are the seats that have consented. To take back leads `to` an event. A `seat` that is to change hands is to
    go to a `person`, or to a `computer` of a level.
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
        """Return what is offered besides its kind, as it is stored."""
        seat = {_Key.SEAT: self.seat, _Key.PERSON: self.person, _Key.COMPUTER: self.computer}
        return _without_none({_Key.TO: self.to, **seat})

    def to_json(self) -> dict[str, Any]:
        """Return the offer as it is stored under its kind."""
        said = {_Key.BY: self.by, _Key.AGREED: list(self.agreed), _Key.REVISION: self.revision}
        return {**self.unknown, **_plain(said), **self.details()}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferNews:
    """What has become of an offer: it was `accepted`, declined, or taken back by those whose `own` it was.

    `by` is the seat that declined; of an accepted offer the one that made it, or that changed hands.
    """

    kind: OfferKind
    by: int
    accepted: bool
    own: bool = False
    unknown: Unknown = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the news as they are stored under how it went."""
        said = {_Key.BY: self.by, _Key.WHAT: str(self.kind), _Key.OWN: self.own or None}
        return {**self.unknown, **_without_none(said)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """What is on offer in a game, at most one of each kind and the oldest first, and news of what was.

    Both lapse when the game moves on, news also with the next offer or the next consent.
    """

    pending: tuple[Offer, ...] = ()
    news: tuple[OfferNews, ...] = ()
    unknown: Unknown = field(default_factory=dict)

    @property
    def damaged(self) -> bool:
        """Whether something of the stored offers, or of the reminder beside them, cannot be read."""
        return _is_damaged(self.unknown, _OFFERS_KEYS)

    def offer_of_kind(self, kind: OfferKind) -> Offer | None:
        """Return the offer of a kind, None if there is none."""
        return next((offer for offer in self.pending if offer.kind == kind), None)

    def without_kind(self, kind: OfferKind) -> Offers:
        """Return what is on offer besides a kind, without any news."""
        unknown = {name: value for name, value in self.unknown.items() if name not in (kind, *_NEWS_KEYS)}
        return Offers(pending=tuple(offer for offer in self.pending if offer.kind != kind), unknown=unknown)

    def with_offer(self, offer: Offer) -> Offers:
        """Return what is on offer with one that is new, or that more have consented to."""
        rest = self.without_kind(offer.kind)
        return replace(rest, pending=(*rest.pending, offer))

    def with_news(self, news: OfferNews) -> Offers:
        """Return what is on offer besides the one that there are news of."""
        return replace(self.without_kind(news.kind), news=(news,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """That the player to move was reminded of the clock."""

    stage: Stage
    unknown: Unknown = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the reminder as it is stored."""
        return {**self.unknown, str(_Key.STAGE): int(self.stage)}


def read_terms(stored: object) -> tuple[Terms, GameProgress]:
    """Return what the column `terms` says; what of it cannot be read is left in `unknown`."""
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
    """Return what is stored in the column `terms`: whatever is not as usual."""
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
    }
    return {**terms.unknown, **_without_none(said)}


def read_offers(stored: object) -> tuple[Offers, Reminder | None]:
    """Return what the column `offers` says; what of it cannot be read is left in `unknown`."""
    keys = JsonReader(stored)
    pending: list[Offer] = []
    news: list[OfferNews] = []
    reminder = keys.take(_Key.CLOCK, _reminder, None)
    for name in list(keys.left):
        kind = OfferKind.from_name(name)
        if kind is not None and (offer := keys.take(name, partial(_offer, kind), None)) is not None:
            pending.append(offer)
        if (
            name in _NEWS_KEYS
            and (entry := keys.take(name, partial(_offer_news, name == _Key.ACCEPTED), None)) is not None
        ):
            news.append(entry)
    return Offers(pending=tuple(pending), news=tuple(news), unknown=keys.left), reminder


def offers_to_json(offers: Offers, reminder: Reminder | None) -> dict[str, Any]:
    """Return what is stored in the column `offers`."""
    stored = {**offers.unknown, **{str(offer.kind): offer.to_json() for offer in offers.pending}}
    stored |= {str(_Key.ACCEPTED if news.accepted else _Key.DECLINED): news.to_json() for news in offers.news}
    return stored | ({} if reminder is None else {str(_Key.CLOCK): reminder.to_json()})


def _offer(kind: OfferKind, stored: object) -> Offer | None:
    """Return a stored offer, None where something is missing that this kind needs."""
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


def _offer_news(accepted: bool, stored: object) -> OfferNews | None:
    if not isinstance(stored, dict):
        return None
    keys = JsonReader(stored)
    # The first version told only of draws that were declined, and did not say so.
    kind, by = keys.take(_Key.WHAT, _kind, OfferKind.DRAW), keys.take(_Key.BY, read_integer, None)
    if by is None or _Key.WHAT in keys.left:
        return None
    return OfferNews(kind=kind, by=by, accepted=accepted, own=keys.take(_Key.OWN, read_flag, False), unknown=keys.left)


def _reminder(stored: object) -> Reminder | None:
    if not isinstance(stored, dict):
        return None
    keys = JsonReader(stored)
    stage = keys.take(_Key.STAGE, _stage, None)
    return None if stage is None else Reminder(stage=stage, unknown=keys.left)


def _kind(value: object) -> OfferKind | None:
    return OfferKind.from_name(value) if isinstance(value, str) else None


def _stage(value: object) -> Stage | None:
    return next((stage for stage in Stage if stage == read_integer(value)), None)


def _is_damaged(unknown: Unknown, known: frozenset[str]) -> bool:
    return unknown == BROKEN_JSON or not known.isdisjoint(unknown)


def _plain(said: Mapping[_Key, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in said.items()}


def _without_none(said: Mapping[_Key, Any]) -> dict[str, Any]:
    return {str(name): value for name, value in said.items() if value is not None}
