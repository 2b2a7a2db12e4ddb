"""Whether the program can do its work: a database that takes what is to be written, and platforms listened to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from bot.operations import NOT_LISTENING
from storage import StorageError, Store

PATIENCE: Final = 3.0
"""How many seconds the database may take to answer before the program counts as ill."""

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


async def health_of(store: Store, failing: Failing) -> Health:
    """Return how the program is.

    Platforms that are away do not count: it is not for us to bring them back, and all others can be served meanwhile.
    """
    return Health(await trouble_of(store), tuple(failing()))


async def trouble_of(store: Store) -> str | None:
    """Return the code of what is wrong with the database, None if nothing is.

    Where a change could not be written, one is tried; else one look is enough.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            if store.trouble is not None:
                await store.try_writing()
            else:
                await store.next_due()
    except StorageError as error:
        return error.code
    except TimeoutError:
        return "slow"
    return None
