"""The job for reminders, timeouts and expired invitations. Downtime of ours does not count against anybody."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.core.context import Context
from bot.explore.service import RETENTION
from bot.interface.refusals import Refused
from bot.lobby.service import call_off
from bot.operations.outages import describe_outage, log_outage
from bot.play.clocks import DOWNTIME_THRESHOLD, HEARTBEAT_NAME, HEARTBEAT_SECONDS, alarm_stage, record_heartbeat
from bot.play.service import drop_seat, store_step
from bot.tables.table import NotInstalled, Table, missing_seats
from engine import EngineError
from engine import games as installed
from storage import GameBrief, NewEvent, OfferKind, Offers, Reminder, StorageError, Unavailable

PROCESSED_EVENT_RETENTION: Final = timedelta(days=14)
"""Retention of processed platform events and notices, so that none is handled twice."""
CLEANUP_INTERVAL: Final = timedelta(hours=6)

log = structlog.get_logger(__name__)


class Alarms:
    """A worker that handles due alarms and cleans up."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._loop: asyncio.Task[None] | None = None
        self._tidied: datetime | None = None
        self.tidying: list[Callable[[], Awaitable[object]]] = []
        """Callbacks of the periodic clean-up."""
        self.watching: list[Callable[[], Awaitable[object]]] = []
        """Callbacks of every heartbeat."""

    def start(self) -> None:
        """Start."""
        self._loop = asyncio.create_task(self._run(), name="alarms")

    async def close(self) -> None:
        """Stop; unfinished work is done at the next start."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None

    async def tick(self) -> None:
        """Record a heartbeat, postpone clocks by the time that the program was down, and handle due alarms."""
        store, now = self._context.store, self._context.clock()
        # One transaction: a heartbeat without the postponement would lose the time that people are to get back.
        async with store.transaction():
            before = await store.alarms.record_heartbeat(HEARTBEAT_NAME, now)
            late = before is not None and now - before > DOWNTIME_THRESHOLD
            games = 0
            if before is not None and late:
                games = await store.alarms.postpone(now - before)
                await record_heartbeat(self._context, before, now)
            if before is not None and not late:
                # Nobody can play a game that is not installed: its clocks stand still.
                await store.alarms.postpone(now - before, besides=tuple(installed))
        if before is not None and late:
            log.info("clocks-postponed", seconds=(now - before).total_seconds(), games=games)
        if self._tidied is None or now - self._tidied >= CLEANUP_INTERVAL:
            self._tidied = now
            await store.processed_events.delete_before(now - PROCESSED_EVENT_RETENTION)
            await store.notices.delete_before(now - PROCESSED_EVENT_RETENTION)
            await store.bans.delete_expired(now)
            await store.trees.delete_expired(now - RETENTION)
            for tidy in self.tidying:
                await tidy()
        await store.passes.delete_expired(now)
        for watch in self.watching:
            await watch()
        rung: set[str] = set()
        while due := [brief for brief in await store.alarms.list_due(now, 100 + len(rung)) if brief.id not in rung]:
            for brief in due:
                rung.add(brief.id)
                await self._handle_alarm(brief)

    async def _run(self) -> None:
        while True:
            try:
                await self.tick()
            except StorageError as error:
                log_outage(log, "alarms-wait-for-the-database", error)
            except Exception:
                # Catch everything: one unreadable row must not stop everybody's clocks.
                log.exception("alarm-loop-failed")
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _handle_alarm(self, brief: GameBrief) -> None:
        try:
            table = await self._context.table(brief.id)
            if table.row.alarm_at is None or table.row.alarm_at > self._context.clock():
                return
            if table.row.status == "lobby":
                await self._expire_invitation(table)
            elif table.row.deadline is not None and table.row.deadline <= self._context.clock():
                await self._handle_timeout(table)
            else:
                await self._remind(table)
        except Refused:
            return  # the game has changed: its new alarm counts
        except NotInstalled:
            return  # its clocks stand still from the next heartbeat on
        except EngineError as error:
            log.error("broken-game", game=brief.id, reason=describe_outage(error))
            await self._context.store.alarms.disable(brief.id)
        except Unavailable:
            raise
        except Exception:
            # It is retried at the next heartbeat; the others go on now.
            log.exception("alarm-failed", game=brief.id)

    async def _expire_invitation(self, table: Table) -> None:
        """Cancel an invitation that was not answered in time."""
        row = replace(call_off(table.row, "expired", self._context.clock()), alarm_at=None)
        await store_step(self._context, table, row, [NewEvent("expired")])

    async def _remind(self, table: Table) -> None:
        """Remind the player to move, with a new board if that is where they want to be notified."""
        stage = alarm_stage(table.row, self._context.clock())
        row = replace(table.row, reminder=Reminder(stage=stage))
        await store_step(self._context, table, row, [NewEvent("reminder", {"stage": int(stage)})])

    async def _handle_timeout(self, table: Table) -> None:
        """Drop the seat that is out of time, or stop the clock if all the others have chosen to wait."""
        mover = table.mover
        if mover is None:
            row = replace(table.row, deadline=None)
            await store_step(self._context, table, row, [NewEvent("waited")], line=table.line)
            return
        offer = table.row.offers.offer_of_kind(OfferKind.WAIT)
        if offer is not None and not missing_seats(table, offer):
            row = replace(table.row, deadline=None, offers=Offers(), reminder=None)
            await store_step(self._context, table, row, [NewEvent("waited")], line=table.line)
            return
        await drop_seat(self._context, table, mover, "time")
