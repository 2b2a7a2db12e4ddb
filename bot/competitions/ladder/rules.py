"""The rules for challenges on a ladder, and its automatic steps."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, Literal

from bot.competitions.ladder.events import (
    ChallengeClosed,
    ClimberAway,
    ClimberSank,
    ClimberWarned,
    Closing,
    LadderEvent,
)
from bot.competitions.ladder.ladder import WARNING_LEAD, Challenge, Ladder
from engine.fair import Draw

Refusals = frozenset[tuple[int, int]]
"""Pairs of climbers of whom the first has blocked the second."""

NO_REFUSALS: Final[Refusals] = frozenset()

ChallengeProblem = Literal[
    "not-in", "they-are-not-in", "yourself", "not-above", "too-far", "busy", "they-are-busy", "too-soon", "blocked"
]


def draw_beginner(stands: Ladder, seed: str, challenge: Challenge) -> int | None:
    """Return who begins the game of a challenge by the lot, None where it follows from the games begun so far."""
    if stands.rules_version == 1 or stands.next_to_begin(challenge) is not None:
        return None
    pair = sorted((challenge.challenger, challenge.challenged))
    return pair[Draw(seed, f"{stands.code}\n", challenge.number).randrange(2)]


def challenge_problem(
    stands: Ladder, challenger: int, challenged: int, now: datetime, blocked: Refusals = NO_REFUSALS
) -> ChallengeProblem | None:
    """Return a code for why a climber may not challenge another now, None if they may."""
    mine, theirs = stands.place(challenger), stands.place(challenged)
    if mine is None:
        return "not-in"
    if theirs is None:
        return "they-are-not-in"
    if challenger == challenged:
        return "yourself"
    if theirs > mine:
        return "not-above"
    if _is_blocked(challenger, challenged, blocked):
        return "blocked"
    if challenged not in _in_reach(stands, challenger, blocked):
        return "too-far"
    if stands.outgoing(challenger) is not None:
        return "busy"
    given = stands.incoming(challenger)
    if stands.incoming(challenged) is not None or (given is not None and given.challenger == challenged):
        return "they-are-busy"
    return "too-soon" if stands.last_met(challenger, challenged, now) is not None else None


def list_challengeable(
    stands: Ladder, challenger: int, now: datetime, blocked: Refusals = NO_REFUSALS
) -> tuple[int, ...]:
    """Return whom a climber may challenge now, from the top down."""
    return tuple(
        each
        for each in _in_reach(stands, challenger, blocked)
        if challenge_problem(stands, challenger, each, now, blocked) is None
    )


def _in_reach(stands: Ladder, challenger: int, blocked: Refusals) -> tuple[int, ...]:
    """Return the climbers above within reach; those with a block between them are skipped."""
    if challenger not in stands.order:
        return ()
    above = stands.order[: stands.order.index(challenger)]
    there = [each for each in above if not _is_blocked(challenger, each, blocked)]
    return tuple(there[-stands.reach :])


def _is_blocked(one: int, other: int, blocked: Refusals) -> bool:
    return (one, other) in blocked or (other, one) in blocked


def due_events(
    stands: Ladder, now: datetime, holidays_until: Mapping[int, datetime], blocked: Refusals = NO_REFUSALS
) -> tuple[LadderEvent, ...]:
    """Return the next automatic events; call it again after storing them.

    `holidays_until` has the ends of holidays by climber, including past ones.
    """
    if stands.over:
        return ()
    holidays = [
        ClimberAway(entrant, holidays_until.get(entrant, now))
        for entrant in stands.order
        if _is_holiday_new(stands, entrant, now, holidays_until.get(entrant))
    ]
    if holidays:
        return tuple(holidays)
    for challenge in stands.open.values():
        if challenge.accepted:
            continue
        # The player who blocks the other concedes or withdraws; otherwise a block would hold a place.
        if (challenge.challenged, challenge.challenger) in blocked:
            return (ChallengeClosed(challenge.number, Closing.CONCEDED),)
        if (challenge.challenger, challenge.challenged) in blocked:
            return (ChallengeClosed(challenge.number, Closing.WITHDRAWN),)
        if challenge.answer_by <= now:
            return (ChallengeClosed(challenge.number, Closing.FORFEITED),)
    # From the top down, so that two who sink at once keep their order.
    for entrant in stands.order:
        if stands.is_playing(entrant) or entrant == stands.order[-1]:
            continue
        if stands.entrants[entrant].warned_at is not None:
            if stands.sinks_at(entrant) <= now:
                return (ClimberSank(entrant),)
        elif stands.sinks_at(entrant) - WARNING_LEAD <= now:
            return (ClimberWarned(entrant),)
    return ()


def _is_holiday_new(stands: Ladder, entrant: int, now: datetime, until: datetime | None) -> bool:
    """Return whether a climber's holiday, or its early end, is not recorded yet."""
    known = stands.entrants[entrant].away_until
    if until is not None and until > now:
        return until != known
    return known is not None and known > now


def next_due_at(stands: Ladder) -> datetime | None:
    """Return the time of the next automatic step, if nothing else happens before."""
    if stands.over:
        return None
    times = [each.answer_by for each in stands.open.values() if not each.accepted]
    for entrant in stands.order[:-1]:
        if not stands.is_playing(entrant):
            lead = timedelta() if stands.entrants[entrant].warned_at is not None else WARNING_LEAD
            times.append(stands.sinks_at(entrant) - lead)
    return min(times, default=None)
