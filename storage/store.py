"""The store: the single entry to all persistent data."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from sqlalchemy import func, select

from storage.addresses import read_url, refuse_special_database
from storage.boards import AnalysisTrees, Guesses, Lessons, OwnMomentRows
from storage.clock import GameAlarms, StoredClock
from storage.columns import DecodeErrorCounter
from storage.competitions import Competitions
from storage.coordination import Coordination
from storage.copies import Damage, find_damage
from storage.database import Database
from storage.engines import enable_incremental_vacuum, file_size, prepare_file, release_free_pages
from storage.errors import Unavailable
from storage.events import ProcessedEvents
from storage.games import Analyses, StoredGames
from storage.key_values import FormDrafts, InteractionPasses, KeyValues
from storage.migrate import check_is_current, migrate
from storage.notices import Notices
from storage.people import People
from storage.places import Bans, Places
from storage.posts import Posts
from storage.privacy import Links, Privacy
from storage.public_pages import PublicPages
from storage.puzzles import Dailies, PlayedPuzzles, Puzzles
from storage.ratings import Ratings, Titles
from storage.room import RoomHistory
from storage.teams import Teams
from storage.webhooks import Webhooks


class Store(Coordination):
    """All persistent data in one database; every method is one transaction.

    Every method may raise `Unavailable` (full disk, locked, unreachable ...), and then stores nothing. The annotations
    name the subjects; each gets the database.
    """

    people: People
    places: Places
    games: StoredGames
    posts: Posts
    passes: InteractionPasses
    processed_events: ProcessedEvents
    alarms: GameAlarms
    clock: StoredClock
    ratings: Ratings
    links: Links
    drafts: FormDrafts
    lessons: Lessons
    trees: AnalysisTrees
    puzzles: Puzzles
    own_moments: OwnMomentRows
    played_puzzles: PlayedPuzzles
    guesses: Guesses
    notices: Notices
    privacy: Privacy
    room: RoomHistory
    key_values: KeyValues
    analyses: Analyses
    bans: Bans
    daily: Dailies
    competitions: Competitions
    public: PublicPages
    webhooks: Webhooks
    titles: Titles
    teams: Teams

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        for name, subject in Store.__annotations__.items():
            setattr(self, name, subject(database))
        self.backup: Path | None = None
        """The backup of an SQLite database that was made before its migration."""
        self.cache = database.cache
        self.removed_files, self.checkpoint = database.removed_files, database.checkpoint
        self.transaction, self.savepoint = database.transaction, database.attempting
        """Run all calls of this task inside one transaction, or inside a savepoint that is rolled back alone."""
        self.add_listener = database.add_listener

    @classmethod
    async def open(cls, address: str | Path, *, timeout_seconds: float = 10.0, steps: Sequence[Path] = ()) -> Self:
        """Open a database, creating or migrating it if necessary.

        `address` is the path of an SQLite file or a postgresql: address; `timeout_seconds` limits the wait for a locked
        database; `steps` are folders of further migrations. Raises InvalidUrl, SpecialFile and the Unavailable errors.
        """
        url = read_url(address)
        database = Database(url, timeout_seconds)
        if database.is_sqlite:
            refuse_special_database(database.path)
            await asyncio.to_thread(prepare_file, database.path, timeout_seconds)
        backup = await migrate(url, timeout_seconds, steps)
        if database.is_sqlite:
            # If this fails for lack of space or because of another writer, the next start tries again.
            with suppress(Unavailable):
                await asyncio.to_thread(enable_incremental_vacuum, database.path, timeout_seconds)
        store = cls(database)
        store.backup = backup
        return store

    @classmethod
    async def open_current(cls, address: str | Path, *, timeout_seconds: float = 10.0) -> Self:
        """Open an existing, up-to-date database without changing it.

        Raises NoDatabase, OlderDatabase, NewerDatabase, the other Unavailable errors, InvalidUrl and SpecialFile.
        """
        url = read_url(address)
        await check_is_current(url, timeout_seconds)
        return cls(Database(url, timeout_seconds))

    async def close(self) -> None:
        """Close all connections; the store cannot be used afterwards."""
        await super().close()
        await self._database.close()

    async def release_free_space(self) -> int:
        """Return the unused space of an SQLite file to the system; return the number of bytes.

        A database server does so automatically.
        """
        if not self._database.is_sqlite:
            return 0
        return await asyncio.to_thread(release_free_pages, self._database.path, self._database.timeout_seconds)

    async def size(self) -> int:
        """Return the size of the database in bytes, including its indexes and log files."""
        if self._database.is_sqlite:
            return await asyncio.to_thread(file_size, self._database.path)
        async with self._database.read_autocommit() as connection:
            query = select(func.pg_database_size(func.current_database()))
            return int(await connection.scalar(query) or 0)

    async def tell_peers(self, kind: str, what: Any) -> None:
        """Notify the listeners of all processes of something that is not stored."""
        async with self._database.transaction():
            self._database.emit_after_commit(kind, what)

    @property
    def decode_error_count(self) -> int:
        """The number of values of text, JSON or time that this process could not read."""
        return DecodeErrorCounter.count

    async def find_damage(self) -> list[Damage]:
        """Return all unreadable values; this reads the whole SQLite file."""
        return await find_damage(self._database.path) if self._database.is_sqlite else []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
