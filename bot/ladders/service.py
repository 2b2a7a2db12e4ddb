"""Ladders as people make, join, leave and run them, and challenge each other; what follows by itself: rounds.py."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
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
from bot.core.allowed_games import check_start
from bot.core.context import Context, Public
from bot.core.notice_routes import NoticeKind
from bot.core.request_context import RequestContext, note_public
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.language.texts import Span
from bot.lobby.service import check_limit
from bot.matches.folding import fold_events
from bot.matches.stored import (
    MAX_COMMIT_ATTEMPTS,
    StoredCompetition,
    check_installed,
    check_may_enter,
    check_may_manage,
    find_competition,
    show_where_asked,
)
from bot.tables.chance import joining_id
from engine import fair
from storage import (
    CodeTaken,
    CompetitionChange,
    CompetitionRow,
    Conflict,
    EntrantRow,
    NewEvent,
    NewNotice,
    NewTitle,
    ProcessedEvent,
)
from storage.codes import generate_code

MAX_LADDERS_PER_PERSON: Final = 5
"""So many ladders that are not over somebody may have made."""


@dataclass(frozen=True, slots=True)
class StoredLadder(StoredCompetition):
    """A ladder as it is stored and as it stands, with who is behind its numbers."""

    stands: Ladder

    @property
    def blocked(self) -> frozenset[tuple[int, int]]:
        """Who of those on the ladder has blocked whom."""
        return self.refusals(self.stands.order)


async def find_ladder(context: Context, code: str) -> StoredLadder:
    """Return the ladder with a code; Refused where there is none, or where it cannot be read."""
    return await read_ladder(context, await find_competition(context, code, "ladder"))


async def read_ladder(context: Context, row: CompetitionRow) -> StoredLadder:
    """Return a stored ladder with how it stands; Refused where its events make no sense."""
    stands = await fold_events(context, row, LADDER_CODEC, Ladder.created, Ladder.apply)
    entries = {each.number: each for each in await context.store.competitions.entrants(row.id)}
    ids = {each.person for each in entries.values() if each.person is not None} | {row.maker}
    return StoredLadder(row, entries, await context.store.people.get_many(ids), stands)


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


async def store_ladder_events(
    context: Context,
    ladder: StoredLadder,
    events: Sequence[LadderEvent],
    *,
    person: int | None = None,
    entries: Sequence[EntrantRow] = (),
    opened: Sequence[tuple[str, str]] = (),
    notices: Sequence[NewNotice] = (),
    titles: Sequence[NewTitle] = (),
    processed: ProcessedEvent | None = None,
) -> CompetitionRow:
    """Store what happens next on a ladder; it is looked at anew at once. Moved where somebody was faster."""
    now, stands = context.clock(), ladder.stands
    for event in events:
        stands = stands.apply(now, event)
    row = replace(
        ladder.row,
        status="over" if stands.over else "running",
        due_at=None if stands.over else now,
        ended_at=now if stands.over else None,
    )
    change = CompetitionChange(
        row=row,
        events=tuple(NewEvent(LADDER_CODEC.kind_of(each), LADDER_CODEC.to_json(each), person) for each in events),
        at=now,
        entrants=tuple(entries),
        games=tuple(opened),
        notices=tuple(notices),
        titles=tuple(titles),
        processed=processed,
    )
    stored = await context.store.competitions.commit(change)
    context.signals.wake("competition")
    if notices:
        context.signals.wake("notices")
    return stored


async def make_ladder(context: Context, asker: RequestContext, terms: LadderTerms, reply: Reply) -> str:
    """Make a ladder where it is asked for, shown there, and return its code; Refused where that cannot be."""
    check_start(asker.place, terms.game, asker.mine)
    if asker.request.nonmember:
        raise Refused("refusal.alone")
    if asker.place.kind == "private" and terms.entry != "code":
        raise Refused("refusal.cup-private")
    await check_limit(context, asker)
    made = await context.store.competitions.list_made_by(asker.person.id, kind="ladder")
    if sum(row.status != "over" for row in made) >= MAX_LADDERS_PER_PERSON:
        raise Refused("refusal.ladder-too-many", most=MAX_LADDERS_PER_PERSON)
    seed, now = context.entropy().hex(), context.clock()
    while True:
        row = CompetitionRow(
            id=generate_code(),
            status="running",
            game_key=terms.game,
            place=asker.place.id,
            maker=asker.person.id,
            seed=seed,
            seed_hash=fair.commitment(seed),
            revision=0,
            due_at=now,
            created_at=now,
            ended_at=None,
            kind="ladder",
        )
        event = LadderCreated(terms, row.id, row.seed_hash)
        happened = NewEvent(LADDER_CODEC.kind_of(event), LADDER_CODEC.to_json(event), asker.person.id)
        try:
            await context.store.competitions.create(row, [happened], now, asker.receipt(reply))
        except CodeTaken:
            continue
        note_public(context, asker, Public.BEGIN)
        context.signals.wake("competition")
        return row.id


async def join_ladder(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Join a ladder at its end, or come back; Refused to those who may not.

    Asked by somebody who is on it already, it is shown where they ask, unless it is there.
    """
    if asker.request.nonmember:
        raise Refused("refusal.alone")
    for _ in range(MAX_COMMIT_ATTEMPTS):
        ladder = await find_ladder(context, code)
        check_installed(context, ladder.row)
        stands, mine = ladder.stands, ladder.entrant_of(asker.person.id)
        if stands.over:
            raise Refused("refusal.cup-over")
        if mine in stands.order:
            if await show_where_asked(context, asker, ladder.row, stands.terms.entry):
                return
            raise Refused("refusal.ladder-on")
        if mine is not None and stands.climbers[mine].state == "excluded":
            raise Refused("refusal.cup-excluded")
        await check_may_enter(context, asker, ladder.row, stands.terms.entry)
        await check_limit(context, asker)
        number = len(stands.climbers) if mine is None else mine
        taken = frozenset(each.joined_by for each in ladder.entries.values())
        by = joining_id(asker.request, taken) if mine is None else ladder.entries[mine].joined_by
        entry = EntrantRow(number, asker.person.id, asker.place.id, by)
        try:
            async with context.store.transaction():
                await store_ladder_events(
                    context,
                    ladder,
                    [LadderJoined(number, by)],
                    person=asker.person.id,
                    entries=[entry],
                    processed=asker.receipt(reply),
                )
                await show_where_asked(context, asker, ladder.row, stands.terms.entry)
        except Conflict:
            continue
        except InvalidCompetition as error:
            raise Refused("refusal.ladder-full") from error
        note_public(context, asker, Public.BEGIN)
        context.signals.wake("competition")
        return
    raise Refused("refusal.moved-on")


async def leave_ladder(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Leave a ladder: the place is gone, and all below move up."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        mine = _my_number(ladder, asker)
        return LadderLeft(mine), replace(ladder.entries[mine], inside=False)

    await _commit_step(context, asker, code, step, reply)


async def challenge(context: Context, asker: RequestContext, code: str, other: int, reply: Reply) -> StoredLadder:
    """Challenge somebody above for their place; Refused with the rule that stands against it."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        mine, now = _my_number(ladder, asker), context.clock()
        problem = challenge_problem(ladder.stands, mine, other, now, ladder.blocked)
        if problem is not None:
            who = Span(ladder.name(other), bold=True)
            last = ladder.stands.last_met(mine, other, now)
            when = asker.mine.time(last + REMATCH_INTERVAL) if last is not None else ""
            raise Refused(f"refusal.ladder.{problem}", who=who, n=ladder.stands.reach, when=when)
        return Challenged(mine, other), None

    return await _commit_step(context, asker, code, step, reply)


async def answer_challenge(
    context: Context, asker: RequestContext, code: str, number: int, verb: str, reply: Reply
) -> StoredLadder:
    """Accept a challenge, give the place away, or take one's own challenge back: accept, concede or withdraw."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        mine, found = _my_number(ladder, asker), ladder.stands.open.get(number)
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
    return await _commit_step(context, asker, code, step, reply)


async def exclude(context: Context, asker: RequestContext, code: str, entrant: int, reply: Reply) -> None:
    """Put somebody out, as who runs the ladder; they cannot come back."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        check_may_manage(ladder.row, asker)
        if entrant not in ladder.stands.order:
            raise Refused("refusal.cup-not-in")
        return LadderExcluded(entrant), replace(ladder.entries[entrant], inside=False)

    await _commit_step(context, asker, code, step, reply)


async def end_ladder(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """End a ladder, as who runs it; games go on."""

    def step(ladder: StoredLadder) -> tuple[LadderEvent, EntrantRow | None]:
        check_may_manage(ladder.row, asker)
        return LadderEnded(), None

    await _commit_step(context, asker, code, step, reply)


def challenge_subject(code: str, number: int) -> str:
    """Return what stands for a challenge where people are notified of it."""
    return f"{code}:challenge:{number}"


def _my_number(ladder: StoredLadder, asker: RequestContext) -> int:
    mine = ladder.entrant_of(asker.person.id)
    if mine is None or mine not in ladder.stands.order:
        raise Refused("refusal.ladder.not-in")
    return mine


async def _commit_step(
    context: Context,
    asker: RequestContext,
    code: str,
    step: Callable[[StoredLadder], tuple[LadderEvent, EntrantRow | None]],
    reply: Reply,
) -> StoredLadder:
    """Store what somebody does and return the ladder as it was before."""
    for _ in range(MAX_COMMIT_ATTEMPTS):
        with context.store.recalling(anew=True):
            ladder = await find_ladder(context, code)
        if ladder.stands.over:
            raise Refused("refusal.cup-over")
        event, entry = step(ladder)
        try:
            await store_ladder_events(
                context,
                ladder,
                [event],
                person=asker.person.id,
                entries=() if entry is None else (entry,),
                notices=_notices(context, ladder, event),
                processed=asker.receipt(reply),
            )
        except Conflict:
            continue
        return ladder
    raise Refused("refusal.moved-on")


def _notices(context: Context, ladder: StoredLadder, event: LadderEvent) -> list[NewNotice]:
    """Return what an event promises: a challenge to who is challenged."""
    person = ladder.person_of(event.challenged) if isinstance(event, Challenged) else None
    if person is None:
        return []
    subject = challenge_subject(ladder.row.id, ladder.stands.made)
    return [NewNotice(person.id, NoticeKind.LADDER, subject, context.clock())]
