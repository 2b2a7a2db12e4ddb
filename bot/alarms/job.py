"""The job for reminders, timeouts and expired invitations; it also has the clock beat."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog

from bot.boards.tries import RETENTION
from bot.core.context import Context
from bot.interface.refusals import Refused
from bot.lobby.service import call_off
from bot.operations.clock import HEARTBEAT_SECONDS
from bot.operations.outages import describe_outage, log_outage
from bot.play.clocks import alarm_stage
from bot.play.service import drop_seat, store_step
from bot.tables.table import NotInstalled, Table, missing_seats
from engine import EngineError
from engine import games as installed
from storage import GameBrief, NewEvent, OfferKind, Offers, Reminder, StorageError, Unavailable

PROCESSED_EVENT_RETENTION: Final = timedelta(days=14)
"""Retention of processed platform events and notices, so that none is handled twice."""
CLEANUP_INTERVAL_SECONDS: Final = 6 * 3600.0

log = structlog.get_logger(__name__)


class Alarms:
    """A worker that handles due alarms and cleans up."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._loop: asyncio.Task[None] | None = None
        self._tidied: float | None = None
        self._wanted = asyncio.Event()
        self.tidying: list[Callable[[], Awaitable[object]]] = []
        """Callbacks of the periodic clean-up."""
        self.watching: list[Callable[[], Awaitable[object]]] = []
        """Callbacks of every heartbeat."""

    def start(self) -> None:
        """Start; from now on the clock stops if it cannot beat."""
        self._context.clock.stops = True
        self._loop = asyncio.create_task(self._run(), name="alarms")

    async def close(self) -> None:
        """Stop, with a last heartbeat; unfinished work is done at the next start."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None
            # Without it, the time since the last heartbeat is nobody's.
            with suppress(StorageError):
                await self.beat()

    def follow(self, number: int, seconds: int) -> None:
        """Have the clock follow a move that another process has made, and look at once."""
        self._context.clock.follow(number, seconds)
        self._wanted.set()

    async def beat(self) -> None:
        """Record a heartbeat, and have stored times follow the clock."""
        await self._context.clock.beat(self._context.store, tuple(installed))

    async def tick(self) -> None:
        """Record a heartbeat, have stored times follow the clock, handle due alarms and clean up."""
        await self.beat()
        store, now, seconds = self._context.store, self._context.clock(), self._context.clock.monotonic()
        if self._tidied is None or seconds - self._tidied >= CLEANUP_INTERVAL_SECONDS:
            self._tidied = seconds
            await store.processed_events.delete_before(now - PROCESSED_EVENT_RETENTION)
            await store.notices.delete_before(now - PROCESSED_EVENT_RETENTION)
            await store.bans.delete_expired(now)
            await store.trees.delete_expired(now - RETENTION)
            await store.drafts.delete_expired(now)
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
            self._wanted.clear()
            try:
                await self.tick()
            except StorageError as error:
                log_outage(log, "alarms-wait-for-the-database", error)
            except Exception:
                # Catch everything: one unreadable row must not stop everybody's clocks.
                log.exception("alarm-loop-failed")
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await self._wanted.wait()

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
