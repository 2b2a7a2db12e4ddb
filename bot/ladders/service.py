"""Ladders as people make, join, leave and run them, and challenge each other; what follows by itself: rounds.py."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from bot.competitions.events import InvalidCompetition
from bot.competitions.ladder.events import (
    LADDER_CODEC,
    ChallengeAccepted,
    ChallengeClosed,
    Challenged,
    ChallengeResult,
    Closing,
    LadderCreated,
    LadderEnded,
    LadderEvent,
    LadderExcluded,
    LadderJoined,
    LadderLeft,
    LadderTerms,
)
from bot.competitions.ladder.ladder import REMATCH_INTERVAL, Ladder
from bot.competitions.ladder.rules import challenge_problem
from bot.core.context import Context
from bot.core.notice_routes import NoticeKind
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span
from bot.lobby.service import check_limit
from bot.matches.seasons import Happenings, SeasonKeeper, StoredSeason
from bot.matches.stored import check_installed
from storage import CompetitionRow, EntrantRow, NewNotice

MAX_LADDERS_PER_PERSON: Final = 5
"""So many ladders that are not over somebody may have made."""


@dataclass(frozen=True, slots=True)
class StoredLadder(StoredSeason[Ladder]):
    """A ladder as it is stored and as it stands, with who is behind its numbers."""

    @property
    def blocked(self) -> frozenset[tuple[int, int]]:
        """Who of those on the ladder has blocked whom."""
        return self.refusals(self.stands.order)


LADDERS: Final[SeasonKeeper[LadderTerms, LadderEvent, Ladder, StoredLadder]] = SeasonKeeper(
    kind="ladder",
    codec=LADDER_CODEC,
    created=Ladder.created,
    apply=Ladder.apply,
    stored=StoredLadder,
    happenings=Happenings(LadderCreated, LadderJoined, LadderLeft, LadderExcluded, LadderEnded),
    already="refusal.ladder-on",
    not_in="refusal.ladder.not-in",
    most_made=MAX_LADDERS_PER_PERSON,
)


async def find_ladder(context: Context, code: str) -> StoredLadder:
    """Return the ladder with a code; Refused where there is none, or where it cannot be read."""
    return await LADDERS.find(context, code)


async def read_ladder(context: Context, row: CompetitionRow) -> StoredLadder:
    """Return a stored ladder with how it stands; Refused where its events make no sense."""
    return await LADDERS.read(context, row)


async def ladder_at(
    context: Context, row: CompetitionRow, since: datetime, until: datetime
) -> tuple[StoredLadder, bool]:
    """Return a ladder as it stood at the end of a time, and whether a game was played on it within; Refused."""
    timed = [
        (each.at, LADDER_CODEC.from_json(each.kind, each.data))
        for each in await context.store.competitions.events(row.id)
        if each.at < until
    ]
    try:
        stands = await asyncio.to_thread(Ladder.replay, timed)
    except InvalidCompetition as error:
        raise Refused("refusal.cup-broken", code=row.id) from error
    played = any(isinstance(event, ChallengeResult) and at >= since for at, event in timed)
    return replace(await read_ladder(context, row), stands=stands), played


async def challenge(context: Context, asker: RequestContext, code: str, other: int, reply: Reply) -> StoredLadder:
    """Challenge somebody above for their place; Refused with the rule that stands against it."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        mine, now = LADDERS.my_number(ladder, asker), context.clock()
        problem = challenge_problem(ladder.stands, mine, other, now, ladder.blocked)
        if problem is not None:
            who = Span(ladder.name(other), bold=True)
            last = ladder.stands.last_met(mine, other, now)
            when = asker.mine.time(last + REMATCH_INTERVAL) if last is not None else ""
            raise Refused(f"refusal.ladder.{problem}", who=who, n=ladder.stands.reach, when=when)
        return Challenged(mine, other), None

    return await LADDERS.commit(context, asker, code, step, reply, partial(_notices, context))


async def answer_challenge(
    context: Context, asker: RequestContext, code: str, number: int, verb: str, reply: Reply
) -> StoredLadder:
    """Accept a challenge, give the place away, or take one's own challenge back: accept, concede or withdraw."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        mine, found = LADDERS.my_number(ladder, asker), ladder.stands.open.get(number)
        if found is None or found.accepted:
            raise Refused("refusal.ladder-answered")
        if mine != (found.challenger if verb == "withdraw" else found.challenged):
            raise Refused("refusal.ladder-not-yours")
        if verb == "accept":
            check_installed(context, ladder.row)
            return ChallengeAccepted(number), None
        return ChallengeClosed(number, Closing.CONCEDED if verb == "concede" else Closing.WITHDRAWN), None

    if verb == "accept":
        await check_limit(context, asker)
    return await LADDERS.commit(context, asker, code, step, reply)


def challenge_subject(code: str, number: int) -> str:
    """Return what stands for a challenge where people are notified of it."""
    return f"{code}:challenge:{number}"


def _notices(context: Context, ladder: StoredLadder, event: LadderEvent) -> list[NewNotice]:
    """Return what an event promises: a challenge to who is challenged."""
    person = ladder.person_of(event.challenged) if isinstance(event, Challenged) else None
    if person is None:
        return []
    subject = challenge_subject(ladder.row.id, ladder.stands.made)
    return [NewNotice(person.id, NoticeKind.LADDER, subject, context.clock())]
