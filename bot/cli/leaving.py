"""The shutdown of `tavoliere serve`: work in progress is finished, and the process ends within ten seconds."""

import asyncio
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, Protocol

import structlog

from bot.platforms.app import Tavoliere

DRAIN_TIMEOUT_SECONDS: Final = 4.0
"""Seconds to wait for replies in progress and due boards."""
CLOSE_TIMEOUT_SECONDS: Final = 0.5
"""Seconds that each connection may then take to close."""
SHUTDOWN_TIMEOUT_SECONDS: Final = 9.0
"""Seconds after which the process exits in any case: nothing stored can be damaged by that."""

log = structlog.get_logger(__name__)


class Drainable(Protocol):
    """A connection to a platform."""

    async def drain(self) -> None:
        """Stop receiving; return once everything received is answered."""
        ...


async def drain_platforms(tavoliere: Tavoliere, connections: Iterable[Drainable]) -> None:
    """Answer pending requests, and deliver the changes, as far as the platforms allow."""
    last = threading.Timer(SHUTDOWN_TIMEOUT_SECONDS, os._exit, (1,))
    last.daemon = True
    last.start()
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT_SECONDS):
            await asyncio.gather(*(connection.drain() for connection in connections))
            await tavoliere.delivery.run_until_idle()
            return
    log.warning("shutdown-timed-out")
