"""Health: the database accepts writes, and the platforms are listened to."""

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.operations import PLATFORM_REASONS
from storage import StorageError, Store

DATABASE_TIMEOUT_SECONDS: Final = 3.0
"""Seconds the database may take to answer before the program counts as unhealthy."""

WRITE_CHECK_INTERVAL_SECONDS: Final = 10.0
"""Seconds for which a successful write check stays valid."""

FILE_REMOVED: Final = "file-removed"
"""The reason for failed health if a database file in use was deleted."""

Failing = Callable[[], Mapping[str, str]]
"""Returns the platforms whose updates do not all reach us, though they are reachable, each with the reason's code."""


@dataclass(frozen=True, slots=True)
class Health:
    """The program's health: the database's error code, if any, and the platforms that fail, each with the reason."""

    database: str | None
    failing: Mapping[str, str] = field(default_factory=dict)

    @property
    def reason(self) -> str | None:
        """The code of what is wrong, the worst if several things are, None if nothing is."""
        return self.database or min(self.failing.values(), key=PLATFORM_REASONS.index, default=None)

    @property
    def platforms(self) -> list[str]:
        """The platforms that the reason is about, none if it is about the database."""
        return [name for name, reason in self.failing.items() if self.database is None and reason == self.reason]


def nothing_fails() -> Mapping[str, str]:
    """Return no platform."""
    return {}


class HealthWatch:
    """Checks the program's health on each request.

    Unreachable platforms do not count: we cannot bring them back, and all others can be served meanwhile.
    """

    def __init__(
        self, store: Store, failing: Failing = nothing_fails, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Create the watch; `clock` returns seconds."""
        self._store = store
        self._failing = failing
        self._clock = clock
        self._tried = -math.inf
        self._failures, _ = store.key_values.write_failures

    async def look(self) -> Health:
        """Return the program's health."""
        return Health(await self._check_database(), self._failing())

    async def _check_database(self) -> str | None:
        """Return the code of the database's error, None if there is none.

        It does what people do: it writes a change, now and then while all is well, each time after a failed one. A disk
        that is nearly full accepts some changes and not others: failures since the last check count, too.
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
                    await self._store.posts.next_due_at()
        except StorageError as error:
            return error.code
        except TimeoutError:
            return "slow"
        finally:
            self._failures, _ = self._store.key_values.write_failures
        return code if failed else None
