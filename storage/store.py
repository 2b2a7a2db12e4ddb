"""The store: everything that is kept, behind one object."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from storage.alarms import Alarms
from storage.analyses import Analyses
from storage.changes import Changes
from storage.database import Database, News, prepare_file, read_url
from storage.games import Games
from storage.handled import HandledEvents
from storage.lessons import Lessons
from storage.links import Links
from storage.migrate import migrate
from storage.notes import Notes
from storage.people import People
from storage.places import Places
from storage.privacy import Privacy
from storage.ratings import Ratings
from storage.room import Room
from storage.surfaces import Surfaces


class Store(
    People,
    Places,
    Games,
    Changes,
    Surfaces,
    HandledEvents,
    Alarms,
    Ratings,
    Links,
    Lessons,
    Privacy,
    Room,
    Notes,
    Analyses,
):
    """All that is kept, in one database; every verb is one transaction.

    Any verb may raise `Unavailable` (full disk, locked, unreachable ...); nothing is stored then.
    """

    backup: Path | None = None
    """The copy of an SQLite database that was made before it was migrated at the opening."""

    @classmethod
    async def open(cls, address: str | Path, *, patience: float = 10.0, steps: Sequence[Path] = ()) -> Self:
        """Open a database, made or brought up to date where needed.

        `address` is the path of an SQLite file or a postgresql: address; `patience` is for how many seconds a locked
        database is waited for; `steps` are directories of migrations beyond the program's own. Raises InvalidUrl and
        the Unavailable errors.
        """
        url = read_url(address)
        database = Database(url, patience)
        if database.is_sqlite:
            await asyncio.to_thread(prepare_file, database.path, patience)
        backup = await migrate(url, patience, steps)
        store = cls(database)
        store.backup = backup
        return store

    async def close(self) -> None:
        """Close all connections; the store cannot be used afterwards."""
        await self._database.close()

    def listen(self, listener: Callable[[News], None]) -> None:
        """Have somebody told of every change after its transaction.

        By its kind: "game" with the GameRow as it is now, "shown" with a place and a game, "person" (settings) and
        "lessons" with a person, "people" where any person or place may have changed.
        """
        self._database.listeners.append(listener)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Make all verbs that this task calls inside one transaction, undone as a whole if an error leaves it.

        A verb that fails inside is undone alone if its error is caught. Not for tasks started inside.
        """
        async with self._database.writing():
            yield
