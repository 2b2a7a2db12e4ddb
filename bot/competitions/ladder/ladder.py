"""The state of a ladder, folded from its events and their times alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal, cast

from bot.competitions import rules_1
from bot.competitions.events import Ended, Entered, Excluded, InvalidCompetition, Leaving, Left
from bot.competitions.ladder.events import (
    MAX_CLIMBERS,
    ChallengeAccepted,
    ChallengeAttached,
    ChallengeClosed,
    Challenged,
    ChallengeResult,
    ClimberAway,
    ClimberSank,
    ClimberWarned,
    Closing,
    LadderCreated,
    LadderEvent,
    LadderTerms,
)
from bot.competitions.replaying import replay_timed_events

MIN_REACH: Final = 3
"""Minimum number of places above that can be challenged."""
REACH_FRACTION: Final = 10
"""This fraction of the ladder above can be challenged if it is more; inactive climbers sink by it, too."""
REMATCH_INTERVAL: Final = timedelta(days=7)
IDLE_LIMIT: Final = timedelta(days=30)
"""Time without a game after which a climber sinks."""
WARNING_LEAD: Final = timedelta(days=7)
"""Time between the warning and sinking."""

Pair = frozenset[int]
TimedEvent = tuple[datetime, LadderEvent]


@dataclass(frozen=True)
class Climber:
    """A climber: `idle_since` is when they last played or joined, plus the length of holidays since.

    `warned_at` is when they were warned, `begun` the number of games that they began (by the rules of version 1 minus
    those that the other began).
    """

    number: int
    cause: str
    idle_since: datetime
    state: Literal["in", "left", "excluded"] = "in"
    why: Leaving | None = None
    warned_at: datetime | None = None
    away_until: datetime | None = None
    begun: int = 0


@dataclass(frozen=True)
class Challenge:
    """An open challenge: it waits for the answer until `answer_by`, for its game, or for the game's end."""

    number: int
    challenger: int
    challenged: int
    made_at: datetime
    answer_by: datetime
    accepted: bool = False
    seats: tuple[int, int] | None = None
    game: str | None = None


@dataclass(frozen=True)
class Ladder:
    """The state of a ladder: `order` has the climbers from the top down, `open` the open challenges.

    `met` is when a pair's last challenge ended, as long as that matters; `made` is the number of challenges so far,
    `revision` the number of events.
    """

    terms: LadderTerms
    code: str
    seed_hash: str
    over: bool = False
    climbers: Mapping[int, Climber] = field(default_factory=dict)
    order: tuple[int, ...] = ()
    open: Mapping[int, Challenge] = field(default_factory=dict)
    met: Mapping[Pair, datetime] = field(default_factory=dict)
    made: int = 0
    revision: int = 1
    rules_version: int = 1

    @classmethod
    def replay(cls, events: Iterable[TimedEvent]) -> Ladder:
        """Return the state after these events; InvalidCompetition has the number of the first invalid one."""
        return replay_timed_events(events, cls.created, cls.apply)

    @classmethod
    def created(cls, event: LadderEvent) -> Ladder:
        """Return the state after the first event."""
        if not isinstance(event, LadderCreated):
            raise InvalidCompetition("not-created")
        return cls(event.terms, event.code, event.seed_hash, rules_version=event.rules_version)

    def apply(self, at: datetime, event: LadderEvent) -> Ladder:
        """Return the state after one more event; InvalidCompetition has a code that says why it is invalid."""
        if self.over:
            # Record games that were running at the end; they move nobody.
            raise InvalidCompetition("over")
        follow = cast("Callable[[Ladder, datetime, Any], Ladder] | None", _HANDLERS.get(type(event)))
        if follow is None:
            raise InvalidCompetition("created-already")
        return replace(follow(self, at, event), revision=self.revision + 1)

    def place(self, entrant: int) -> int | None:
        """Return a climber's place from 1, None if they are not on the ladder."""
        return self.order.index(entrant) + 1 if entrant in self.order else None

    @property
    def entrant_count(self) -> int:
        """How many have ever entered."""
        return len(self.climbers)

    @property
    def present(self) -> tuple[int, ...]:
        """The climbers on the ladder."""
        return self.order

    def is_excluded(self, entrant: int) -> bool:
        """Return whether a climber was excluded and cannot come back."""
        return self.climbers[entrant].state == "excluded"

    @property
    def step(self) -> int:
        """A tenth of the ladder in places, at least one."""
        return max(1, len(self.order) // REACH_FRACTION)

    @property
    def reach(self) -> int:
        """The number of places above that can be challenged."""
        return max(MIN_REACH, len(self.order) // REACH_FRACTION)

    def outgoing(self, entrant: int) -> Challenge | None:
        """Return the open challenge that a climber has made."""
        return next((each for each in self.open.values() if each.challenger == entrant), None)

    def incoming(self, entrant: int) -> Challenge | None:
        """Return the open challenge to a climber."""
        return next((each for each in self.open.values() if each.challenged == entrant), None)

    def is_playing(self, entrant: int) -> bool:
        """Return whether a climber has a running game of the ladder, or one about to begin."""
        return any(each.accepted and entrant in (each.challenger, each.challenged) for each in self.open.values())

    def next_to_begin(self, challenge: Challenge) -> int | None:
        """Return who begins the game of a challenge because they have begun fewer games, None if the lot decides."""
        one, other = self.climbers[challenge.challenger], self.climbers[challenge.challenged]
        return None if one.begun == other.begun else min(one, other, key=lambda climber: climber.begun).number

    def sinks_at(self, entrant: int) -> datetime:
        """Return when a climber sinks unless they play."""
        climber = self.climbers[entrant]
        due = climber.idle_since + IDLE_LIMIT
        # Leave time to play after a late warning.
        return due if climber.warned_at is None else max(due, climber.warned_at + WARNING_LEAD)

    def last_met(self, one: int, other: int, now: datetime) -> datetime | None:
        """Return when a pair's challenge ended within the last week, None if there was none."""
        found = self.met.get(frozenset((one, other)))
        return found if found is not None and now < found + REMATCH_INTERVAL else None


def _climber(stands: Ladder, entrant: int) -> Climber:
    if entrant not in stands.order:
        raise InvalidCompetition("no-entrant", entrant=entrant)
    return stands.climbers[entrant]


def _challenge(stands: Ladder, number: int) -> Challenge:
    if number not in stands.open:
        raise InvalidCompetition("no-challenge", challenge=number)
    return stands.open[number]


def _with(stands: Ladder, *climbers: Climber) -> Ladder:
    return replace(stands, climbers={**stands.climbers, **{each.number: each for each in climbers}})


def _done(stands: Ladder, at: datetime, challenge: Challenge) -> Ladder:
    """Return the ladder without an open challenge; it records that the two have met."""
    left = {number: each for number, each in stands.open.items() if number != challenge.number}
    met = {pair: when for pair, when in stands.met.items() if at < when + REMATCH_INTERVAL}
    met[frozenset((challenge.challenger, challenge.challenged))] = at
    return replace(stands, open=left, met=met)


def _winner_above(order: tuple[int, ...], winner: int, loser: int) -> tuple[int, ...]:
    """Return the order after the winner has taken the higher place; everybody between moves by one."""
    if order.index(winner) < order.index(loser):
        return order
    at = order.index(loser)
    rest = tuple(each for each in order if each != winner)
    return (*rest[:at], winner, *rest[at:])


def _apply_joining(stands: Ladder, at: datetime, event: Entered) -> Ladder:
    known = stands.climbers.get(event.entrant)
    if known is None and event.entrant != len(stands.climbers):
        raise InvalidCompetition("entrant-number", entrant=event.entrant)
    if known is not None and known.state != "left":
        raise InvalidCompetition("entered-already" if known.state == "in" else "excluded", entrant=event.entrant)
    if len(stands.order) >= MAX_CLIMBERS:
        raise InvalidCompetition("full")
    begun = known.begun if known is not None else 0
    climber = Climber(event.entrant, event.cause, at, begun=begun)
    return replace(_with(stands, climber), order=(*stands.order, event.entrant))


def _apply_leaving(stands: Ladder, at: datetime, event: Left) -> Ladder:
    return _apply_exclusion(stands, at, replace(_climber(stands, event.entrant), state="left", why=event.why))


def _excluded(stands: Ladder, at: datetime, event: Excluded) -> Ladder:
    known = stands.climbers.get(event.entrant)
    if known is not None and known.state == "left":
        return _with(stands, replace(known, state="excluded"))  # excluded climbers cannot return
    return _apply_exclusion(stands, at, replace(_climber(stands, event.entrant), state="excluded"))


def _apply_exclusion(stands: Ladder, at: datetime, climber: Climber) -> Ladder:
    for each in stands.open.values():
        if climber.number in (each.challenger, each.challenged):
            stands = _done(stands, at, each)
    order = tuple(each for each in stands.order if each != climber.number)
    return replace(_with(stands, climber), order=order)


def _on_holiday(stands: Ladder, at: datetime, event: ClimberAway) -> Ladder:
    climber = _climber(stands, event.entrant)
    # A changed holiday replaces what was added for the earlier one.
    before = max(at, climber.away_until or at)
    by = max(at, event.until) - before
    warned_at = climber.warned_at + by if climber.warned_at is not None else None
    changed = replace(climber, away_until=event.until, idle_since=climber.idle_since + by, warned_at=warned_at)
    waiting = {
        number: replace(each, answer_by=each.answer_by + by)
        if event.entrant in (each.challenger, each.challenged) and not each.accepted
        else each
        for number, each in stands.open.items()
    }
    return replace(_with(stands, changed), open=waiting)


def _challenged(stands: Ladder, at: datetime, event: Challenged) -> Ladder:
    one, other = _climber(stands, event.challenger), _climber(stands, event.challenged)
    mine, theirs = stands.order.index(one.number), stands.order.index(other.number)
    # The distance may exceed the reach: blocked players are skipped, and events must not tell who they are.
    if theirs >= mine:
        raise InvalidCompetition("not-above", entrant=other.number)
    if stands.outgoing(one.number) is not None:
        raise InvalidCompetition("challenging-already", entrant=one.number)
    if stands.incoming(other.number) is not None:
        raise InvalidCompetition("challenged-already", entrant=other.number)
    if any({each.challenger, each.challenged} == {one.number, other.number} for each in stands.open.values()):
        raise InvalidCompetition("challenged-already", entrant=other.number)
    if stands.last_met(one.number, other.number, at) is not None:
        raise InvalidCompetition("too-soon", entrant=other.number)
    answer_by = at + timedelta(days=stands.terms.days)
    for each in (one, other):
        if each.away_until is not None and each.away_until > at:
            answer_by = max(answer_by, each.away_until + timedelta(days=stands.terms.days))
    challenge = Challenge(stands.made, one.number, other.number, at, answer_by)
    return replace(stands, open={**stands.open, challenge.number: challenge}, made=stands.made + 1)


def _accepted(stands: Ladder, _at: datetime, event: ChallengeAccepted) -> Ladder:
    challenge = _challenge(stands, event.challenge)
    if challenge.accepted:
        raise InvalidCompetition("accepted-already", challenge=event.challenge)
    if stands.rules_version == 1:
        first, second = rules_1.take_seats(stands.climbers[challenge.challenger], stands.climbers[challenge.challenged])
    else:
        first, second = _take_seats(stands, challenge, event.first)
    changed = replace(challenge, accepted=True, seats=(first.number, second.number))
    return replace(_with(stands, first, second), open={**stands.open, challenge.number: changed})


def _take_seats(stands: Ladder, challenge: Challenge, drawn: int | None) -> tuple[Climber, Climber]:
    """Return who begins a game and who does not, counted: who has begun fewer games, else whom the lot has `drawn`."""
    fewer, pair = stands.next_to_begin(challenge), (challenge.challenger, challenge.challenged)
    if (drawn is not None) if fewer is not None else (drawn not in pair):
        raise InvalidCompetition("other-lot", challenge=challenge.number)
    begins = stands.climbers[pair[0] if pair[0] in (fewer, drawn) else pair[1]]
    follows = stands.climbers[pair[1] if begins.number == pair[0] else pair[0]]
    return replace(begins, begun=begins.begun + 1), follows


def _apply_closing(stands: Ladder, at: datetime, event: ChallengeClosed) -> Ladder:
    challenge = _challenge(stands, event.challenge)
    if challenge.accepted:
        raise InvalidCompetition("accepted-already", challenge=event.challenge)
    if event.why == Closing.FORFEITED and at < challenge.answer_by:
        raise InvalidCompetition("too-early", challenge=event.challenge)
    done = _done(stands, at, challenge)
    if event.why == Closing.WITHDRAWN:
        return done
    return replace(done, order=_winner_above(stands.order, challenge.challenger, challenge.challenged))


def _apply_attachment(stands: Ladder, _at: datetime, event: ChallengeAttached) -> Ladder:
    challenge = _challenge(stands, event.challenge)
    if not challenge.accepted or challenge.game is not None:
        raise InvalidCompetition("attached-already", challenge=event.challenge)
    if any(each.game == event.game for each in stands.open.values()):
        raise InvalidCompetition("game-twice", game=event.game)
    return replace(stands, open={**stands.open, challenge.number: replace(challenge, game=event.game)})


def _result(stands: Ladder, at: datetime, event: ChallengeResult) -> Ladder:
    challenge = _challenge(stands, event.challenge)
    if challenge.game is None or challenge.seats is None or min(event.places) != 1:
        raise InvalidCompetition("no-game", challenge=event.challenge)
    order = stands.order
    if event.places.count(1) == 1:
        first = event.places.index(1)
        order = _winner_above(order, challenge.seats[first], challenge.seats[1 - first])
    played = [
        replace(climber, idle_since=max(at, climber.away_until or at), warned_at=None)
        for climber in (stands.climbers[each] for each in challenge.seats)
    ]
    return replace(_done(_with(stands, *played), at, challenge), order=order)


def _apply_warning(stands: Ladder, at: datetime, event: ClimberWarned) -> Ladder:
    climber = _climber(stands, event.entrant)
    if climber.warned_at is not None or at < stands.sinks_at(event.entrant) - WARNING_LEAD:
        raise InvalidCompetition("too-early", entrant=event.entrant)
    return _with(stands, replace(climber, warned_at=at))


def _sank(stands: Ladder, at: datetime, event: ClimberSank) -> Ladder:
    climber = _climber(stands, event.entrant)
    if climber.warned_at is None or at < stands.sinks_at(event.entrant) or stands.is_playing(event.entrant):
        raise InvalidCompetition("too-early", entrant=event.entrant)
    place = stands.order.index(event.entrant)
    rest = tuple(each for each in stands.order if each != event.entrant)
    down = place + stands.step
    order = (*rest[:down], event.entrant, *rest[down:])
    return replace(_with(stands, replace(climber, idle_since=at, warned_at=None)), order=order)


def _apply_end(stands: Ladder, _at: datetime, _event: Ended) -> Ladder:
    return replace(stands, over=True, open={})


_HANDLERS: Final[Mapping[type[LadderEvent], Callable[..., Ladder]]] = {
    Entered: _apply_joining,
    Left: _apply_leaving,
    Excluded: _excluded,
    ClimberAway: _on_holiday,
    Challenged: _challenged,
    ChallengeAccepted: _accepted,
    ChallengeClosed: _apply_closing,
    ChallengeAttached: _apply_attachment,
    ChallengeResult: _result,
    ClimberWarned: _apply_warning,
    ClimberSank: _sank,
    Ended: _apply_end,
}
