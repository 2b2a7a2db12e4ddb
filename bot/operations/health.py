"""Whether the program can do its work: a database that answers and takes what is to be written."""

from __future__ import annotations

import asyncio
from typing import Final

from storage import StorageError, Store

PATIENCE: Final = 3.0
"""How many seconds the database may take to answer before the program counts as ill."""


async def trouble_of(store: Store) -> str | None:
    """Return the code of what is wrong with the database, None if nothing is.

    Platforms that are away do not count. Where a change could not be written, one is tried; else one look is enough.
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
