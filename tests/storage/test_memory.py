"""What the cache keeps of rows that were read or stored while something else happened."""

import asyncio
from contextvars import copy_context
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from engine import games
from storage import GameRow, GamesRead, Person, PlaceRow, Store
from storage.memory import ChangeLog, RowCache, estimate_bytes
from tests.support.present import present
from tests.support.samples import random_playout
from tests.support.stores import change_game, store_game


@pytest.fixture
async def two_games(store: Store, game: GameRow, place: PlaceRow, people: list[Person]) -> tuple[GameRow, GameRow]:
    """Two games in their lobby, in no cache."""
    return game, await store_game(store, place, people)


def test_a_stored_row_is_kept_unless_its_own_game_was_forgotten_meanwhile(two_games: tuple[GameRow, GameRow]) -> None:
    row, other = two_games
    cache = RowCache()
    before = cache.breaks
    cache.forget_table(other.id)
    cache.committed(row, before)
    assert cache.table(row.id) is row
    before = cache.breaks
    cache.forget_table(row.id)
    cache.committed(row, before)
    assert cache.table(row.id) is None


def test_a_row_that_was_read_is_kept_unless_its_own_game_changed_meanwhile(two_games: tuple[GameRow, GameRow]) -> None:
    row, other = two_games
    cache = RowCache()
    before = cache.generation
    cache.committed(other, cache.breaks)
    cache.keep_table(row, before)
    assert cache.table(row.id) is row
    before = cache.generation
    cache.forget_table(row.id)
    cache.keep_table(row, before)
    assert cache.table(row.id) is None


def test_rows_read_before_a_clear_are_not_cached(two_games: tuple[GameRow, GameRow]) -> None:
    row, other = two_games
    cache = RowCache()
    generation, breaks = cache.generation, cache.breaks
    cache.clear()
    cache.committed(row, breaks)
    cache.keep_table(other, generation)
    assert cache.contents["tables"] == {}


def test_changes_beyond_the_limit_count_as_changes_of_all_games() -> None:
    changes = ChangeLog(max_games=2)
    for game in ("A", "B", "A", "C"):
        changes.add(game)
    # B was noted at 2 and dropped.
    assert [changes.is_unchanged(game, 2) for game in ("A", "B", "C", "D")] == [False, True, False, True]
    assert not changes.is_unchanged("D", 1)


def count_values(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(count_values, inner))


@pytest.mark.parametrize("key", games)
def test_the_size_of_a_row_is_estimated_by_what_is_in_it(two_games: tuple[GameRow, GameRow], key: str) -> None:
    rules, bare = games[key], replace(two_games[0], position=None)
    for state, _ in islice(random_playout(rules, 5, rules.seats[0], rules.checked_options(rules.seats[0], None)), 60):
        position = state.to_json()
        each = estimate_bytes(replace(bare, position={"one": 0})) - estimate_bytes(bare)
        estimated = estimate_bytes(replace(bare, position=position)) - estimate_bytes(bare)
        assert 0.5 < estimated / (count_values(position) * each) < 2, state


async def test_a_second_try_takes_what_the_first_has_read_once_and_then_asks_the_database(
    store: Store, two_games: tuple[GameRow, GameRow]
) -> None:
    row, other = two_games
    read: GamesRead = {}
    store.memory.clear()
    with store.recalling(read=read):
        await store.games.get_with_people(row.id)
        await store.games.get_with_people(other.id)
    changed, changed_too = await change_game(store, row), await change_game(store, other)
    with store.recalling(anew=True, read=dict(read)):
        assert [await revision(store, row.id) for _ in range(2)] == [row.revision, changed.revision]
        async with store.transaction():
            assert await revision(store, other.id) == changed_too.revision
        assert await revision(store, other.id) == changed_too.revision
    with store.recalling(anew=True, read=dict(read)):
        going_on = copy_context()
    later = asyncio.get_running_loop().create_task(revision(store, row.id), context=going_on)
    assert await later == changed.revision, "a task that was begun inside and goes on"


async def revision(store: Store, game: str) -> int:
    return present(await store.games.get_with_people(game))[0].revision
