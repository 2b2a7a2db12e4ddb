"""The store: the single entry to all persistent data."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.addresses import read_url, refuse_special_database
from storage.boards import AnalysisTrees, Guesses, Lessons, OwnMomentRows
from storage.clock import GameAlarms, StoredClock
from storage.columns import DecodeErrorCounter
from storage.competitions import Competitions
from storage.coordination import NOTIFY_CHANNEL, Coordination, payloads_of
from storage.copies import Damage, find_damage
from storage.database import Database, News
from storage.engines import enable_incremental_vacuum, file_size, prepare_file, release_free_pages
from storage.errors import Unavailable
from storage.events import ProcessedEvents
from storage.games import Analyses, StoredGames
from storage.key_values import FormDrafts, InteractionPasses, KeyValues
from storage.migrate import check_is_current, migrate
from storage.notices import Notices
from storage.people import People
from storage.places import Bans, Places
from storage.posts import DuePost, Posts
from storage.privacy import Links, Privacy
from storage.public_pages import PublicPages
from storage.puzzles import Dailies, PlayedPuzzles, Puzzles
from storage.ratings import Ratings, Titles
from storage.room import RoomHistory
from storage.schema import GameRow
from storage.teams import Teams
from storage.webhooks import Webhooks

_NOTIFY_STATEMENT: Final = select(func.pg_notify(NOTIFY_CHANNEL, bindparam("payload")))


class Store:
    """All persistent data in one database; every method is one transaction.

    Every method may raise `Unavailable` (full disk, locked, unreachable ...), and then stores nothing.
    """

    backup: Path | None = None
    """The backup of an SQLite database that was made before its migration."""
    _coordination: Coordination | None = None

    def __init__(self, database: Database) -> None:
        self._database = database
        self.people = People(database)
        self.places = Places(database)
        self.games = StoredGames(database)
        self.posts = Posts(database)
        self.passes = InteractionPasses(database)
        self.processed_events = ProcessedEvents(database)
        self.alarms = GameAlarms(database)
        self.clock = StoredClock(database)
        self.ratings = Ratings(database)
        self.links = Links(database)
        self.drafts = FormDrafts(database)
        self.lessons = Lessons(database)
        self.trees = AnalysisTrees(database)
        self.puzzles = Puzzles(database)
        self.own_moments = OwnMomentRows(database)
        self.played_puzzles = PlayedPuzzles(database)
        self.guesses = Guesses(database)
        self.notices = Notices(database)
        self.privacy = Privacy(database)
        self.room = RoomHistory(database)
        self.key_values = KeyValues(database)
        self.analyses = Analyses(database)
        self.bans = Bans(database)
        self.daily = Dailies(database)
        self.competitions = Competitions(database)
        self.public = PublicPages(database)
        self.webhooks = Webhooks(database)
        self.titles = Titles(database)
        self.teams = Teams(database)
        self.cache = database.cache
        self.removed_files, self.checkpoint = database.removed_files, database.checkpoint
        self.transaction, self.savepoint = database.transaction, database.attempting
        """Run all calls of this task inside one transaction, or inside a savepoint that is rolled back alone."""
        self.delivered_platforms: set[str] = set()
        """The platforms whose posts this process delivers; due posts tell peers whether theirs is among them."""
        self.receives_changes = database.is_sqlite
        """Whether this process receives all changes of other processes: on a server once it has connected."""

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
        if self._coordination is not None:
            await self._coordination.close()
        await self._database.close()

    def start_sharing(self) -> None:
        """Share the database with other processes: receive their changes and take locks.

        Does nothing for an SQLite file, which has one process. Listeners get "elsewhere" with the kind and the details
        of another process's change, and with None when changes may have been missed.
        """
        if self._database.is_sqlite or self._coordination is not None:
            return
        database = self._database
        self._coordination = Coordination(
            database.url, database.timeout_seconds, self._on_peer_change, self._on_disconnect
        )
        self._database.announce = self._notify_peers
        self._coordination.start()

    @property
    def is_shared(self) -> bool:
        """True if other processes may work on the database as well."""
        return self._coordination is not None

    @asynccontextmanager
    async def lock(self, work: str, *, linger: bool = False) -> AsyncIterator[bool]:
        """Hold a lock for this process inside the block; yields False if another process holds it.

        It does not exclude tasks of the same process. Long work must check that `lock_epoch` is unchanged: all locks
        are lost with the connection. Raises Unreachable while there is no connection. With `linger` the lock is
        released only shortly after the block, and this process can acquire it again without a round trip.
        """
        standing = self._coordination
        if standing is None:
            yield True
            return
        taken, lock_epoch = await standing.claim(work), standing.lock_epoch
        try:
            yield taken
        finally:
            if taken:
                await standing.release(work, lock_epoch, linger=linger)

    async def acquire_lock(self, work: str) -> bool:
        """Acquire a lock for this process until it is released, False if another process holds it; Unreachable.

        Long work must check that the lock was not lost: see `lock_epoch`.
        """
        return self._coordination is None or self._coordination.holds(work) or await self._coordination.claim(work)

    async def release_lock(self, work: str) -> None:
        """Release a lock."""
        if self._coordination is not None:
            await self._coordination.release(work)

    @property
    def lock_epoch(self) -> int:
        """A number that changes when this process loses all its locks, together with the connection."""
        return 0 if self._coordination is None else self._coordination.lock_epoch

    async def register_peer(self, name: str, *, waits: bool = False) -> int:
        """Register this process under a name and return how many processes are registered; Unreachable.

        With `waits` it waits some seconds for the connection if there is none yet.
        """
        return 1 if self._coordination is None else await self._coordination.register_peer(name, waits=waits)

    def peer_count(self, name: str) -> int:
        """Return the last known number of processes registered under a name."""
        return 1 if self._coordination is None else self._coordination.peer_count(name)

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

    def _on_disconnect(self) -> None:
        self.receives_changes = False

    def _on_peer_change(self, news: Any) -> None:
        self.receives_changes = self.receives_changes or news is None
        self._database.notify(("elsewhere", news))

    async def _notify_peers(self, connection: AsyncConnection, news: list[News]) -> None:
        if self._coordination is None:
            return
        encoded = {json.dumps(each): each for each in ((kind, self._encode_for_peers(what)) for kind, what in news)}
        for payload in payloads_of(self._coordination.name, list(encoded.values())):
            await connection.execute(_NOTIFY_STATEMENT, {"payload": payload})

    def _encode_for_peers(self, what: Any) -> Any:
        """Return the details of a change for other processes; a game becomes its id."""
        if isinstance(what, GameRow):
            return what.id
        if isinstance(what, tuple):
            return [
                [*each.to_json(), each.platform in self.delivered_platforms] if isinstance(each, DuePost) else each
                for each in what
            ]
        return what

    @property
    def decode_error_count(self) -> int:
        """The number of values of text, JSON or time that this process could not read."""
        return DecodeErrorCounter.count

    async def find_damage(self) -> list[Damage]:
        """Return all unreadable values; this reads the whole SQLite file."""
        return await find_damage(self._database.path) if self._database.is_sqlite else []

    def add_listener(self, listener: Callable[[News], None], kinds: Collection[str] = ()) -> None:
        """Call a listener with every change of some kinds, or of any kind, after its transaction was committed.

        The kinds are: "game" with the new GameRow, "shown" with a place and a game, "person" (settings), "place" with
        the id of a changed place, "table" with the id of a game that was changed in another way, "seen" with a place
        and a person, "lessons" and "attempts" with a person, "puzzle" with the id of a puzzle that a person worked on,
        "people" when any person or place may have changed, "room" for messages of the local page, "bans" for changed
        bans; "due" with the posts that have become due (None when any may have), "notices" when a notice may be due at
        once, "thinking" with a game in which a computer is to act, "competition" with a competition, "teams" and
        "votes" with a game in which a team votes, "webhooks" for changed webhooks, "value" with the platform and the
        name of an announced value, "here" with a person and whether they have a stream; "elsewhere" with a change of
        another process, None when any may have been made; "moved" with the number and the seconds of a move of stored
        durations; "clock" with a clock move that other processes apply as well.
        """
        self._database.add_listener(listener, kinds)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
