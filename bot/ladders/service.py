"""Actions of people on ladders; the automatic steps are in job.py."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from bot.competitions.events import RULES_VERSION, Ended, Entered, Excluded, InvalidCompetition, Left
from bot.competitions.ladder.events import (
    LADDER_CODEC,
    ChallengeAccepted,
    ChallengeClosed,
    Challenged,
    ChallengeResult,
    Closing,
    LadderCreated,
    LadderEvent,
    LadderTerms,
)
from bot.competitions.ladder.ladder import REMATCH_INTERVAL, Ladder
from bot.competitions.ladder.rules import challenge_problem, draw_beginner
from bot.core.context import Context
from bot.core.notice_routes import NoticeKind
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span
from bot.lobby.service import check_limit
from bot.matches.keeper import CompetitionKeeper, CompetitionWithState, Happenings, read_timed_event
from bot.matches.stored import check_installed
from storage import CompetitionRow, EntrantRow, NewNotice

MAX_LADDERS_PER_PERSON: Final = 5
"""Maximum number of unfinished ladders that one person has made."""


@dataclass(frozen=True, slots=True)
class StoredLadder(CompetitionWithState[Ladder]):
    """A stored ladder with its state and its people."""

    @property
    def blocked(self) -> frozenset[tuple[int, int]]:
        """Pairs of climbers of whom the first has blocked the second."""
        return self.refusals(self.stands.order)


LADDERS: Final[CompetitionKeeper[LadderTerms, LadderEvent, Ladder, StoredLadder]] = CompetitionKeeper(
    kind="ladder",
    codec=LADDER_CODEC,
    created=Ladder.created,
    apply=Ladder.apply,
    stored=StoredLadder,
    happenings=Happenings(partial(LadderCreated, rules_version=RULES_VERSION), Entered, Left, Excluded, Ended),
    already="refusal.ladder-on",
    not_in="refusal.ladder.not-in",
    most_made=MAX_LADDERS_PER_PERSON,
)


async def ladder_at(
    context: Context, row: CompetitionRow, since: datetime, until: datetime
) -> tuple[StoredLadder, bool]:
    """Return a ladder at the end of a period, and whether a game ended on it in the period; Refused."""
    stored = [each for each in await context.store.competitions.events(row.id) if each.at < until]
    timed = [read_timed_event(context, LADDER_CODEC, each) for each in stored]
    try:
        stands = await asyncio.to_thread(Ladder.replay, timed)
    except InvalidCompetition as error:
        raise Refused("refusal.cup-broken", code=row.id) from error
    played = any(
        isinstance(event, ChallengeResult) and each.at >= since for each, (_, event) in zip(stored, timed, strict=True)
    )
    return replace(await LADDERS.read(context, row), stands=stands), played


async def challenge(context: Context, asker: RequestContext, code: str, other: int, reply: Reply) -> StoredLadder:
    """Challenge a higher climber for their place; Refused with the rule that forbids it."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        mine, now = LADDERS.my_number(ladder, asker), context.clock()
        problem = challenge_problem(ladder.stands, mine, other, now, ladder.blocked)
        if problem is not None:
            who = Span(ladder.name(other), bold=True)
            last = ladder.stands.last_met(mine, other, now)
            when = asker.mine.time(last + REMATCH_INTERVAL) if last is not None else ""
            raise Refused(f"refusal.ladder.{problem}", who=who, n=ladder.stands.reach, when=when)
        return Challenged(mine, other), None

    return await LADDERS.commit(context, asker, code, step, reply, partial(_notices, context), takes_part=True)


async def answer_challenge(
    context: Context, asker: RequestContext, code: str, number: int, verb: str, reply: Reply
) -> StoredLadder:
    """Accept a challenge, concede the place, or withdraw the asker's own challenge."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        mine, found = LADDERS.my_number(ladder, asker), ladder.stands.open.get(number)
        if found is None or found.accepted:
            raise Refused("refusal.ladder-answered")
        if mine != (found.challenger if verb == "withdraw" else found.challenged):
            raise Refused("refusal.ladder-not-yours")
        if verb == "accept":
            check_installed(context, ladder.row)
            return ChallengeAccepted(number, draw_beginner(ladder.stands, ladder.row.seed, found)), None
        return ChallengeClosed(number, Closing.CONCEDED if verb == "concede" else Closing.WITHDRAWN), None

    if verb == "accept":
        await check_limit(context, asker)
    return await LADDERS.commit(context, asker, code, step, reply, takes_part=verb == "accept")


def challenge_subject(code: str, number: int) -> str:
    """Return the subject of a challenge's notice."""
    return f"{code}:challenge:{number}"


def _notices(context: Context, ladder: StoredLadder, event: LadderEvent) -> list[NewNotice]:
    """Return the notice for the person whom an event challenges."""
    person = ladder.person_of(event.challenged) if isinstance(event, Challenged) else None
    if person is None:
        return []
    subject = challenge_subject(ladder.row.id, ladder.stands.made)
    return [NewNotice(person.id, NoticeKind.LADDER, subject, context.clock())]
