"""Time in which the program was down: noted when it is back, so that nobody loses what they could not use."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from bot.core.context import Context

HEARTBEAT_SECONDS: Final = 30.0
"""Every how many seconds the program notes that it is alive."""
DOWNTIME_THRESHOLD: Final = timedelta(seconds=4 * HEARTBEAT_SECONDS)
"""Longer without a beat means that the program was down, or stood still."""
HEARTBEAT_NAME: Final = "alarms"
_DOWNTIME_KEY: Final = ("alarms", "standstill")


async def record_heartbeat(context: Context, since: datetime, until: datetime) -> None:
    """Note that the program was down, in place of the time before."""
    await context.store.key_values.set(*_DOWNTIME_KEY, {"since": since.isoformat(), "until": until.isoformat()})


async def extend_deadlines(context: Context, at: datetime) -> datetime | None:
    """Return when something comes instead that was to come at a time when the program was down; None if it was up."""
    last, now = await context.store.alarms.last_heartbeat(HEARTBEAT_NAME), context.clock()
    if last is not None and now - last > DOWNTIME_THRESHOLD:
        since, until = last, now  # only just back: the first beat is still to come
    else:
        noted = await context.store.key_values.get(*_DOWNTIME_KEY) or {}
        try:
            since, until = (datetime.fromisoformat(str(noted.get(name))) for name in ("since", "until"))
        except ValueError:
            return None
    return at + (until - since) if since < at <= until else None
