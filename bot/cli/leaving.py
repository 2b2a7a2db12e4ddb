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

FINISHING: Final = 4.0
"""For how many seconds answers that are being made and boards that are due are waited for."""
LEAVING: Final = 0.5
"""How long each connection may take to close then."""
MOST: Final = 9.0
"""After how many seconds the process ends whatever it is about: nothing that is stored can come to harm by it."""

log = structlog.get_logger(__name__)


class Finishing(Protocol):
    """A connection to a platform."""

    async def finish(self) -> None:
        """Hear nothing new; return when everything that was heard is answered."""
        ...


async def finish(tavoliere: Tavoliere, connections: Iterable[Finishing]) -> None:
    """Answer what was asked, and deliver what it has changed, if the platforms let us."""
    last = threading.Timer(MOST, os._exit, (1,))
    last.daemon = True
    last.start()
    with suppress(TimeoutError):
        async with asyncio.timeout(FINISHING):
            await asyncio.gather(*(connection.finish() for connection in connections))
            await tavoliere.delivery.settle()
            return
    log.warning("left-unfinished")
