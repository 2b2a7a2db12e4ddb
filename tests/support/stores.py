"""Stores to test with: `store` is one on an SQLite file of its own."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from storage import (
    MISSED_NEWS,
    CompetitionChange,
    CompetitionRow,
    GameRow,
    NewGame,
    News,
    Person,
    PlaceRow,
    Post,
    ProcessedEvent,
    Seat,
    Store,
)
from storage.addresses import read_url
from storage.coordination import Coordination
from storage.database import Database
from storage.errors import Unavailable
from storage.rows import GameChange, NewEvent
from tests.support.postgres import Postgres
from tests.support.present import present

LOCK_TIMEOUT_SECONDS: Final = 10.0
"""How many seconds a store waits for a locked database."""
TIMEOUT_SECONDS: Final = 60.0
"""How many seconds a test waits for a connection."""

START: Final = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
"""When the tests begin, by their own clocks."""


ALL_TIME: Final = START - timedelta(days=365), START + timedelta(days=3650)
"""From when until when everything happens in the tests."""


def time_after(**parts: float) -> datetime:
    """Return the time so much later than START: minutes=5."""
    return START + timedelta(**parts)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with all tables and nothing in them: copied in no time, where migrations take a tenth of a second.

    Tests open a copy.
    """
    path = tmp_path_factory.mktemp("empty") / "tavoliere.db"

    async def make() -> None:
        await (await Store.open(path)).close()

    asyncio.run(make())
    return path


def open_copy(empty_database: Path, path: Path) -> Store:
    """Copy an empty database to a path in a new folder, and open that.

    Store.open would look for migrations first; the copy needs none.
    """
    path.parent.mkdir(parents=True)
    shutil.copy(empty_database, path)
    return Store(Database(read_url(path), LOCK_TIMEOUT_SECONDS))


async def find_cache_differences(store: Store) -> list[str]:
    """Return what a store's cache holds that its database does not."""
    found = []
    for key, row in dict(store.cache.rows).items():
        async with store.transaction():
            stored = await (store.games.get(key) if isinstance(key, str) else store.people.get(key))
        if row != stored:
            found.append(f"{key}: {row} is {stored}")
    return found


@pytest.fixture
async def store(tmp_path: Path, empty_database: Path) -> AsyncIterator[Store]:
    """A store on a new SQLite file; at the end its cache may hold nothing that is not so."""
    async with open_checked(empty_database, tmp_path / "data" / "tavoliere.db") as opened:
        yield opened


@asynccontextmanager
async def open_checked(empty_database: Path, path: Path) -> AsyncIterator[Store]:
    """Open a copy of an empty database; at the end the store's cache may hold nothing that is not so."""
    async with open_copy(empty_database, path) as opened:
        yield opened
        with suppress(Unavailable):
            assert await find_cache_differences(opened) == []


def connected_event(store: Store) -> asyncio.Event:
    """Return what is set as soon as a store that shares its database is connected (again)."""
    event = asyncio.Event()

    def receive(news: News) -> None:
        if news is MISSED_NEWS:
            event.set()

    store.add_listener(receive)
    return event


async def disconnect(store: Store) -> None:
    """Have a store that shares its database lose its locks, as when its process dies."""
    await Coordination.close(store)
    store._loop = None
    store._peer_counts.clear()


async def connect(store: Store) -> None:
    """Have a store share its database, and wait until it is connected; with SQLite nothing happens."""
    there = connected_event(store)
    store.start_sharing()
    if store.is_shared:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await there.wait()


@pytest.fixture
async def two_stores(postgres: Postgres) -> AsyncIterator[tuple[Store, Store]]:
    """Two processes' stores on one new database of a server, connected."""
    async with _connected_stores(postgres, 2) as (one, other):
        yield one, other


@pytest.fixture
async def three_stores(postgres: Postgres) -> AsyncIterator[tuple[Store, ...]]:
    """The same of three processes."""
    async with _connected_stores(postgres, 3) as stores:
        yield tuple(stores)


@asynccontextmanager
async def _connected_stores(postgres: Postgres, count: int) -> AsyncIterator[list[Store]]:
    name = await postgres.new_database()
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(await Store.open(postgres.address(name))) for _ in range(count)]
        for store in stores:
            await connect(store)
        yield stores
    await postgres.drop_database(name)


@contextmanager
def delay_notifications(store: Store) -> Iterator[list[News]]:
    """Keep from a store what other processes tell, as if it came late; it gets all of it at the end. Gives the news."""
    database: Any = store._database
    notify, late = database.notify, list[News]()
    database.notify = lambda news: late.append(news) if news.is_remote else notify(news)
    try:
        yield late
    finally:
        database.notify = notify
        for news in late:
            notify(news)


async def some_people(store: Store, *names: str, platform: str = "web") -> list[Person]:
    """Return people of these names, known on a platform by their names in lower case."""
    return [await store.people.identify(platform, name.lower(), name, "en", at=START) for name in names]


async def make_place(store: Store, channel: str = "room", platform: str = "web") -> PlaceRow:
    return await store.places.get_or_create(platform, channel, title=channel)


def make_new_game(place: PlaceRow, people: list[Person], game: str = "annuvin", code: str | None = None) -> NewGame:
    """Return a game in its lobby that these people have joined, the first as its starter."""
    return NewGame(
        id=code,
        game=game,
        place=place.id,
        starter=people[0].id,
        rules_version=1,
        seat_count=len(people),
        seats=tuple(Seat(i, person=person.id, name=person.name) for i, person in enumerate(people)),
        options={"board": "hexagon"},
        seed="ab" * 32,
        seed_hash="cd" * 32,
    )


async def store_game(store: Store, place: PlaceRow, people: list[Person], game: str = "annuvin") -> GameRow:
    return await store.games.create(make_new_game(place, people, game), START)


def one_step(game: GameRow, at: datetime = START, **more: Any) -> GameChange:
    """Return the change to this row by one event."""
    return GameChange(game=game, events=(NewEvent("step"),), at=at, **more)


async def change_game(store: Store, game: GameRow, minutes: float = 0, **values: Any) -> GameRow:
    """Return a game after an event, so many minutes after START, that sets these values."""
    return await store.games.commit(one_step(replace(game, **values), time_after(minutes=minutes)))


async def due_posts(store: Store, now: datetime, limit: int = 100) -> list[Post]:
    """Return the posts that something is to be done for, what has waited longest first."""
    found = [await store.posts.get(each.post) for each in await store.posts.list_due(now, limit)]
    return [post for post in found if post is not None]


async def add_post(store: Store, game: str, place: int, at: datetime) -> Post:
    """Show a game in a place with a new message; return its post."""
    await store.posts.add(game, place, at)
    (post,) = await store.posts.list_with(kind="board", subject=game, place=place)
    return post


async def list_posts_in(store: Store, place: int, kind: str) -> list[Post]:
    """Return the posts of a kind in a place, the newest first."""
    return (await store.posts.list_with(place=place, kind=kind))[::-1]


async def handle_event(store: Store, processed: ProcessedEvent, at: datetime = START) -> GameRow:
    """Have an event handled that makes a game, and return that."""
    place, people = await make_place(store), await some_people(store, "Ada", "Bob")
    return await store.games.create(make_new_game(place, people), at, processed=processed)


def make_cup_row(place: int, maker: int, code: str = "K7QFAB") -> CompetitionRow:
    """Return the row of a competition that is new."""
    return CompetitionRow(
        id=code,
        status="open",
        game_key="annuvin",
        place=place,
        maker=maker,
        seed="00",
        seed_hash="aa",
        revision=0,
        due_at=None,
        created_at=START,
        ended_at=None,
    )


async def store_cup(store: Store, row: CompetitionRow, event: NewEvent | None = None) -> CompetitionRow:
    """Store a new competition with its first event and return its row."""
    await store.competitions.create(row, [event or NewEvent("created")], START)
    return present(await store.competitions.get(row.id))


async def commit_step(store: Store, change: CompetitionChange) -> CompetitionRow:
    """Store a step of a competition and return its new row."""
    await store.competitions.commit(change)
    return present(await store.competitions.get(change.row.id))


def reply_of(text: str) -> dict[str, Any]:
    """Return a stored reply with a text."""
    card = {"text": [[text, False, False, None]], "rows": [], "presses": {}}
    return {"card": card, "private": False, "update": False}
