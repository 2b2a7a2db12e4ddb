"""Damage to the database itself: values that cannot be read, files that were deleted."""

from collections.abc import Callable
from typing import Final

import structlog

from bot.operations.metrics import DAMAGED_VALUES
from storage import Store

MIN_SCAN_INTERVAL_SECONDS: Final = 3600.0
"""Minimum seconds between two scans of the whole database."""
MAX_VALUES_LOGGED: Final = 20
"""Maximum number of values that are logged, one per line."""

log = structlog.get_logger(__name__)


class DamageWatch:
    """Scans the database after something could not be read; the reader went on without it."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        """Create the watch; `clock` returns seconds that cannot be set."""
        self._store = store
        self._clock = clock
        self._known = store.decode_error_count
        self._looked: float | None = None
        self._removed: list[str] = []

    async def scan(self) -> None:
        """Log and count unreadable values if there are new ones; check that the database's files exist."""
        await self._check_files_exist()
        now, misread = self._clock(), self._store.decode_error_count
        if misread == self._known or (self._looked is not None and now - self._looked < MIN_SCAN_INTERVAL_SECONDS):
            return
        self._known, self._looked = misread, now
        found = await self._store.find_damage()
        DAMAGED_VALUES.set(len(found))
        for damage in found[:MAX_VALUES_LOGGED]:
            log.error("damaged-row", table=damage.table, key=damage.key, column=damage.column)
        if found:
            log.error("database-damaged", values=len(found), help="tavoliere check --repair")

    async def _check_files_exist(self) -> None:
        """If a file in use was deleted, save what would be lost with this process, and log it."""
        removed = self._store.removed_files()
        if removed:
            await self._store.checkpoint()
        if removed and removed != self._removed:
            log.error("database-file-removed", files=removed, help="stop the program and start it again")
        self._removed = removed
