"""Days on which somebody's clocks stand still."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.play.steps import store_step
from bot.tables.broken import BrokenGame
from storage import NewEvent, Person

MAX_HOLIDAY_DAYS_PER_YEAR: Final = 30


async def go_on_holiday(context: Context, asker: RequestContext, days: int) -> Person:
    """Stop somebody's clocks for so many days from now (0: let them run again) and return the person.

    Refused if the year's days do not suffice.
    """
    now, settings = context.clock(), asker.person.settings
    year = str(now.year)
    used: dict[str, int] = dict(settings.get("holiday_used", {}))
    began = datetime.fromisoformat(settings["holiday_until"]) if settings.get("holiday_until") else now
    given_back = max(0, (began - now).days)
    left = MAX_HOLIDAY_DAYS_PER_YEAR - used.get(year, 0) + given_back
    if days > left:
        raise Refused("refusal.no-holidays-left", left=left, most=MAX_HOLIDAY_DAYS_PER_YEAR)
    until = now + timedelta(days=days)
    changes = {
        "holiday_until": until.isoformat() if days else None,
        "holiday_used": {year: used.get(year, 0) - given_back + days},
    }
    person = await context.store.people.change_settings(asker.person.id, changes) or asker.person
    await _move_deadlines(context, person, until - max(began, now))
    return person


async def _move_deadlines(context: Context, person: Person, by: timedelta) -> None:
    """Move the deadlines of the games that wait for somebody; a game that moves in this moment needs it no more."""
    for brief in await context.store.games.list_for_person(person.id):
        if brief.to_move != person.id or brief.deadline is None:
            continue
        try:
            table = await context.table(brief.id)
        except BrokenGame:
            continue
        if table.row.deadline is None or table.row.to_move != person.id:
            continue
        row = replace(table.row, deadline=table.row.deadline + by)
        try:
            await store_step(context, table, row, [NewEvent("holiday", {}, person.id)], line=table.line)
        except Refused:
            continue
