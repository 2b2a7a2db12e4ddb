"""Stored ladders, the actions of people, and the job that takes the due steps.

Each step is stored only if the competition still has the revision for which it was decided, so a repeated step changes
nothing.
"""

import asyncio
from datetime import datetime
from functools import partial
from typing import Final

from bot.competitions.competition import CupGame
from bot.competitions.events import CompetitionEvent, InvalidCompetition
from bot.competitions.games import CompetitionWorker, open_match
from bot.competitions.keeper import (
    RECHECK_INTERVAL,
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
    ChallengeAttached,
    ChallengeClosed,
    Challenged,
    ChallengeResult,
    ClimberWarned,
    Closing,
    Ladder,
    challenge_problem,
    draw_beginner,
    due_events,
    next_due_at,
)
from bot.kernel.context import Context
from bot.kernel.preferences import NoticeKind
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.texts import Span
from bot.lobby.service import check_limit
from storage import CompetitionRow, NewNotice


class StoredLadder(StoredCompetition[Ladder]):
    """A stored ladder with its state and its people."""


class LadderKeeper(CompetitionKeeper[Ladder, StoredLadder]):
    """Reads and stores ladders."""

    kind = "ladder"
    state = Ladder
    stored = StoredLadder
    already = "refusal.ladder-on"
    not_in = "refusal.ladder.not-in"
    counts_durations = True


LADDERS: Final = LadderKeeper()


async def ladder_at(
    context: Context, row: CompetitionRow, since: datetime, until: datetime
) -> tuple[StoredLadder, bool]:
    """Return a ladder at the end of a period, and whether a game ended on it in the period; Refused."""
    stored = [each for each in await context.store.competitions.events(row.id) if each.at < until]
    timed = [read_timed_event(context, LADDER_CODEC, each) for each in stored]
    try:
        state = await asyncio.to_thread(Ladder.replay, timed)
    except InvalidCompetition as error:
        raise Refused("refusal.cup-broken", code=row.id) from error
    played = any(
        isinstance(event, ChallengeResult) and each.at >= since for each, (_, event) in zip(stored, timed, strict=True)
    )
    found = await LADDERS.read(context, row)
    return StoredLadder(row, found.entries, found.people, state), played


async def challenge(context: Context, requester: RequestContext, code: str, other: int, reply: Reply) -> None:
    """Challenge a higher climber for their place; Refused with the rule that forbids it."""

    def step(ladder: StoredLadder) -> Challenged:
        own, now = LADDERS.my_number(ladder, requester), context.clock()
        problem = challenge_problem(ladder.state, own, other, now, ladder.refusals)
        if problem is not None:
            who = Span(ladder.name(other), bold=True)
            last = ladder.state.last_met(own, other, now)
            when = requester.speaker.time(last + REMATCH_INTERVAL) if last is not None else ""
            raise Refused(f"refusal.ladder.{problem}", who=who, n=ladder.state.reach, when=when)
        return Challenged(own, other)

    await LADDERS.commit(context, requester, code, step, reply, partial(_notices, context), takes_part=True)


async def accept(context: Context, requester: RequestContext, code: str, number: int, reply: Reply) -> None:
    """Accept a challenge: its game is opened next."""

    def step(ladder: StoredLadder) -> ChallengeAccepted:
        found = _find_open(ladder, requester, number)
        check_installed(context, ladder.row)
        return ChallengeAccepted(number, draw_beginner(ladder.state, ladder.row.seed, found))

    await check_limit(context, requester)
    await LADDERS.commit(context, requester, code, step, reply, takes_part=True)


async def close(
    context: Context, requester: RequestContext, code: str, number: int, reply: Reply, *, why: Closing
) -> None:
    """Concede a challenge, so that the challenger gets the place without a game, or withdraw one's own."""

    def step(ladder: StoredLadder) -> ChallengeClosed:
        return ChallengeClosed(_find_open(ladder, requester, number, own=why == Closing.WITHDRAWN).number, why)

    await LADDERS.commit(context, requester, code, step, reply)


def _find_open(ladder: StoredLadder, requester: RequestContext, number: int, *, own: bool = False) -> Challenge:
    """Return an unanswered challenge to the requester, or by the requester (`own`); Refused if there is none."""
    entrant, found = LADDERS.my_number(ladder, requester), ladder.state.open.get(number)
    if found is None or found.accepted:
        raise Refused("refusal.ladder-answered")
    if entrant != (found.challenger if own else found.challenged):
        raise Refused("refusal.ladder-not-yours")
    return found


def _notices(context: Context, ladder: StoredLadder, event: CompetitionEvent) -> list[NewNotice]:
    """Return the notice for the person whom an event challenges."""
    person = ladder.person_of(event.challenged) if isinstance(event, Challenged) else None
    if person is None:
        return []
    subject = f"{ladder.row.id}:challenge:{ladder.state.made}"
    return [NewNotice(person.id, NoticeKind.LADDER, subject, context.clock())]


class LadderWorker(CompetitionWorker[StoredLadder]):
    """The worker that advances ladders."""

    keeper = LADDERS
    asks_the_silent = False

    def next_look(self, found: StoredLadder, now: datetime) -> datetime:
        """Return when a ladder that is not over is looked at again."""
        due = next_due_at(found.state)
        return now + RECHECK_INTERVAL if due is None else max(now, min(due, now + RECHECK_INTERVAL))

    async def take_step(self, found: StoredLadder) -> bool:
        """Take the first due step; return True if there was one. Conflict if another writer was faster."""
        context = self._context
        for challenge in found.state.open.values():
            if challenge.accepted and await self._play(found, challenge):
                return True
        now = context.clock()
        events = due_events(found.state, now, _holidays(found), found.refusals)
        if events:
            notices = LADDERS.make_notices(context, found, "sinks", events, ClimberWarned)
            await LADDERS.store(context, found, events, notices=notices)
        return bool(events)

    async def _play(self, found: StoredLadder, challenge: Challenge) -> bool:
        """Open the game of an accepted challenge, or record its result; return True if one of these was due."""
        number, seats = challenge.number, challenge.seats or (challenge.challenged, challenge.challenger)
        if challenge.game is None:
            attached = partial(ChallengeAttached, number)
            await open_match(self._context, LADDERS, found, f"challenge {number}", seats, attached)
            return True
        running = CupGame(seats, challenge.game)
        ended = await self.read_results([(running, lambda places, why, _: ChallengeResult(number, places, why))], found)
        if ended:
            await LADDERS.store(self._context, found, ended)
        return bool(ended)


def _holidays(ladder: StoredLadder) -> dict[int, datetime]:
    """Return the end of each climber's current or last holiday."""
    found: dict[int, datetime] = {}
    for number in ladder.state.order:
        person = ladder.person_of(number)
        until = person.settings.get("holiday_until") if person is not None else None
        if until:
            found[number] = datetime.fromisoformat(until)
    return found
