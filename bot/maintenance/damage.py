"""What is wrong with the database as such: values that cannot be read, files that somebody has deleted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.operations.metrics import DAMAGED
from storage import Store

MIN_SCAN_INTERVAL: Final = timedelta(hours=1)
"""How long after a look through the whole database the next one comes at the earliest."""
MAX_VALUES_LOGGED: Final = 20
"""How many values are named, each in a line."""

log = structlog.get_logger(__name__)


class DamageWatch:
    """Looks through the database when something could not be read; who has read it went on without it."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock
        self._known = store.decode_error_count
        self._looked: datetime | None = None
        self._removed: list[str] = []

    async def scan(self) -> None:
        """Name and count what cannot be read, if there is anything new; see that the database's files are there."""
        await self._check_files_exist()
        now, misread = self._clock(), self._store.decode_error_count
        if misread == self._known or (self._looked is not None and now - self._looked < MIN_SCAN_INTERVAL):
            return
        self._known, self._looked = misread, now
        found = await self._store.find_damage()
        DAMAGED.set(len(found))
        for damage in found[:MAX_VALUES_LOGGED]:
            log.error("damaged-row", table=damage.table, key=damage.key, column=damage.column)
        if found:
            log.error("database-damaged", values=len(found), help="tavoliere check --repair")

    async def _check_files_exist(self) -> None:
        """Where somebody has deleted a file in use, save what would end with this process, and say so."""
        removed = self._store.removed_files()
        if removed:
            await self._store.checkpoint()
        if removed and removed != self._removed:
            log.error("database-file-removed", files=removed, help="stop the program and start it again")
        self._removed = removed
