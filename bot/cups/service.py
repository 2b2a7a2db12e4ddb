"""Creating, entering, leaving and running cups; the automatic steps are in `bot/cups/job.py`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import (
    CUP_CODEC,
    RULES_VERSION,
    CupClosed,
    CupCreated,
    CupEnded,
    CupEvent,
    CupGave,
    CupPaused,
    CupResumed,
    CupTerms,
    Ending,
    Entered,
    Excluded,
    InvalidCompetition,
    Left,
    Stays,
)
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.matches.keeper import CompetitionKeeper, CompetitionWithState, Happenings
from bot.matches.stored import MAX_COMMIT_ATTEMPTS, check_enough_for_table
from storage import CompetitionRow, CompetitionStatus, Conflict, EntrantRow, Event

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
class Cup(CompetitionWithState[Competition]):
    """A stored cup with its replayed state and the people of its entrants.

    `lapses_at` is until when it waits for entrants. `rests_until` is when a paused cup resumes by itself, None while it
    is not paused. `drawn_by` is when its lot is drawn at the latest, None until entering has closed.
    """

    lapses_at: datetime
    rests_until: datetime | None = None
    drawn_by: datetime | None = None

    @property
    def blocked(self) -> frozenset[frozenset[int]]:
        """Pairs of entrants of whom one does not want to meet the other."""
        return frozenset(map(frozenset, self.refusals(self.stands.present)))


class CupKeeper(CompetitionKeeper[CupTerms, CupEvent, Competition, Cup]):
    """Reads and stores cups: their state does without times, and nobody can enter late."""

    async def read(self, context: Context, row: CompetitionRow) -> Cup:
        """Return a stored cup with its replayed state; Refused if its events are inconsistent."""
        events = (await context.store.competitions.events(row.id))[: row.revision]
        try:
            stands = Competition.replay([self.codec.from_json(each.kind, each.data) for each in events])
        except InvalidCompetition as error:
            raise Refused("refusal.cup-broken", code=row.id) from error
        paused = _last_time(context, events, self.codec.kind_of(CupPaused()))
        until = paused + MAX_PAUSE if paused is not None and stands.paused else None
        closed = _last_time(context, events, self.codec.kind_of(CupClosed()))
        drawn_by = closed + MAX_LOT_WAIT if closed is not None and stands.stage == "open" else None
        created = context.clock.rebase(events[0].at, events[0].moves)
        lapses_at = (stands.terms.starts_at or created) + ENTRY_LIFETIME
        entries = await self._read_entries(context, row, stands.entrant_count)
        return Cup(row, *entries, stands, lapses_at, until, drawn_by)

    def status_of(self, stands: Competition) -> CompetitionStatus:
        """Return the status that is stored with a state."""
        return stands.stage

    def check_entering(self, found: Cup, mine: int | None) -> None:
        """Raise Refused if a person with this number, None for a new one, cannot enter now."""
        stands = found.stands
        if stands.stage == "running":
            raise Refused("refusal.cup-started")
        if stands.stage == "open" and stands.closed is not None:
            raise Refused("refusal.cup-closed")
        super().check_entering(found, mine)
        if stands.is_full:
            raise Refused("refusal.cup-full", most=stands.terms.most)


CUPS: Final = CupKeeper(
    kind="cup",
    codec=CUP_CODEC,
    created=lambda event: Competition.replay([event]),
    apply=lambda stands, _, event: stands.apply(event),
    stored=lambda row, entries, people, stands: Cup(row, entries, people, stands, row.created_at + ENTRY_LIFETIME),
    happenings=Happenings(
        partial(CupCreated, rules_version=RULES_VERSION), Entered, Left, Excluded, lambda: CupEnded(Ending.STOPPED)
    ),
    already="refusal.cup-in",
    not_in="refusal.cup-not-in.you",
    most_made=MAX_OPEN_CUPS_PER_PERSON,
    first_status="open",
)


async def make_cup(context: Context, asker: RequestContext, terms: CupTerms, reply: Reply) -> str:
    """Make a competition where it is asked for, shown there, and return its code; Refused where that cannot be."""
    now = context.clock()
    if terms.starts_at is not None and not now < terms.starts_at <= now + MAX_START_DELAY:
        raise Refused("refusal.cup-starts", days=MAX_START_DELAY.days)
    check_enough_for_table(terms.least, terms.fewest)
    return await CUPS.make(context, asker, terms, reply)


async def give(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Open what the asker's browser committed to when they entered; after entering has closed, the lot waits for it.

    Does nothing if the lot does not wait for it (any more); Refused if it does not match the commitment.
    """
    for _ in range(MAX_COMMIT_ATTEMPTS):
        cup = await CUPS.find(context, code)
        mine = cup.entrant_of(asker.person.id)
        if mine is None or mine not in cup.stands.awaited:
            return
        pledge = asker.request.pledge if asker.request.ids == "chosen" else None
        given = CupGave(mine, (pledge.link or "") if pledge is not None and pledge.game == cup.row.id else "")
        try:
            await CUPS.store(context, cup, [given], person=asker.person.id, processed=asker.receipt(reply))
        except Conflict:
            continue
        except InvalidCompetition as error:
            raise Refused("refusal.stale") from error
        return
    raise Refused("refusal.moved-on")


async def stay(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Confirm that one is still in, after having been asked."""

    def step(cup: Cup) -> tuple[CupEvent, EntrantRow | None]:
        mine = CUPS.my_number(cup, asker)
        if not cup.stands.entrants[mine].asked:
            raise Refused("refusal.cup-not-asked")
        return Stays(mine), None

    await CUPS.commit(context, asker, code, step, reply, takes_part=True)


async def run_command(context: Context, asker: RequestContext, code: str, deed: str, reply: Reply) -> None:
    """Pause or resume a cup, for those who run it; `deed` is pause or resume."""

    def step(cup: Cup) -> tuple[CupEvent, EntrantRow | None]:
        if cup.stands.stage != "running":
            raise Refused("refusal.cup-not-started")
        if cup.stands.paused == (deed == "pause"):
            raise Refused("refusal.cup-paused" if cup.stands.paused else "refusal.cup-not-paused")
        return CupPaused() if deed == "pause" else CupResumed(), None

    await CUPS.commit(context, asker, code, step, reply, runs=True)


def _last_time(context: Context, events: Sequence[Event], kind: str) -> datetime | None:
    """Return the time of the last event of a kind, with the time that has not run since; None if there is none."""
    last = next((each for each in reversed(events) if each.kind == kind), None)
    return context.clock.rebase(last.at, last.moves) if last is not None else None
