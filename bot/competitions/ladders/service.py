"""Stored ladders, the actions of people, and the job that takes the due steps.

Each step is stored only if the competition still has the revision for which it was decided, so a repeated step changes
nothing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.competitions.events import Events, InvalidCompetition
from bot.competitions.keeper import (
    CompetitionAction,
    CompetitionKeeper,
    StoredCompetition,
    check_installed,
    read_timed_event,
)
from bot.competitions.ladder import (
    LADDER_CODEC,
    REMATCH_INTERVAL,
    Challenge,
    ChallengeAccepted,
    ChallengeClosed,
    Challenged,
    ClimberWarned,
    Closing,
    Ladder,
    challenge_problem,
    draw_beginner,
    due_events,
)
from bot.kernel.context import Context
from bot.kernel.refusals import Refused
from bot.kernel.texts import Span
from bot.lobby.service import check_limit
from storage import CompetitionChange, CompetitionRow

StoredLadder = StoredCompetition[Ladder]


class LadderKeeper(CompetitionKeeper[Ladder]):
    """Reads, stores and advances ladders."""

    kind = "ladder"
    state = Ladder
    already = "refusal.ladder-on"
    not_in = "refusal.ladder.not-in"
    counts_durations = True

    async def due_events(self, context: Context, found: StoredLadder) -> Events:
        """Return the automatic events that are due, except games and their results."""
        return due_events(found.state, context.clock(), _holidays(found), found.refusals)

    async def with_consequences(
        self,
        context: Context,
        found: StoredLadder,
        _after: Ladder,
        events: Events,
        change: CompetitionChange,
    ) -> CompetitionChange:
        """Return a change with notices for climbers who are challenged or warned."""
        about = dict[int, str]()
        for event in events:
            if isinstance(event, Challenged):
                about[event.challenged] = f"challenge:{found.state.made}"
            elif isinstance(event, ClimberWarned):
                about[event.entrant] = f"sinks:{event.entrant}:{found.state.revision}"
        return replace(change, notices=self.make_notices(context, found, about))


LADDERS: Final = LadderKeeper()


async def ladder_at(
    context: Context, row: CompetitionRow, since: datetime, until: datetime
) -> tuple[StoredLadder, bool]:
    """Return a ladder at the end of a period, and whether a game ended on it in the period; Refused."""
    stored = [each for each in await context.store.competitions.events(row.id) if each.at < until]
    timed = [read_timed_event(context.clock, LADDER_CODEC, each) for each in stored]
    try:
        state = await asyncio.to_thread(Ladder.replay, timed)
    except InvalidCompetition as error:
        raise Refused("refusal.cup-broken", code=row.id) from error
    played = any(each.kind == "result" and each.at >= since for each in stored)
    return replace(await LADDERS.read(context, row), state=state), played


async def challenge(action: CompetitionAction[Ladder]) -> Sequence[Challenged]:
    """Challenge a higher climber for their place; Refused with the rule that forbids it."""
    ladder, own, other, now = action.found, action.own, action.number, action.context.clock()
    problem = challenge_problem(ladder.state, own, other, now, ladder.refusals)
    if problem is not None:
        who = Span(ladder.name(other), bold=True)
        last = ladder.state.last_met(own, other, now)
        when = action.requester.speaker.time(last + REMATCH_INTERVAL) if last is not None else ""
        raise Refused(f"refusal.ladder.{problem}", who=who, n=ladder.state.reach, when=when)
    return (Challenged(own, other),)


async def accept(action: CompetitionAction[Ladder]) -> Sequence[ChallengeAccepted]:
    """Accept a challenge: its game is opened next."""
    await check_limit(action.context, action.requester)
    challenge = _find_open(action)
    check_installed(action.context, action.found.row)
    return (ChallengeAccepted(challenge.number, draw_beginner(action.state, action.found.row.seed, challenge)),)


async def concede(action: CompetitionAction[Ladder]) -> Sequence[ChallengeClosed]:
    """Concede a challenge, so that the challenger gets the place without a game."""
    return (ChallengeClosed(_find_open(action).number, Closing.CONCEDED),)


async def withdraw(action: CompetitionAction[Ladder]) -> Sequence[ChallengeClosed]:
    """Withdraw the requester's own challenge."""
    return (ChallengeClosed(_find_open(action, own=True).number, Closing.WITHDRAWN),)


def _find_open(action: CompetitionAction[Ladder], *, own: bool = False) -> Challenge:
    """Return an unanswered challenge to the requester, or by the requester (`own`); Refused if there is none."""
    entrant, found = action.own, action.state.open.get(action.number)
    if found is None or found.accepted:
        raise Refused("refusal.ladder-answered")
    if entrant != (found.challenger if own else found.challenged):
        raise Refused("refusal.ladder-not-yours")
    return found


def _holidays(ladder: StoredLadder) -> dict[int, datetime]:
    """Return the end of each climber's current or last holiday."""
    people = {number: ladder.person_of(number) for number in ladder.state.order}
    untils = {number: person.settings.get("holiday_until") for number, person in people.items() if person is not None}
    return {number: datetime.fromisoformat(until) for number, until in untils.items() if until}
