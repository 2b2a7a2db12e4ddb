"""The storage's own tests run on both kinds of database."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from storage import GameRow, Person, PlaceRow, Store
from storage.addresses import read_url
from storage.database import Database
from tests.support.postgres import Postgres
from tests.support.stores import LOCK_TIMEOUT_SECONDS, make_place, some_people, store_game


@pytest.fixture
def own_database() -> bool:
    """Whether a test changes the tables: a module says so, and the others use one database after the other."""
    return False


@pytest.fixture(params=["sqlite", "postgresql"])
async def address(
    request: pytest.FixtureRequest, tmp_path: Path, empty_database: Path, own_database: bool
) -> AsyncIterator[str]:
    """The address of an empty database of each kind, with our tables."""
    if request.param == "sqlite":
        path = tmp_path / "data" / "tavoliere.db"
        path.parent.mkdir()
        shutil.copy(empty_database, path)
        yield f"sqlite:///{path}"
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    # A new one goes with the server: to drop one takes as long as to make one.
    yield postgres.address(await (postgres.new_database() if own_database else postgres.take_empty_database()))


@pytest.fixture
async def database(address: str) -> AsyncIterator[Database]:
    """A database of each kind, empty."""
    opened = Database(read_url(address), LOCK_TIMEOUT_SECONDS)
    yield opened
    await opened.close()


@pytest.fixture
async def store(address: str) -> AsyncIterator[Store]:
    """A store on a new database of each kind, whose tables are there already."""
    async with Store(Database(read_url(address), LOCK_TIMEOUT_SECONDS)) as opened:
        yield opened


@pytest.fixture
async def place(store: Store) -> PlaceRow:
    """A place where people play."""
    return await make_place(store)


@pytest.fixture
async def people(store: Store) -> list[Person]:
    """Ada and Bob, who play."""
    return await some_people(store, "Ada", "Bob")


@pytest.fixture
def ada(people: list[Person]) -> Person:
    return people[0]


@pytest.fixture
def bob(people: list[Person]) -> Person:
    return people[1]


@pytest.fixture
async def cleo(store: Store, people: list[Person]) -> Person:
    """Cleo, who came after them."""
    (cleo,) = await some_people(store, "Cleo")
    return cleo


@pytest.fixture
async def game(store: Store, place: PlaceRow, people: list[Person]) -> GameRow:
    """A game of theirs that has not begun."""
    return await store_game(store, place, people)
