"""What is wrong with the database as such: values that cannot be read, files that somebody has deleted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.operations.metrics import DAMAGED
from storage import Store

AGAIN: Final = timedelta(hours=1)
"""How long after a look through the whole database the next one comes at the earliest."""
MOST: Final = 20
"""How many values are named, each in a line."""

log = structlog.get_logger(__name__)


class DamageWatch:
    """Looks through the database when something could not be read; who has read it went on without it."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._known = store.misread
        self._looked: datetime | None = None
        self._removed: list[str] = []

    async def look(self) -> None:
        """Name and count what cannot be read, if there is anything new; see that the database's files are there."""
        await self._see_that_files_are_there()
        now, misread = self._clock(), self._store.misread
        if misread == self._known or (self._looked is not None and now - self._looked < AGAIN):
            return
        self._known, self._looked = misread, now
        found = await self._store.damages()
        DAMAGED.set(len(found))
        for damage in found[:MOST]:
            log.error("damaged-row", table=damage.table, key=damage.key, column=damage.column)
        if found:
            log.error("database-damaged", values=len(found), help="tavoliere check --repair")

    async def _see_that_files_are_there(self) -> None:
        """Where somebody has deleted a file in use, save what would end with this process, and say so."""
        removed = self._store.removed_files()
        if removed:
            await self._store.put_into_file()
        if removed and removed != self._removed:
            log.error("database-file-removed", files=removed, help="stop the program and start it again")
        self._removed = removed
