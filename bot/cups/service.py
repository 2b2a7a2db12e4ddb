"""Cups as they are stored, and what people do to them; the automatic steps are in `bot/cups/job.py`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import (
    CUP_CODEC,
    CupEnded,
    CupGave,
    CupPaused,
    CupResumed,
    CupTerms,
    Ending,
    InvalidCompetition,
)
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.matches.keeper import CompetitionKeeper
from bot.matches.stored import MAX_COMMIT_ATTEMPTS, StoredCompetition, check_enough_for_table
from storage import Conflict

ENTRY_LIFETIME: Final = timedelta(days=30)
"""Time for which a cup waits for entrants, from its creation or its planned start."""
MAX_PAUSE: Final = timedelta(days=14)
"""Maximum length of a pause; then the cup resumes by itself, since the person who paused it may be gone."""
MAX_LOT_WAIT: Final = timedelta(hours=1)
"""Time for which the lot waits, after entering has closed, for what browsers have committed to."""
MAX_START_DELAY: Final = timedelta(days=90)


@dataclass(frozen=True)
class Cup(StoredCompetition[Competition]):
    """A stored cup with its state and the people of its entrants."""

    @property
    def lapses_at(self) -> datetime:
        """Until when it waits for entrants."""
        return (self.stands.terms.starts_at or self.stands.created_at or self.row.created_at) + ENTRY_LIFETIME

    @property
    def rests_until(self) -> datetime | None:
        """When it resumes by itself, None while it is not paused."""
        return None if self.stands.paused_at is None else self.stands.paused_at + MAX_PAUSE

    @property
    def drawn_by(self) -> datetime | None:
        """When its lot is drawn at the latest, None until entering has closed and once it is drawn."""
        closed_at = self.stands.closed_at if self.stands.stage == "open" else None
        return None if closed_at is None else closed_at + MAX_LOT_WAIT


class CupKeeper(CompetitionKeeper[Competition, Cup]):
    """Reads and stores cups: nobody can enter late."""

    kind = "cup"
    codec = CUP_CODEC
    state = Competition
    stored = Cup
    ended = CupEnded(Ending.STOPPED)
    counts_durations = True

    def check_terms(self, context: Context, terms: CupTerms) -> None:
        """Raise Refused for a start in the past or too far ahead, or fewer people than a table takes."""
        now = context.clock()
        if terms.starts_at is not None and not now < terms.starts_at <= now + MAX_START_DELAY:
            raise Refused("refusal.cup-starts", days=MAX_START_DELAY.days)
        check_enough_for_table(terms.least, terms.fewest)

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


CUPS: Final = CupKeeper()


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


async def pause(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Let no further round begin; Refused if the asker does not run the cup."""
    await _stop_or_go_on(context, asker, code, CupPaused(), reply)


async def resume(context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
    """Let rounds begin again; Refused if the asker does not run the cup."""
    await _stop_or_go_on(context, asker, code, CupResumed(), reply)


async def _stop_or_go_on(
    context: Context, asker: RequestContext, code: str, event: CupPaused | CupResumed, reply: Reply
) -> None:
    def step(cup: Cup) -> CupPaused | CupResumed:
        if cup.stands.stage != "running":
            raise Refused("refusal.cup-not-started")
        if cup.stands.paused == isinstance(event, CupPaused):
            raise Refused("refusal.cup-paused" if cup.stands.paused else "refusal.cup-not-paused")
        return event

    await CUPS.commit(context, asker, code, step, reply, runs=True)
