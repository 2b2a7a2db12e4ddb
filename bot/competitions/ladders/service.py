"""Ladders as they are stored, and what people do to them; the automatic steps are in job.py."""

import asyncio
from datetime import datetime
from functools import partial
from typing import Final

from bot.competitions.events import InvalidCompetition
from bot.competitions.keeper import CompetitionKeeper, StoredCompetition, check_installed, read_timed_event
from bot.competitions.ladder import (
    LADDER_CODEC,
    REMATCH_INTERVAL,
    Challenge,
    ChallengeAccepted,
    ChallengeClosed,
    Challenged,
    ChallengeResult,
    Closing,
    Ladder,
    LadderEvent,
    challenge_problem,
    draw_beginner,
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
    codec = LADDER_CODEC
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
        mine, now = LADDERS.my_number(ladder, requester), context.clock()
        problem = challenge_problem(ladder.state, mine, other, now, ladder.refusals)
        if problem is not None:
            who = Span(ladder.name(other), bold=True)
            last = ladder.state.last_met(mine, other, now)
            when = requester.speaker.time(last + REMATCH_INTERVAL) if last is not None else ""
            raise Refused(f"refusal.ladder.{problem}", who=who, n=ladder.state.reach, when=when)
        return Challenged(mine, other)

    await LADDERS.commit(context, requester, code, step, reply, partial(_notices, context), takes_part=True)


async def accept(context: Context, requester: RequestContext, code: str, number: int, reply: Reply) -> None:
    """Accept a challenge: its game is opened next."""

    def step(ladder: StoredLadder) -> ChallengeAccepted:
        found = _find_open(ladder, requester, number)
        check_installed(context, ladder.row)
        return ChallengeAccepted(number, draw_beginner(ladder.state, ladder.row.seed, found))

    await check_limit(context, requester)
    await LADDERS.commit(context, requester, code, step, reply, takes_part=True)


async def concede(context: Context, requester: RequestContext, code: str, number: int, reply: Reply) -> None:
    """Give the place to the challenger without a game."""

    def step(ladder: StoredLadder) -> ChallengeClosed:
        return ChallengeClosed(_find_open(ladder, requester, number).number, Closing.CONCEDED)

    await LADDERS.commit(context, requester, code, step, reply)


async def withdraw(context: Context, requester: RequestContext, code: str, number: int, reply: Reply) -> None:
    """Take the requester's own challenge back."""

    def step(ladder: StoredLadder) -> ChallengeClosed:
        return ChallengeClosed(_find_open(ladder, requester, number, own=True).number, Closing.WITHDRAWN)

    await LADDERS.commit(context, requester, code, step, reply)


def _find_open(ladder: StoredLadder, requester: RequestContext, number: int, *, own: bool = False) -> Challenge:
    """Return an unanswered challenge to the requester, or their `own`; Refused if it is none."""
    mine, found = LADDERS.my_number(ladder, requester), ladder.state.open.get(number)
    if found is None or found.accepted:
        raise Refused("refusal.ladder-answered")
    if mine != (found.challenger if own else found.challenged):
        raise Refused("refusal.ladder-not-yours")
    return found


def _notices(context: Context, ladder: StoredLadder, event: LadderEvent) -> list[NewNotice]:
    """Return the notice for the person whom an event challenges."""
    person = ladder.person_of(event.challenged) if isinstance(event, Challenged) else None
    if person is None:
        return []
    subject = f"{ladder.row.id}:challenge:{ladder.state.made}"
    return [NewNotice(person.id, NoticeKind.LADDER, subject, context.clock())]
