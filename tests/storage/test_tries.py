"""What people try out: one tree a person and game, kept, bounded, given on and forgotten."""

from dataclasses import replace

import pytest

from storage import Conflict, GameRow, Person, PlaceRow, Store
from storage.boards import TooManyTrees
from storage.schema import StoredTree
from tests.support.present import present
from tests.support.stores import START, one_step, store_game, time_after

MAX_BOARDS = 3


@pytest.fixture
async def games(store: Store, place: PlaceRow, people: list[Person]) -> list[GameRow]:
    """One game more than somebody may have boards."""
    return [await store_game(store, place, people) for _ in range(MAX_BOARDS + 1)]


async def over(store: Store, game: GameRow, **when: float) -> None:
    await store.games.commit(one_step(replace(game, status="over", ended_at=time_after(**when)), time_after(**when)))


async def test_a_tree_is_found_again_and_deleted_as_it_was_read(store: Store, game: GameRow, ada: Person) -> None:
    new = StoredTree(ada.id, game.id, {"n": 1})
    stored = await store.trees.store(new, START, MAX_BOARDS)
    assert (stored.revision, stored.tree, stored.touched_at) == (1, {"n": 1}, START)
    with pytest.raises(Conflict):
        await store.trees.store(new, START, MAX_BOARDS)
    changed = await store.trees.store(replace(stored, tree={"n": 2}), START, MAX_BOARDS)
    assert await store.trees.get(ada.id, game.id) == changed
    with pytest.raises(Conflict):
        await store.trees.delete(stored, START)
    await store.trees.delete(changed, START)
    assert await store.trees.get(ada.id, game.id) is None


async def test_tree_limit_deletes_the_oldest_of_a_finished_game(
    store: Store, games: list[GameRow], ada: Person, bob: Person
) -> None:
    for number, game in enumerate(games[:MAX_BOARDS]):
        await store.trees.store(StoredTree(ada.id, game.id), time_after(minutes=number), MAX_BOARDS)
    with pytest.raises(TooManyTrees):
        await store.trees.store(StoredTree(ada.id, games[MAX_BOARDS].id), time_after(hours=1), MAX_BOARDS)
    await store.trees.store(StoredTree(bob.id, games[MAX_BOARDS].id), time_after(hours=1), MAX_BOARDS)
    for number in (2, 1):
        await over(store, games[number], hours=1)
    await store.trees.store(StoredTree(ada.id, games[MAX_BOARDS].id), time_after(hours=2), MAX_BOARDS)
    assert [each.game for each in await store.trees.list_for_person(ada.id)] == [
        games[n].id for n in (MAX_BOARDS, 2, 0)
    ]


async def test_tree_outlasts_its_game_and_its_last_use_by_a_while(
    store: Store, games: list[GameRow], ada: Person
) -> None:
    for game in games[:3]:
        await store.trees.store(StoredTree(ada.id, game.id), START, 40)
    used = present(await store.trees.get(ada.id, games[0].id))
    await store.trees.store(used, time_after(days=8), 40)
    await over(store, games[0], days=1)
    await over(store, games[1], days=1)
    assert await store.trees.delete_expired(time_after(days=1)) == 0
    assert await store.trees.delete_expired(time_after(days=2)) == 1
    assert {each.game for each in await store.trees.list_for_person(ada.id)} == {games[0].id, games[2].id}


async def test_plans_are_found_by_their_game(store: Store, game: GameRow, ada: Person, bob: Person) -> None:
    await store.trees.store(StoredTree(ada.id, game.id), START, MAX_BOARDS)
    planned = await store.trees.store(StoredTree(bob.id, game.id, planned=True), START, MAX_BOARDS)
    assert await store.trees.list_plans(game.id) == [planned]


async def test_merging_people_keeps_the_tree_with_plans_or_the_newest(
    store: Store, games: list[GameRow], ada: Person, bob: Person
) -> None:
    await store.trees.store(StoredTree(ada.id, games[0].id, {"n": 1}, planned=True), START, MAX_BOARDS)
    await store.trees.store(StoredTree(bob.id, games[0].id, {"n": 2}), time_after(days=1), MAX_BOARDS)
    await store.trees.store(StoredTree(ada.id, games[1].id, {"n": 3}), START, MAX_BOARDS)
    await store.trees.store(StoredTree(bob.id, games[1].id, {"n": 4}), time_after(days=1), MAX_BOARDS)
    await store.trees.store(StoredTree(bob.id, games[2].id, {"n": 5}), START, MAX_BOARDS)
    for game in games:
        await over(store, game, days=2)
    await store.links.merge_people(ada.id, bob.id)
    found = {each.game: each.tree["n"] for each in await store.trees.list_for_person(ada.id)}
    assert found == {games[0].id: 1, games[1].id: 4, games[2].id: 5}
    assert await store.trees.list_for_person(bob.id) == []
