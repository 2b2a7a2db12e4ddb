"""What jobs have in common that do what the database says is due: woken by a signal, or when the next thing is due."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from datetime import datetime
from typing import Final

import structlog

from bot.core.context import Context
from bot.operations.outages import log_outage
from storage import StorageError

MAX_SLEEP_SECONDS: Final = 60.0
"""After how many seconds it looks again in any case."""
DATABASE_RETRY_SECONDS: Final = 2.0
"""The same while the database is away."""

log = structlog.get_logger(__name__)


class DueWorker(ABC):
    """A worker that does what is due, one thing after the other."""

    def __init__(self, context: Context, wanted: asyncio.Event, name: str) -> None:
        """Prepare; `wanted` is set when something may be due, `name` is what logs call it."""
        self._context = context
        self._wanted = wanted
        self._name = name
        self._loop: asyncio.Task[None] | None = None
        self._busy = asyncio.Lock()

    def start(self) -> None:
        """Begin, first of all with what was due when the program last ended."""
        self._loop = asyncio.create_task(self._run(), name=self._name)
        self._wanted.set()

    async def close(self) -> None:
        """End; what is half done is done at the next start."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None

    async def run_until_idle(self) -> None:
        """Do all that is due by now, as far as can be."""
        while await self._run_once():
            continue

    @abstractmethod
    async def _run_due(self) -> bool:
        """Do what is due; say whether anything was done."""

    @abstractmethod
    async def _next_due_at(self) -> datetime | None:
        """Return when the next thing is due, None if nothing is to come."""

    async def _run_once(self) -> bool:
        async with self._busy:
            return await self._run_due()

    async def _run(self) -> None:
        while True:
            self._wanted.clear()
            pause = MAX_SLEEP_SECONDS
            try:
                if await self._run_once():
                    continue
                due = await self._next_due_at()
                if due is not None:
                    pause = min(pause, max(1.0, (due - self._context.clock()).total_seconds()))
            except StorageError as error:
                log_outage(log, f"{self._name}-waits-for-the-database", error)
                pause = DATABASE_RETRY_SECONDS
            except Exception:
                # Whatever it is: one thing that cannot be read must not stop all others for good.
                log.exception("job-failed", job=self._name)
            try:
                async with asyncio.timeout(pause):
                    await self._wanted.wait()
            except TimeoutError:
                continue
