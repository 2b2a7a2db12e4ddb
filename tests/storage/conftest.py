"""The storage's own tests run on both kinds of database."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from storage import Store
from storage.database import Database, read_url
from tests.support.postgres import Postgres
from tests.support.stores import LOCK_TIMEOUT_SECONDS


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
async def store(address: str) -> AsyncIterator[Store]:
    """A store on a new database of each kind, whose tables are there already."""
    async with Store(Database(read_url(address), LOCK_TIMEOUT_SECONDS)) as opened:
        yield opened
