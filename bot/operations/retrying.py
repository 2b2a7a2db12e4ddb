"""What did not succeed at the start is tried again while the program goes on."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from bot.operations.tasks import cancel_tasks

FIRST_RETRY_SECONDS: Final = 5.0
MAX_RETRY_SECONDS: Final = 3600.0
MAX_HURRIED_SECONDS: Final = 60.0
"""Longest pause that nothing shortens: what happens all the time must not make attempts frequent."""

log = structlog.get_logger(__name__)


class BackgroundRetry:
    """Makes an attempt, and repeats it with growing pauses until it returns True."""

    def __init__(
        self,
        name: str,
        attempt: Callable[[], Awaitable[bool]],
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._name = name
        self._attempt = attempt
        self._rest = rest
        self._resting = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def is_failing(self) -> bool:
        """True while no attempt has succeeded."""
        return self._task is not None and not self._task.done()

    async def start(self) -> None:
        """Make the first attempt; raises what that raises."""
        await self.stop()
        if not await self._attempt():
            self._task = asyncio.create_task(self._repeat(), name=self._name)

    def hurry(self) -> None:
        """Begin with short pauses again: what refused may have a reason to accept."""
        if self._task is not None and self._resting > MAX_HURRIED_SECONDS:
            self._task.cancel()
            self._resting = 0.0
            self._task = asyncio.create_task(self._repeat(), name=self._name)

    async def stop(self) -> None:
        """Stop trying."""
        task, self._task = self._task, None
        await cancel_tasks(task)

    async def _repeat(self) -> None:
        pause, done = FIRST_RETRY_SECONDS, False
        while not done:
            self._resting = pause
            await self._rest(pause)
            self._resting = 0.0
            pause = min(pause * 2, MAX_RETRY_SECONDS)
            try:
                done = await self._attempt()
            except Exception as error:  # noqa: BLE001 - logged, and tried again
                log.warning("retry-failed", task=self._name, reason=repr(error))
