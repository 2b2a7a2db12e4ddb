"""What the cache keeps of rows that were read or stored while something else happened."""

import pytest

from storage import GameRow, Person, PlaceRow, Store
from storage.memory import ChangeLog, RowCache
from tests.support.stores import store_game


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
