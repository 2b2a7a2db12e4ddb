"""Whether the program can do its work: a database that takes what is to be written, and platforms listened to."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from bot.operations import NOT_LISTENING
from storage import StorageError, Store

DATABASE_TIMEOUT_SECONDS: Final = 3.0
"""How many seconds the database may take to answer before the program counts as ill."""

WRITE_CHECK_INTERVAL_SECONDS: Final = 10.0
"""For how many seconds it holds that a change could be written."""

FILE_REMOVED: Final = "file-removed"
"""What is wrong where somebody has deleted a file of the database that is in use."""

Failing = Callable[[], Collection[str]]
"""Returns the platforms that are not listened to for another reason than their being away."""


@dataclass(frozen=True, slots=True)
class Health:
    """How the program is: what is wrong with the database, if anything is, and which platforms it fails to hear."""

    database: str | None
    failing: tuple[str, ...] = ()

    @property
    def reason(self) -> str | None:
        """The code of what is wrong, None if nothing is."""
        return self.database or (NOT_LISTENING if self.failing else None)


def nothing_fails() -> Collection[str]:
    """Return no platform."""
    return ()


class HealthWatch:
    """Looks how the program is, each time it is asked.

    Platforms that are away do not count: it is not for us to bring them back, and all others can be served meanwhile.
    """

    def __init__(
        self, store: Store, failing: Failing = nothing_fails, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare; `clock` tells seconds."""
        self._store = store
        self._failing = failing
        self._clock = clock
        self._tried = -math.inf
        self._failures, _ = store.key_values.write_failures

    async def look(self) -> Health:
        """Return how the program is."""
        return Health(await self._trouble(), tuple(self._failing()))

    async def _trouble(self) -> str | None:
        """Return the code of what is wrong with the database, None if nothing is.

        What people try is tried: a change is written, now and then while all is well, each time where one failed last.
        A disk that is nearly full takes some changes and not others: what failed since the last look counts, too.
        """
        failures, code = self._store.key_values.write_failures
        failed = failures > self._failures
        if self._store.removed_files():
            return FILE_REMOVED
        try:
            async with asyncio.timeout(DATABASE_TIMEOUT_SECONDS):
                if (
                    self._store.key_values.write_error is not None
                    or self._clock() - self._tried >= WRITE_CHECK_INTERVAL_SECONDS
                ):
                    self._tried = self._clock()
                    await self._store.key_values.check_writable()
                else:
                    await self._store.surfaces.next_due_at()
        except StorageError as error:
            return error.code
        except TimeoutError:
            return "slow"
        finally:
            self._failures, _ = self._store.key_values.write_failures
        return code if failed else None
