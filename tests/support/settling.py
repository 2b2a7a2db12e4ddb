"""Runs the jobs of a program as its own loops would: those that were woken."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from bot.kernel.post_kinds import DueWorker
from bot.outbox.worker import Delivery
from bot.platforms.app import Tavoliere
from storage import News

COMPETITION_JOBS: Final = ("cups", "ladders", "leagues")
NOT_BY_ALL: Final = (*COMPETITION_JOBS, "computers", "puzzles", "guesses", "standings", "teams", "webhooks")
"""Jobs that are run above in an order, or by the tests that are about them; all others run if they were woken."""


class Settler:
    """Runs jobs of a program until they are idle; jobs that nothing has woken are not run.

    All jobs run the first time, once the clock has moved, and always where other processes share the database: what
    those announce may come late.
    """

    def __init__(self, front: Tavoliere) -> None:
        self._front = front
        self._signals = front.context.signals
        self._settled_at: datetime | None = None
        self._boards_due = True
        front.context.store.add_listener(self._on_store_change)

    async def settle(self, *, thinking: bool = True) -> None:
        """Run what is due; `thinking`: computers move as well, until it is a person's turn."""
        now = self._front.context.clock()
        every = now != self._settled_at or self._front.context.store.is_shared
        self._settled_at = now
        self._boards_due = self._boards_due or every
        if self._take("competition"):
            for job in COMPETITION_JOBS:
                if job in self._front.jobs:
                    await self._front.jobs[job].run_until_idle()
        if thinking and (self._take("thinking") or every):
            await self._front.jobs["computers"].run_until_idle()
        if self._take("daily") or every:
            await self._front.jobs["puzzles"].run_until_idle()
        for name, other in self._front.jobs.items():
            if name not in NOT_BY_ALL and self._is_woken(other):
                await other.run_until_idle()
        await self._deliver_boards()
        if self._take("notices") or every:
            await self._front.messenger.run_until_idle()
        await self._deliver_boards()

    def _take(self, signal: str) -> bool:
        event = self._signals.event(signal)
        was_set = event.is_set()
        event.clear()
        return was_set

    def _is_woken(self, job: DueWorker) -> bool:
        """Return True once if a job was woken since the last time, as its own loop would notice."""
        wanted = getattr(job, "_wanted", None)
        if not isinstance(wanted, asyncio.Event) or not wanted.is_set():
            return False
        wanted.clear()
        return True

    async def _deliver_boards(self) -> None:
        if self._boards_due:
            self._boards_due = False
            await self._front.delivery.run_until_idle()

    def _on_store_change(self, news: News) -> None:
        if news.kind == "due" or news.is_remote:
            self._boards_due = True


class StartedJob:
    """A job whose loop runs, by the machine's clock: what is due by the program's own, which tests turn, is run here.

    Nothing is run that the loop would not run by then, so a job that nobody wakes fails its test.
    """

    def __init__(self, job: DueWorker) -> None:
        self._job = job
        self._chats: Mapping[Any, asyncio.Task[None]] = job._chats if isinstance(job, Delivery) else {}
        self._run_due, self._find_due = job._run_due, job._next_due_at
        self._due_at: datetime | None = None
        self._is_known = False
        patched: Any = job
        patched._run_due, patched._next_due_at = self._note_run, self._note_due

    async def catch_up(self, now: datetime, *, even_if_idle: bool) -> None:
        """Have it do what it was woken for and what is due, and wait until it is idle."""
        await asyncio.sleep(0)  # the job's own loop, timers and connections have their turn
        if even_if_idle:
            await self._job.run_until_idle()
        has_work = self._is_awake() or not self._is_known or (self._due_at is not None and self._due_at <= now)
        while has_work:
            self._job._wanted.clear()
            has_work = await self._job._run_once()
            if self._chats:
                # Cancelling the caller must not cancel the deliveries.
                await asyncio.wait(self._chats.values())
            await self._job._next_due_at()
            # What stays due though nothing could be done is retried by the next call.
            has_work = has_work or self._is_awake()

    def _is_awake(self) -> bool:
        return self._job._wanted.is_set() or self._job._busy.locked() or bool(self._chats)

    async def _note_run(self) -> bool:
        self._is_known = False
        return await self._run_due()

    async def _note_due(self) -> datetime | None:
        self._due_at = await self._find_due()
        self._is_known = True
        return self._due_at
