"""Creating, entering, leaving and running cups; the automatic steps are in `bot/cups/rounds.py`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import (
    CupClosed,
    CupCreated,
    CupEnded,
    CupEntered,
    CupEvent,
    CupExcluded,
    CupGave,
    CupLeft,
    CupPaused,
    CupResumed,
    CupStays,
    CupTerms,
    Ending,
    InvalidCompetition,
    from_json,
    kind_of,
    to_json,
)
from bot.core.context import Context, Public
from bot.core.request_context import RequestContext, note_public
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lobby.service import check_limit
from bot.matches.making import check_may_make, create_competition
from bot.matches.steps import commit_step
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
from storage import CompetitionChange, CompetitionRow, Conflict, EntrantRow, NewEvent, ProcessedEvent

ENTRY_LIFETIME: Final = timedelta(days=30)
"""Time for which a cup waits for entrants, from its creation or its planned start."""
MAX_PAUSE: Final = timedelta(days=14)
"""Maximum length of a pause; then the cup resumes by itself, since the person who paused it may be gone."""
MAX_LOT_WAIT: Final = timedelta(hours=1)
"""Time for which the lot waits, after entering has closed, for what browsers have committed to."""
MAX_START_DELAY: Final = timedelta(days=90)
MAX_OPEN_CUPS_PER_PERSON: Final = 5
"""Maximum number of unfinished cups that one person may have created."""


@dataclass(frozen=True, slots=True)
class Cup(StoredCompetition):
    """A stored cup with its replayed state and the people of its entrants.

    `rests_until` is when a paused cup resumes by itself, None while it is not paused. `drawn_by` is when its lot is
    drawn at the latest, None until entering has closed.
    """

    stands: Competition
    rests_until: datetime | None = None
    drawn_by: datetime | None = None

    @property
    def blocked(self) -> frozenset[frozenset[int]]:
        """Pairs of entrants of whom one does not want to meet the other."""
        return frozenset(map(frozenset, self.refusals(self.stands.active_entrants)))


async def find_cup(context: Context, code: str) -> Cup:
    """Return the cup with a code that was typed or that a button carries.

    Refused if there is none, if the code is that of something else, or if the cup cannot be read.
    """
    return await read_cup(context, await find_competition(context, code, "cup"))


async def read_cup(context: Context, row: CompetitionRow) -> Cup:
    """Return a stored cup with its replayed state; Refused if its events are inconsistent."""
    events = await context.store.competitions.events(row.id)
    try:
        stands = Competition.replay([from_json(each.kind, each.data) for each in events[: row.revision]])
    except InvalidCompetition as error:
        raise Refused("refusal.cup-broken", code=row.id) from error
    entries = {each.number: each for each in await context.store.competitions.entrants(row.id)}
    ids = {each.person for each in entries.values() if each.person is not None} | {row.maker}
    paused = [each.at for each in events[: row.revision] if each.kind == kind_of(CupPaused())]
    until = paused[-1] + MAX_PAUSE if stands.paused else None
    closed = [each.at for each in events[: row.revision] if each.kind == kind_of(CupClosed())]
    drawn_by = closed[-1] + MAX_LOT_WAIT if closed and stands.stage == "open" else None
    return Cup(row, entries, await context.store.people.get_many(ids), stands, until, drawn_by)


async def store_events(
    context: Context,
    cup: Cup,
    events: Sequence[CupEvent],
    *,
    person: int | None = None,
    entries: Sequence[EntrantRow] = (),
    opened: Sequence[tuple[str, str]] = (),
    processed: ProcessedEvent | None = None,
) -> CompetitionRow:
    """Store the next events of a cup and wake its job. Raises Conflict if another process was faster."""
    now, stands = context.clock(), cup.stands
    for event in events:
        stands = stands.apply(event)
    ended = now if stands.stage == "over" else None
    row = replace(cup.row, status=stands.stage, due_at=None if ended else now, ended_at=ended)
    change = CompetitionChange(
        row=row,
        events=tuple(NewEvent(kind_of(each), to_json(each), person) for each in events),
        at=now,
        entrants=tuple(entries),
        games=tuple(opened),
        processed=processed,
    )
    stored = await context.store.competitions.commit(change)
    context.signals.wake("competition")
    return stored


async def make_cup(context: Context, asker: RequestContext, terms: CupTerms, reply: Reply) -> str:
    """Make a competition where it is asked for, shown there, and return its code; Refused where that cannot be."""
    now = context.clock()
    if terms.starts_at is not None and not now < terms.starts_at <= now + MAX_START_DELAY:
        raise Refused("refusal.cup-starts", days=MAX_START_DELAY.days)
    await check_may_make(context, asker, terms, "cup", MAX_OPEN_CUPS_PER_PERSON)

    def first_event(row: CompetitionRow) -> NewEvent:
        event = CupCreated(terms, row.id, row.seed_hash)
        return NewEvent(kind_of(event), to_json(event), asker.person.id)

    return await create_competition(context, asker, terms, "cup", "open", first_event, reply)


async def enter(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Enter a cup, or return before its start; Refused to those who may not enter, or are too late.

    If the asker is already in, the cup is shown where they ask, unless it is there.
    """
    if asker.request.nonmember:
        raise Refused("refusal.alone")
    for _ in range(MAX_COMMIT_ATTEMPTS):
        cup = await find_cup(context, code)
        check_installed(context, cup.row)
        stands, mine = cup.stands, cup.entrant_of(asker.person.id)
        if (
            mine in stands.active_entrants
            and stands.stage != "over"
            and await show_where_asked(context, asker, cup.row, stands.terms.entry)
        ):
            return
        _check_open(cup)
        known = stands.entrants.get(mine) if mine is not None else None
        if known is not None and known.state != "left":
            raise Refused("refusal.cup-in" if known.state == "in" else "refusal.cup-excluded")
        if stands.is_full:
            raise Refused("refusal.cup-full", most=stands.terms.most)
        await check_may_enter(context, asker, cup.row, stands.terms.entry)
        await check_limit(context, asker)
        number = len(stands.entrants) if mine is None else mine
        # If somebody leaves and returns, their first entering counts.
        taken = frozenset(each.joined_by for each in cup.entries.values())
        by = joining_id(asker.request, taken) if mine is None else cup.entries[mine].joined_by
        entry = EntrantRow(number, asker.person.id, asker.place.id, by)
        try:
            async with context.store.transaction():
                await store_events(
                    context,
                    cup,
                    [CupEntered(number, by)],
                    person=asker.person.id,
                    entries=[entry],
                    processed=asker.receipt(reply),
                )
                await show_where_asked(context, asker, cup.row, stands.terms.entry)
        except Conflict:
            continue
        note_public(context, asker, Public.BEGIN)
        # Wake the job again: a reader who looked while this was being stored has seen nothing new.
        context.signals.wake("competition")
        return
    raise Refused("refusal.moved-on")


async def leave(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Leave a cup: before its start entirely, later from the next round on."""

    def step(cup: Cup) -> tuple[CupEvent, EntrantRow | None]:
        mine = _is_entrant(cup, asker.person.id)
        return CupLeft(mine), replace(cup.entries[mine], inside=False)

    await _commit_step(context, asker, code, step, reply)


async def give(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Open what the asker's browser committed to when they entered; after entering has closed, the lot waits for it.

    Does nothing if the lot does not wait for it (any more); Refused if it does not match the commitment.
    """
    for _ in range(MAX_COMMIT_ATTEMPTS):
        cup = await find_cup(context, code)
        mine = cup.entrant_of(asker.person.id)
        if mine is None or mine not in cup.stands.awaited:
            return
        pledge = asker.request.pledge if asker.request.ids == "chosen" else None
        given = CupGave(mine, (pledge.link or "") if pledge is not None and pledge.game == cup.row.id else "")
        try:
            await store_events(context, cup, [given], person=asker.person.id, processed=asker.receipt(reply))
        except Conflict:
            continue
        except InvalidCompetition as error:
            raise Refused("refusal.stale") from error
        return
    raise Refused("refusal.moved-on")


async def stay(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Confirm that one is still in, after having been asked."""

    def step(cup: Cup) -> tuple[CupEvent, EntrantRow | None]:
        mine = _is_entrant(cup, asker.person.id)
        if not cup.stands.entrants[mine].asked:
            raise Refused("refusal.cup-not-asked")
        return CupStays(mine), None

    await _commit_step(context, asker, code, step, reply)


async def exclude(context: Context, asker: RequestContext, code: str, entrant: int, reply: Reply) -> None:
    """Exclude an entrant, for those who run the cup; the entrant cannot enter again."""

    def step(cup: Cup) -> tuple[CupEvent, EntrantRow | None]:
        check_may_manage(cup.row, asker)
        if entrant not in cup.stands.active_entrants:
            raise Refused("refusal.cup-not-in")
        return CupExcluded(entrant), replace(cup.entries[entrant], inside=False)

    await _commit_step(context, asker, code, step, reply)


async def run_command(context: Context, asker: RequestContext, code: str, deed: str, reply: Reply) -> None:
    """Pause, resume or end a cup, for those who run it; `deed` is pause, resume or end."""

    def step(cup: Cup) -> tuple[CupEvent, EntrantRow | None]:
        check_may_manage(cup.row, asker)
        if deed == "end":
            return CupEnded(Ending.STOPPED), None
        if cup.stands.stage != "running":
            raise Refused("refusal.cup-not-started")
        if cup.stands.paused == (deed == "pause"):
            raise Refused("refusal.cup-paused" if cup.stands.paused else "refusal.cup-not-paused")
        return CupPaused() if deed == "pause" else CupResumed(), None

    await _commit_step(context, asker, code, step, reply)


def entry_closes_at(cup: Cup) -> datetime:
    """Return until when a cup waits for entrants before it lapses."""
    return (cup.stands.terms.starts_at or cup.row.created_at) + ENTRY_LIFETIME


async def _commit_step(
    context: Context,
    asker: RequestContext,
    code: str,
    step: Callable[[Cup], tuple[CupEvent, EntrantRow | None]],
    reply: Reply,
) -> None:
    async def store(cup: Cup, event: CupEvent, entries: Sequence[EntrantRow]) -> None:
        receipt = asker.receipt(reply)
        await store_events(context, cup, [event], person=asker.person.id, entries=entries, processed=receipt)

    await commit_step(context, code, find_cup, step, store)


def _is_entrant(cup: Cup, person: int) -> int:
    mine = cup.entrant_of(person)
    if mine is None or mine not in cup.stands.active_entrants:
        raise Refused("refusal.cup-not-in.you")
    return mine


def _check_open(cup: Cup) -> None:
    if cup.stands.stage == "over":
        raise Refused("refusal.cup-over")
    if cup.stands.stage != "open":
        raise Refused("refusal.cup-started")
    if cup.stands.closed is not None:
        raise Refused("refusal.cup-closed")
