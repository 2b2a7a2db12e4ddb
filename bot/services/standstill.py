"""Time in which the program was down: noted when it is back, so that nobody loses what they could not use."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from bot.context.context import Context

BEAT: Final = 30.0
"""Every how many seconds the program notes that it is alive."""
GAP: Final = timedelta(seconds=4 * BEAT)
"""Longer without a beat means that the program was down, or stood still."""
PULSE: Final = "alarms"
_NOTE: Final = ("alarms", "standstill")


async def note_standstill(context: Context, since: datetime, until: datetime) -> None:
    """Note that the program was down, in place of the time before."""
    await context.store.set_value(*_NOTE, {"since": since.isoformat(), "until": until.isoformat()})


async def made_up_for(context: Context, at: datetime) -> datetime | None:
    """Return when something comes instead that was to come at a time when the program was down; None if it was up."""
    last, now = await context.store.last_pulse(PULSE), context.clock()
    if last is not None and now - last > GAP:
        since, until = last, now  # only just back: the first beat is still to come
    else:
        noted = await context.store.value(*_NOTE) or {}
        try:
            since, until = (datetime.fromisoformat(str(noted.get(name))) for name in ("since", "until"))
        except ValueError:
            return None
    return at + (until - since) if since < at <= until else None
