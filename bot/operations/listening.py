"""Keeping a platform listened to: restarted with a growing back-off after any failure, with a known status."""

import asyncio
import random
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

import structlog

from bot.operations.metrics import UNREADABLE_EVENTS
from bot.operations.outages import log_outage
from bot.operations.tasks import cancel_tasks
from storage import StorageError, Unavailable

MIN_JITTER: Final = 0.75
"""Minimum part of a back-off that is kept: several processes must not all return at once."""

CONTESTED_SECONDS: Final = 120.0
"""Seconds without a conflict after which no other process counts as listening with our token: two long polls."""

log = structlog.get_logger(__name__)


class ConnectionLost(Exception):
    """The platform is unreachable, or asks to wait."""


class CannotConnect(Exception):
    """Listening fails because of the configuration: `event` and `details` are logged.

    It is retried unless `final`. If `is_reported`, the caller that starts the program puts it into words.
    """

    event: ClassVar[str]
    final: ClassVar[bool] = False
    is_reported: ClassVar[bool] = True

    @property
    def details(self) -> Mapping[str, Any]:
        """The details to log."""
        return {}


class Listener:
    """Receives a platform's updates, and reconnects on failure.

    `listening`: True while it receives. `failing`: True if it ended for another reason than an unreachable platform or
    database. `contested`: True while another process receives them, too, with the same token.
    """

    def __init__(
        self,
        platform: str,
        listen: Callable[[], Awaitable[None]],
        connect: Callable[[], Awaitable[None]] | None = None,
        *,
        first: float,
        longest: float,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Create the listener; the back-off grows from `first` to `longest` seconds.

        `connect` does nothing if there is a connection. `listen` returns if listening goes on by itself.
        """
        self.listening = False
        self.failing = False
        self.contested = False
        self._contested_at = 0.0
        self._platform = platform
        self._listen = listen
        self._connect = connect
        self._first = first
        self._longest = longest
        self._clock = clock
        self._rest = rest
        self._pause = first
        self._since = 0.0
        self._task: asyncio.Task[None] | None = None

    def connected(self) -> None:
        """Record that the platform is listened to."""
        if not self.listening:
            self._since = self._clock()
        self.listening, self.failing = True, False
        if self.contested and self._clock() - self._contested_at >= CONTESTED_SECONDS:
            self.contested = False
            event = f"{self._platform}-token-free"
            log.info(event)

    def conflict(self, reason: str) -> None:
        """Record that another process receives the updates with the same token; logged once until it has stopped."""
        self.lost()
        if not self.contested:
            event = f"{self._platform}-token-in-use"
            log.error(event, reason=reason)
        self.contested, self._contested_at = True, self._clock()

    def lost(self) -> None:
        """Record that the platform is unreachable now; for clients that reconnect by themselves."""
        if self.listening and self._clock() - self._since >= self._longest:
            self._pause = self._first
        self.listening = False

    async def start(self) -> None:
        """Connect and listen from now on; raises a CannotConnect that is to be reported, and then retries nothing."""
        pause = 0.0
        try:
            if self._connect is not None:
                await self._connect()
        except Exception as error:
            if isinstance(error, CannotConnect) and error.is_reported:
                self.failing = True
                raise
            pause = self._record_failure(error)
        self._task = asyncio.create_task(self._keep_listening(pause), name=self._platform)

    async def stop(self) -> None:
        """Stop listening."""
        task, self._task = self._task, None
        await cancel_tasks(task)
        self.lost()

    async def _keep_listening(self, pause: float) -> None:
        while True:
            if pause:
                await self._rest(pause)
            try:
                if self._connect is not None:
                    await self._connect()
                await self._listen()
            except Exception as error:  # noqa: BLE001 - logged there, whatever it is
                pause = self._record_failure(error)
                if isinstance(error, CannotConnect) and error.final:
                    return
            else:
                return

    def _record_failure(self, error: Exception) -> float:
        """Record and log why listening has ended; return the back-off in seconds."""
        self.lost()
        self.failing = not isinstance(error, (ConnectionLost, Unavailable))
        pause = self._pause * random.uniform(MIN_JITTER, 1)
        self._pause = min(self._pause * 2, self._longest)
        if isinstance(error, ConnectionLost):
            unreachable = f"{self._platform}-unreachable"
            log.warning(unreachable, reason=str(error), seconds=round(pause, 1))
        elif isinstance(error, CannotConnect):
            log.error(error.event, **error.details)
        elif isinstance(error, StorageError):
            log_outage(log, "listening-waits-for-the-database", error, platform=self._platform)
        else:
            log.error("listener-failed", exc_info=error, platform=self._platform, seconds=round(pause, 1))
        return pause


def drop_message(platform: str, kind: str, error: Exception, **details: Any) -> None:
    """Log and count an event that a library could not read: its kind and where parsing failed, not its content."""
    UNREADABLE_EVENTS.labels(platform, kind).inc()
    log.error("event-not-readable", platform=platform, kind=kind, reason=summarize_error(error), **details)


def summarize_error(error: Exception) -> str:
    """Return an error's class and where it was raised; not its text, which may quote what a platform sent."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}{where}"
