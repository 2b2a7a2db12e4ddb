"""What happens at a time: reminders, time running out, invitations that expire; and nothing for time we were down."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.context.context import Context
from bot.interface.refusals import Refused
from bot.operations.outages import log_outage, reason_of
from bot.services.clocks import stage_at
from bot.services.lobby import called_off
from bot.services.play import drop
from bot.services.standstill import BEAT, GAP, PULSE, note_standstill
from bot.services.steps import store_step
from bot.services.tries import KEPT
from bot.tables.broken import NotInstalled
from bot.tables.consent import missing
from bot.tables.table import Table
from engine import EngineError
from engine import games as installed
from storage import GameBrief, NewEvent, OfferKind, Offers, Reminder, StorageError, Unavailable

REMEMBERED: Final = timedelta(days=14)
"""How long the events of the platforms, and what people were told, are remembered, so that none is handled twice."""
TIDY: Final = timedelta(hours=6)

log = structlog.get_logger(__name__)


class Alarms:
    """A worker that does what is due."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._loop: asyncio.Task[None] | None = None
        self._tidied: datetime | None = None
        self.tidying: list[Callable[[], Awaitable[object]]] = []
        self.watching: list[Callable[[], Awaitable[object]]] = []
        """What else is looked at with every beat."""
        """What else is to be done now and then, so that nothing grows for ever."""

    def start(self) -> None:
        """Begin."""
        self._loop = asyncio.create_task(self._run(), name="alarms")

    async def close(self) -> None:
        """End; what is half done is done at the next start."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None

    async def beat(self) -> None:
        """Note that the program is alive, put off what would have come while it was not, and do what is due."""
        store, now = self._context.store, self._context.clock()
        # Both or neither: noted alone, the time would be forgotten that people are to get back.
        async with store.transaction():
            before = await store.pulse(PULSE, now)
            late = before is not None and now - before > GAP
            games = 0
            if before is not None and late:
                games = await store.put_off_alarms(now - before)
                await note_standstill(self._context, before, now)
            if before is not None and not late:
                # Nobody can play what is not installed: its clocks stand still.
                await store.put_off_alarms(now - before, besides=tuple(installed))
        if before is not None and late:
            log.info("time-put-off", seconds=(now - before).total_seconds(), games=games)
        if self._tidied is None or now - self._tidied >= TIDY:
            self._tidied = now
            await store.forget_processed(now - REMEMBERED)
            await store.forget_notices(now - REMEMBERED)
            await store.forget_bars(now)
            await store.forget_tries(now - KEPT)
            for tidy in self.tidying:
                await tidy()
        await store.forget_passes(now)
        for watch in self.watching:
            await watch()
        rung: set[str] = set()
        while due := [brief for brief in await store.due_alarms(now, 100 + len(rung)) if brief.id not in rung]:
            for brief in due:
                rung.add(brief.id)
                await self._ring(brief)

    async def _run(self) -> None:
        while True:
            try:
                await self.beat()
            except StorageError as error:
                log_outage(log, "alarms-wait-for-the-database", error)
            except Exception:
                # Whatever it is: one row that cannot be read must not stop everybody's clocks for good.
                log.exception("alarms-stumbled")
            await asyncio.sleep(BEAT)

    async def _ring(self, brief: GameBrief) -> None:
        try:
            table = await self._context.table(brief.id)
            if table.row.alarm_at is None or table.row.alarm_at > self._context.clock():
                return
            if table.row.status == "lobby":
                await self._expire(table)
            elif table.row.deadline is not None and table.row.deadline <= self._context.clock():
                await self._time_is_up(table)
            else:
                await self._remind(table)
        except Refused:
            return  # somebody moved in this moment: the alarm is theirs now
        except NotInstalled:
            return  # its clocks stand still from the next beat on
        except EngineError as error:
            log.error("broken-game", game=brief.id, reason=reason_of(error))
            await self._silence(brief)
        except Unavailable:
            raise
        except Exception:
            # It rings again at the next beat; the others do so now.
            log.exception("alarm-stumbled", game=brief.id)

    async def _expire(self, table: Table) -> None:
        """End an invitation that was not answered in time."""
        row = replace(called_off(table.row, "expired", self._context.clock()), alarm_at=None)
        await store_step(self._context, table, row, [NewEvent("expired")])

    async def _remind(self, table: Table) -> None:
        """Call the player to move once more: by a new board where they are called, if that is where they want it."""
        stage = stage_at(table.row, self._context.clock())
        row = replace(table.row, reminder=Reminder(stage=stage))
        await store_step(self._context, table, row, [NewEvent("reminder", {"stage": int(stage)})])

    async def _time_is_up(self, table: Table) -> None:
        """Take the seat that is out of time from the game, or wait on if all the others have chosen to."""
        mover = table.mover
        if mover is None:
            row = replace(table.row, deadline=None)
            await store_step(self._context, table, row, [NewEvent("waited")], line=table.line)
            return
        offer = table.row.offers.of(OfferKind.WAIT)
        if offer is not None and not missing(table, offer):
            row = replace(table.row, deadline=None, offers=Offers(), reminder=None)
            await store_step(self._context, table, row, [NewEvent("waited")], line=table.line)
            return
        await drop(self._context, table, mover, "time")

    async def _silence(self, brief: GameBrief) -> None:
        """Leave a game that cannot be read alone: nobody loses it on time, and what is stored of it stays as it is."""
        await self._context.store.silence(brief.id)
