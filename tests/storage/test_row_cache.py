"""What is kept of rows that were read or stored while something else happened."""

from contextlib import suppress
from dataclasses import replace

import pytest

from storage import GameRow, Person, PlaceRow, Store
from storage.database import News, RowCache
from storage.errors import Conflict
from tests.support.present import present
from tests.support.stores import change_game, store_game


@pytest.fixture
async def other(store: Store, game: GameRow, place: PlaceRow, people: list[Person]) -> GameRow:
    """A second game in its lobby."""
    return await store_game(store, place, people)


def test_a_row_that_was_read_is_kept_unless_something_changed_meanwhile(game: GameRow, other: GameRow) -> None:
    cache = RowCache()
    cache.keep([game], cache.changes)
    before = cache.changes
    cache.put_right([News("table", other.id)])
    cache.keep([other], before)
    assert dict(cache.rows) == {game.id: game}
    before = cache.changes
    cache.clear()
    cache.keep([game], before)
    assert dict(cache.rows) == {}


def test_a_commit_puts_its_row_in_place_of_the_one_before(game: GameRow, other: GameRow) -> None:
    cache = RowCache()
    cache.keep([game, other], cache.changes)
    later = replace(game, revision=game.revision + 1)
    cache.put_right([News("game", later), News("table", other.id)])
    assert dict(cache.rows) == {game.id: later}
    cache.put_right([News("game", replace(later, status="over"))])
    assert cache.rows.get(game.id) is None


def test_nothing_is_kept_where_others_write_too(game: GameRow) -> None:
    cache = RowCache(is_active=False)
    cache.keep([game], cache.changes)
    cache.put_right([News("game", game)])
    assert dict(cache.rows) == {}


async def test_a_transaction_reads_the_database_and_its_commit_puts_the_cache_right(
    store: Store, game: GameRow, people: list[Person]
) -> None:
    known, _ = present(await store.games.get_with_people(game.id))
    keeps = store.cache.is_active
    assert store.cache.rows.get(game.id) == (known if keeps else None)
    changed = await change_game(store, game)
    assert store.cache.rows.get(game.id) == (changed if keeps else None)
    person = people[0].id
    async with store.transaction():
        await store.people.change_settings(person, {"theme": "dark"})
        assert present(await store.people.get(person)).settings["theme"] == "dark"
    assert present(await store.people.get(person)).settings["theme"] == "dark"


async def test_what_was_rolled_back_is_not_kept(store: Store, game: GameRow) -> None:
    changed = await change_game(store, game)
    with suppress(ZeroDivisionError):
        async with store.transaction():
            await change_game(store, changed)
            raise ZeroDivisionError
    assert present(await store.games.get_with_people(game.id))[0].revision == changed.revision
    async with store.transaction():
        with suppress(ZeroDivisionError):
            async with store.savepoint():
                await change_game(store, changed)
                raise ZeroDivisionError
    assert present(await store.games.get_with_people(game.id))[0].revision == changed.revision
    with pytest.raises(Conflict):
        await change_game(store, game)
    assert present(await store.games.get_with_people(game.id))[0].revision == changed.revision
