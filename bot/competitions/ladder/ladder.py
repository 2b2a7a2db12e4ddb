"""The state of a ladder, folded from its events and their times alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from bot.competitions import rules_1
from bot.competitions.events import Ended, Entered, Excluded, InvalidCompetition, Left
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
    LadderTerms,
)
from bot.competitions.state import CompetitionState, Entrant

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


@dataclass(frozen=True)
class Climber(Entrant):
    """A climber: `idle_since` is when they last played or joined, plus the length of holidays since.

    `warned_at` is when they were warned, `begun` the number of games that they began (by the rules of version 1 minus
    those that the other began).
    """

    idle_since: datetime = field(kw_only=True)
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
class Ladder(CompetitionState[LadderTerms, Climber]):
    """The state of a ladder: `order` has the climbers from the top down, `open` the open challenges.

    `met` is when a pair's last challenge ended, as long as that matters; `made` is the number of challenges so far.
    """

    order: tuple[int, ...] = ()
    open: Mapping[int, Challenge] = field(default_factory=dict)
    met: Mapping[Pair, datetime] = field(default_factory=dict)
    made: int = 0

    created_by = LadderCreated

    @property
    def present(self) -> tuple[int, ...]:
        """The climbers on the ladder, from the top down."""
        return self.order

    def without(self, at: datetime, entrant: Climber) -> Ladder:
        """Return the ladder after somebody has gone, whose changed entry this is: their challenges go with them."""
        stands = self
        for each in self.open.values():
            if entrant.number in (each.challenger, each.challenged):
                stands = _done(stands, at, each)
        order = tuple(each for each in stands.order if each != entrant.number)
        return replace(stands.with_entrants(entrant), order=order)

    def place(self, entrant: int) -> int | None:
        """Return a climber's place from 1, None if they are not on the ladder."""
        return self.order.index(entrant) + 1 if entrant in self.order else None

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
        one, other = self.entrants[challenge.challenger], self.entrants[challenge.challenged]
        return None if one.begun == other.begun else min(one, other, key=lambda climber: climber.begun).number

    def sinks_at(self, entrant: int) -> datetime:
        """Return when a climber sinks unless they play."""
        climber = self.entrants[entrant]
        due = climber.idle_since + IDLE_LIMIT
        # Leave time to play after a late warning.
        return due if climber.warned_at is None else max(due, climber.warned_at + WARNING_LEAD)

    def last_met(self, one: int, other: int, now: datetime) -> datetime | None:
        """Return when a pair's challenge ended within the last week, None if there was none."""
        found = self.met.get(frozenset((one, other)))
        return found if found is not None and now < found + REMATCH_INTERVAL else None


def _challenge(stands: Ladder, number: int) -> Challenge:
    if number not in stands.open:
        raise InvalidCompetition("no-challenge", challenge=number)
    return stands.open[number]


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
    known = stands.entrants.get(event.entrant)
    climber = Climber(event.entrant, event.cause, idle_since=at, begun=known.begun if known is not None else 0)
    return replace(stands.admit(climber, MAX_CLIMBERS), order=(*stands.order, event.entrant))


def _on_holiday(stands: Ladder, at: datetime, event: ClimberAway) -> Ladder:
    climber = stands.find_entrant(event.entrant)
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
    return replace(stands.with_entrants(changed), open=waiting)


def _challenged(stands: Ladder, at: datetime, event: Challenged) -> Ladder:
    one, other = stands.find_entrant(event.challenger), stands.find_entrant(event.challenged)
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
        first, second = rules_1.take_seats(stands.entrants[challenge.challenger], stands.entrants[challenge.challenged])
    else:
        first, second = _take_seats(stands, challenge, event.first)
    changed = replace(challenge, accepted=True, seats=(first.number, second.number))
    return replace(stands.with_entrants(first, second), open={**stands.open, challenge.number: changed})


def _take_seats(stands: Ladder, challenge: Challenge, drawn: int | None) -> tuple[Climber, Climber]:
    """Return who begins a game and who does not, counted: who has begun fewer games, else whom the lot has `drawn`."""
    fewer, pair = stands.next_to_begin(challenge), (challenge.challenger, challenge.challenged)
    if (drawn is not None) if fewer is not None else (drawn not in pair):
        raise InvalidCompetition("other-lot", challenge=challenge.number)
    begins = stands.entrants[pair[0] if pair[0] in (fewer, drawn) else pair[1]]
    follows = stands.entrants[pair[1] if begins.number == pair[0] else pair[0]]
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
        for climber in (stands.entrants[each] for each in challenge.seats)
    ]
    return replace(_done(stands.with_entrants(*played), at, challenge), order=order)


def _apply_warning(stands: Ladder, at: datetime, event: ClimberWarned) -> Ladder:
    climber = stands.find_entrant(event.entrant)
    if climber.warned_at is not None or at < stands.sinks_at(event.entrant) - WARNING_LEAD:
        raise InvalidCompetition("too-early", entrant=event.entrant)
    return stands.with_entrants(replace(climber, warned_at=at))


def _sank(stands: Ladder, at: datetime, event: ClimberSank) -> Ladder:
    climber = stands.find_entrant(event.entrant)
    if climber.warned_at is None or at < stands.sinks_at(event.entrant) or stands.is_playing(event.entrant):
        raise InvalidCompetition("too-early", entrant=event.entrant)
    place = stands.order.index(event.entrant)
    rest = tuple(each for each in stands.order if each != event.entrant)
    down = place + stands.step
    order = (*rest[:down], event.entrant, *rest[down:])
    return replace(stands.with_entrants(replace(climber, idle_since=at, warned_at=None)), order=order)


def _apply_end(stands: Ladder, _at: datetime, _event: Ended) -> Ladder:
    return replace(stands, stage="over", open={})


Ladder.handlers = {
    Entered: _apply_joining,
    Left: Ladder.leave,
    Excluded: Ladder.exclude,
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
