"""Base class of jobs that do what is due in the database: they wake on a signal, or when the next item is due."""

import asyncio
from abc import ABC, abstractmethod
from datetime import datetime
from typing import Final

import structlog

from bot.core.context import Context
from bot.operations.outages import log_outage
from bot.operations.tasks import cancel_tasks, is_set_within
from storage import StorageError

MAX_SLEEP_SECONDS: Final = 60.0
"""Maximum seconds between two looks at the database."""
DATABASE_RETRY_SECONDS: Final = 2.0
"""Seconds between two looks while the database is unavailable."""
MAX_ROUNDS: Final = 500
"""Maximum number of rounds in a row, of up to some hundred items each: more only where what is done stays due."""

log = structlog.get_logger(__name__)


class DueWorker(ABC):
    """A worker that handles due items one after the other."""

    def __init__(self, context: Context, wanted: asyncio.Event, name: str) -> None:
        """Create the worker; `wanted` is set when something may be due, `name` is its name in logs."""
        self._context = context
        self._wanted = wanted
        self._name = name
        self._loop: asyncio.Task[None] | None = None
        self._busy = asyncio.Lock()

    def start(self) -> None:
        """Start, first with what was due when the program last stopped; if it has started, look again soon."""
        if self._loop is None:
            self._loop = asyncio.create_task(self._run(), name=self._name)
        self._wanted.set()

    async def close(self) -> None:
        """Stop; unfinished work is done at the next start."""
        await cancel_tasks(self._loop)
        self._loop = None

    async def run_until_idle(self) -> None:
        """Handle everything that is due now, as far as possible; at most MAX_ROUNDS rounds."""
        for _ in range(MAX_ROUNDS):
            if not await self._run_once():
                return
        log.error("job-does-not-rest", job=self._name)

    @abstractmethod
    async def _run_due(self) -> bool:
        """Handle what is due; return True if anything was done."""

    @abstractmethod
    async def _next_due_at(self) -> datetime | None:
        """Return when the next item is due, None if nothing is scheduled."""

    async def _run_once(self) -> bool:
        async with self._busy:
            return await self._run_due()

    async def _run(self) -> None:
        rounds = 0
        while True:
            self._wanted.clear()
            pause = MAX_SLEEP_SECONDS
            try:
                if await self._run_once():
                    rounds += 1
                    if rounds < MAX_ROUNDS:
                        continue
                    log.error("job-does-not-rest", job=self._name)
                rounds = 0
                due = await self._next_due_at()
                if due is not None:
                    pause = min(pause, max(1.0, (due - self._context.clock()).total_seconds()))
            except StorageError as error:
                log_outage(log, f"{self._name}-waits-for-the-database", error)
                pause = DATABASE_RETRY_SECONDS
            except Exception:
                # Catch everything: one unreadable item must not stop all others.
                log.exception("job-failed", job=self._name)
            await is_set_within(self._wanted, pause)
