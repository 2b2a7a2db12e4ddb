"""The state of a ladder, folded from its events and their times alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Annotated, Final, Literal

from pydantic import Field

from bot.competitions import rules_1
from bot.competitions.competition import CompetitionState, CurrentGame, Entrant
from bot.competitions.events import (
    AbsentSeats,
    CommonTerms,
    CompetitionEvent,
    Created,
    Ended,
    Entered,
    Entrants,
    EventCodec,
    Events,
    EventTime,
    Excluded,
    InvalidCompetition,
    Left,
    OfEntrant,
    Places,
    RulesVersion,
    Short,
    Whole,
)
from engine.fair import Draw

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
class LadderCreated(Created):
    """A person made a ladder."""

    terms: LadderTerms
    rules_version: RulesVersion = 1


@dataclass(frozen=True)
class ClimberAway(OfEntrant):
    """A person is on holiday until a time: it extends their deadlines and their month without a game."""

    until: EventTime


@dataclass(frozen=True)
class Challenged(CompetitionEvent):
    """A climber challenges a higher one; challenges are numbered from 0."""

    challenger: Whole
    challenged: Whole


@dataclass(frozen=True)
class ChallengeAccepted(CompetitionEvent):
    """The challenged climber accepts; the game is opened next.

    `first` is who begins by the lot, if both have begun equally often; otherwise None, as always by the rules of
    version 1.
    """

    challenge: Whole
    first: Whole | None = None


@dataclass(frozen=True)
class ChallengeClosed(CompetitionEvent):
    """A challenge ended without a game."""

    challenge: Whole
    why: Annotated[Closing, Field(strict=False)]


@dataclass(frozen=True)
class ChallengeAttached(CompetitionEvent):
    """The game of a challenge was opened; `game` is its id."""

    challenge: Whole
    game: Short


@dataclass(frozen=True)
class ChallengeResult(CompetitionEvent):
    """The game of a challenge ended: the places of its seats (1 is best), and the reason."""

    challenge: Whole
    places: Annotated[tuple[Annotated[int, Field(ge=1, le=2)], ...], Field(min_length=2, max_length=2)]
    reason: Short


@dataclass(frozen=True)
class ClimberWarned(OfEntrant):
    """A climber is warned that they will sink unless they play."""


@dataclass(frozen=True)
class ClimberSank(OfEntrant):
    """A climber who has not played for a month sinks by a tenth."""


def _end_challenge(challenge: int, places: Places, reason: str, _absent: AbsentSeats) -> ChallengeResult:
    return ChallengeResult(challenge, places, reason)


def _shift_times(event: CompetitionEvent, by: timedelta) -> CompetitionEvent:
    return replace(event, until=event.until + by) if isinstance(event, ClimberAway) else event


LADDER_CODEC: Final = EventCodec(
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

    `warned_at` is when they were warned. `begun` is the number of games that they began (by the rules of version 1,
    minus the games that the other began).
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

    @property
    def pair(self) -> tuple[int, int]:
        """The challenger and the challenged climber."""
        return self.challenger, self.challenged


@dataclass(frozen=True)
class Ladder(CompetitionState[LadderTerms, Climber]):
    """The state of a ladder: `order` has the climbers from the top down, `open` the open challenges.

    `met` is when a pair's last challenge ended, as long as that matters; `made` is the number of challenges so far.
    """

    order: Entrants = ()
    open: Mapping[int, Challenge] = field(default_factory=dict)
    met: Mapping[Pair, datetime] = field(default_factory=dict)
    made: int = 0

    created_by = LadderCreated
    codec = LADDER_CODEC
    capacity = MAX_CLIMBERS

    @property
    def present(self) -> Entrants:
        """The climbers on the ladder, from the top down."""
        return self.order

    @property
    def next_due_at(self) -> datetime | None:
        """The time of the next automatic step, if nothing else happens before."""
        times = [each.answer_by for each in self.open.values() if not each.accepted]
        times += [self.warns_or_sinks_at(each) for each in self.order[:-1] if not self.is_playing(each)]
        return min(times, default=None)

    def current_games(self) -> Iterator[CurrentGame]:
        """Yield the games of accepted challenges."""
        for each in self.open.values():
            if each.seats is not None:
                attached, ended = partial(ChallengeAttached, each.number), partial(_end_challenge, each.number)
                yield CurrentGame(f"challenge {each.number}", each.seats, each.game, attached, ended)

    def without(self, entrant: Climber) -> Ladder:
        """Return the ladder after a person has gone, without their challenges; `entrant` is their changed entry."""
        state = self
        for each in self.open.values():
            if entrant.number in each.pair:
                state = _done(state, each)
        order = tuple(each for each in state.order if each != entrant.number)
        return replace(state.with_entrants(entrant), order=order)

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
        return any(each.accepted and entrant in each.pair for each in self.open.values())

    def next_to_begin(self, challenge: Challenge) -> int | None:
        """Return who begins the game of a challenge because they have begun fewer games, None if the lot decides."""
        one, other = (self.entrants[each] for each in challenge.pair)
        return None if one.begun == other.begun else min(one, other, key=lambda climber: climber.begun).number

    def sinks_at(self, entrant: int) -> datetime:
        """Return when a climber sinks unless they play."""
        climber = self.entrants[entrant]
        due = climber.idle_since + IDLE_LIMIT
        # Leave time to play after a late warning.
        return due if climber.warned_at is None else max(due, climber.warned_at + WARNING_LEAD)

    def warns_or_sinks_at(self, entrant: int) -> datetime:
        """Return when a climber is warned, or sinks if they were, unless they play."""
        lead = timedelta() if self.entrants[entrant].warned_at is not None else WARNING_LEAD
        return self.sinks_at(entrant) - lead

    def last_met(self, one: int, other: int, now: datetime) -> datetime | None:
        """Return when a pair's challenge ended within the last week, None if there was none."""
        found = self.met.get(frozenset((one, other)))
        return found if found is not None and now < found + REMATCH_INTERVAL else None


def _challenge(state: Ladder, number: int) -> Challenge:
    if number not in state.open:
        raise InvalidCompetition("no-challenge")
    return state.open[number]


def _done(state: Ladder, challenge: Challenge) -> Ladder:
    """Return the ladder without an open challenge; it records that the two have met."""
    left = {number: each for number, each in state.open.items() if number != challenge.number}
    met = {pair: when for pair, when in state.met.items() if state.at < when + REMATCH_INTERVAL}
    met[frozenset(challenge.pair)] = state.at
    return replace(state, open=left, met=met)


def _winner_above(order: Entrants, winner: int, loser: int) -> Entrants:
    """Return the order after the winner has taken the higher place; everybody between moves down by one."""
    return _move(order, winner, min(order.index(winner), order.index(loser)))


def _move(order: Entrants, entrant: int, to: int) -> Entrants:
    rest = tuple(each for each in order if each != entrant)
    return (*rest[:to], entrant, *rest[to:])


def _apply_joining(state: Ladder, event: Entered) -> Ladder:
    known = state.entrants.get(event.entrant)
    climber = Climber(event.entrant, event.cause, idle_since=state.at, begun=known.begun if known is not None else 0)
    return replace(state.admit(climber), order=(*state.order, event.entrant))


def _on_holiday(state: Ladder, event: ClimberAway) -> Ladder:
    climber = state.find_entrant(event.entrant)
    # A changed holiday replaces the extension by the earlier one.
    before = max(state.at, climber.away_until or state.at)
    by = max(state.at, event.until) - before
    warned_at = climber.warned_at + by if climber.warned_at is not None else None
    changed = replace(climber, away_until=event.until, idle_since=climber.idle_since + by, warned_at=warned_at)
    waiting = {
        number: replace(each, answer_by=each.answer_by + by)
        if event.entrant in each.pair and not each.accepted
        else each
        for number, each in state.open.items()
    }
    return replace(state.with_entrants(changed), open=waiting)


def _challenged(state: Ladder, event: Challenged) -> Ladder:
    one, other = state.find_entrant(event.challenger), state.find_entrant(event.challenged)
    # Do not check the reach: blocked players are skipped, and events must not reveal who they are.
    if state.order.index(other.number) >= state.order.index(one.number):
        raise InvalidCompetition("not-above")
    if problem := _pair_problem(state, one.number, other.number, state.at):
        raise InvalidCompetition(problem)
    answer_by = state.at + timedelta(days=state.terms.days)
    for each in (one, other):
        if each.away_until is not None and each.away_until > state.at:
            answer_by = max(answer_by, each.away_until + timedelta(days=state.terms.days))
    challenge = Challenge(state.made, one.number, other.number, state.at, answer_by)
    return replace(state, open={**state.open, challenge.number: challenge}, made=state.made + 1)


def _accepted(state: Ladder, event: ChallengeAccepted) -> Ladder:
    challenge = _challenge(state, event.challenge)
    if challenge.accepted:
        raise InvalidCompetition("accepted-already")
    if state.rules_version == 1:
        first, second = rules_1.take_seats(*(state.entrants[each] for each in challenge.pair))
    else:
        first, second = _take_seats(state, challenge, event.first)
    changed = replace(challenge, accepted=True, seats=(first.number, second.number))
    return replace(state.with_entrants(first, second), open={**state.open, challenge.number: changed})


def _take_seats(state: Ladder, challenge: Challenge, drawn: int | None) -> tuple[Climber, Climber]:
    """Return who begins a game and who does not, and count it: fewer games begun, else the climber `drawn` by lot."""
    fewer = state.next_to_begin(challenge)
    if (drawn is not None) if fewer is not None else (drawn not in challenge.pair):
        raise InvalidCompetition("other-lot")
    first = drawn if fewer is None else fewer
    begins, follows = (state.entrants[each] for each in sorted(challenge.pair, key=lambda each: each != first))
    return replace(begins, begun=begins.begun + 1), follows


def _apply_closing(state: Ladder, event: ChallengeClosed) -> Ladder:
    challenge = _challenge(state, event.challenge)
    if challenge.accepted:
        raise InvalidCompetition("accepted-already")
    if event.why == Closing.FORFEITED and state.at < challenge.answer_by:
        raise InvalidCompetition("too-early")
    done = _done(state, challenge)
    if event.why == Closing.WITHDRAWN:
        return done
    return replace(done, order=_winner_above(state.order, challenge.challenger, challenge.challenged))


def _apply_attachment(state: Ladder, event: ChallengeAttached) -> Ladder:
    challenge = _challenge(state, event.challenge)
    if not challenge.accepted or challenge.game is not None:
        raise InvalidCompetition("attached-already")
    if any(each.game == event.game for each in state.open.values()):
        raise InvalidCompetition("game-twice")
    return replace(state, open={**state.open, challenge.number: replace(challenge, game=event.game)})


def _result(state: Ladder, event: ChallengeResult) -> Ladder:
    challenge = _challenge(state, event.challenge)
    if challenge.game is None or challenge.seats is None or min(event.places) != 1:
        raise InvalidCompetition("no-game")
    order = state.order
    if event.places.count(1) == 1:
        first = event.places.index(1)
        order = _winner_above(order, challenge.seats[first], challenge.seats[1 - first])
    played = [
        replace(climber, idle_since=max(state.at, climber.away_until or state.at), warned_at=None)
        for climber in (state.entrants[each] for each in challenge.seats)
    ]
    return replace(_done(state.with_entrants(*played), challenge), order=order)


def _apply_warning(state: Ladder, event: ClimberWarned) -> Ladder:
    climber = state.find_entrant(event.entrant)
    if climber.warned_at is not None or state.at < state.warns_or_sinks_at(event.entrant):
        raise InvalidCompetition("too-early")
    return state.with_entrants(replace(climber, warned_at=state.at))


def _sank(state: Ladder, event: ClimberSank) -> Ladder:
    climber = state.find_entrant(event.entrant)
    if (
        climber.warned_at is None
        or state.at < state.warns_or_sinks_at(event.entrant)
        or state.is_playing(event.entrant)
    ):
        raise InvalidCompetition("too-early")
    order = _move(state.order, event.entrant, state.order.index(event.entrant) + state.step)
    return replace(state.with_entrants(replace(climber, idle_since=state.at, warned_at=None)), order=order)


def _apply_end(state: Ladder, _event: Ended) -> Ladder:
    return replace(state, stage="over", open={})


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


Refusals = frozenset[tuple[int, int]]
"""Pairs of climbers of whom the first has blocked the second."""

NO_REFUSALS: Final[Refusals] = frozenset()

ChallengeProblem = Literal[
    "not-in", "they-are-not-in", "yourself", "not-above", "too-far", "busy", "they-are-busy", "too-soon", "blocked"
]


def draw_beginner(state: Ladder, seed: str, challenge: Challenge) -> int | None:
    """Return who begins the game of a challenge by the lot, None if it follows from the games begun so far."""
    if state.rules_version == 1 or state.next_to_begin(challenge) is not None:
        return None
    pair = sorted(challenge.pair)
    return pair[Draw(seed, f"{state.code}\n", challenge.number).randrange(2)]


def challenge_problem(
    state: Ladder, challenger: int, challenged: int, now: datetime, blocked: Refusals = NO_REFUSALS
) -> ChallengeProblem | None:
    """Return a code for the reason why a climber may not challenge another now, None if they may."""
    own, theirs = state.place(challenger), state.place(challenged)
    if own is None:
        return "not-in"
    if theirs is None:
        return "they-are-not-in"
    if challenger == challenged:
        return "yourself"
    if theirs > own:
        return "not-above"
    if _is_blocked(challenger, challenged, blocked):
        return "blocked"
    if challenged not in _in_reach(state, challenger, blocked):
        return "too-far"
    return _pair_problem(state, challenger, challenged, now)


def _pair_problem(state: Ladder, challenger: int, challenged: int, now: datetime) -> ChallengeProblem | None:
    """Return a code for the other challenge that keeps a climber from challenging another now, None without one."""
    if state.outgoing(challenger) is not None:
        return "busy"
    given = state.incoming(challenger)
    if state.incoming(challenged) is not None or (given is not None and given.challenger == challenged):
        return "they-are-busy"
    return "too-soon" if state.last_met(challenger, challenged, now) is not None else None


def list_challengeable(state: Ladder, challenger: int, now: datetime, blocked: Refusals = NO_REFUSALS) -> Entrants:
    """Return the climbers that a climber may challenge now, from the top down."""
    return tuple(
        each
        for each in _in_reach(state, challenger, blocked)
        if challenge_problem(state, challenger, each, now, blocked) is None
    )


def _in_reach(state: Ladder, challenger: int, blocked: Refusals) -> Entrants:
    """Return the climbers above within reach; those with a block between them are skipped."""
    if challenger not in state.order:
        return ()
    above = state.order[: state.order.index(challenger)]
    there = [each for each in above if not _is_blocked(challenger, each, blocked)]
    return tuple(there[-state.reach :])


def _is_blocked(one: int, other: int, blocked: Refusals) -> bool:
    return (one, other) in blocked or (other, one) in blocked


def due_events(
    state: Ladder, now: datetime, holidays_until: Mapping[int, datetime], blocked: Refusals = NO_REFUSALS
) -> Events:
    """Return the next automatic events; call it again after storing them.

    `holidays_until` has the ends of holidays by climber, including past ones.
    """
    if state.over:
        return ()
    holidays = {entrant: holidays_until.get(entrant, now) for entrant in state.order}
    # Record what is new: a holiday, another end of it, or its early end.
    if holiday_changes := tuple(
        ClimberAway(entrant, until)
        for entrant, until in holidays.items()
        if max(until, now) != max(state.entrants[entrant].away_until or now, now)
    ):
        return holiday_changes
    for challenge in state.open.values():
        if challenge.accepted:
            continue
        # The player who blocks the other concedes or withdraws; otherwise a block would protect a place.
        if (challenge.challenged, challenge.challenger) in blocked:
            return (ChallengeClosed(challenge.number, Closing.CONCEDED),)
        if (challenge.challenger, challenge.challenged) in blocked:
            return (ChallengeClosed(challenge.number, Closing.WITHDRAWN),)
        if challenge.answer_by <= now:
            return (ChallengeClosed(challenge.number, Closing.FORFEITED),)
    # From the top down, so that two who sink at once keep their order.
    for entrant in state.order:
        if state.is_playing(entrant) or entrant == state.order[-1]:
            continue
        if state.warns_or_sinks_at(entrant) <= now:
            return ((ClimberWarned if state.entrants[entrant].warned_at is None else ClimberSank)(entrant),)
    return ()
