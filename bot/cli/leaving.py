"""The end of `tavoliere serve`: what was begun is finished, and within ten seconds everything is over."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, Protocol

import structlog

from bot.app import Tavoliere

DRAIN_TIMEOUT_SECONDS: Final = 4.0
"""For how many seconds answers that are being made and boards that are due are waited for."""
CLOSE_TIMEOUT_SECONDS: Final = 0.5
"""How long each connection may take to close then."""
SHUTDOWN_TIMEOUT_SECONDS: Final = 9.0
"""After how many seconds the process ends whatever it is about: nothing that is stored can come to harm by it."""

log = structlog.get_logger(__name__)


class Drainable(Protocol):
    """A connection to a platform."""

    async def drain(self) -> None:
        """Hear nothing new; return when everything that was heard is answered."""
        ...


async def drain_platforms(tavoliere: Tavoliere, connections: Iterable[Drainable]) -> None:
    """Answer what was asked, and deliver what it has changed, if the platforms let us."""
    last = threading.Timer(SHUTDOWN_TIMEOUT_SECONDS, os._exit, (1,))
    last.daemon = True
    last.start()
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT_SECONDS):
            await asyncio.gather(*(connection.drain() for connection in connections))
            await tavoliere.delivery.run_until_idle()
            return
    log.warning("shutdown-timed-out")
