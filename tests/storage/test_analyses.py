"""What was found out about finished games, and which game ended last."""

from dataclasses import replace

from storage import GameRow, Person, PlaceRow, Store
from tests.support.stores import START, one_step, store_game, time_after


async def test_storing_an_analysis_replaces_the_previous_one(
    store: Store, place: PlaceRow, people: list[Person], game: GameRow
) -> None:
    other = await store_game(store, place, people)
    assert await store.analyses.get(game.id) is None
    await store.analyses.store(game.id, {"version": 3, "points": [[0.5, 0.5]]}, START)
    await store.analyses.store(game.id, {"version": 3, "points": [[0.25, 0.75]]}, time_after(days=1))
    assert await store.analyses.get(game.id) == {"version": 3, "points": [[0.25, 0.75]]}
    assert await store.analyses.get(other.id) is None


async def test_the_game_that_ended_last_in_a_place(store: Store, place: PlaceRow, people: list[Person]) -> None:
    elsewhere = await store.places.get_or_create("web", "hall")
    assert await store.games.last_finished_in(place.id) is None
    ids = []
    for number, position in ((1, {"a": 1}), (2, {"a": 1}), (3, None)):
        game = await store_game(store, place, people)
        await store.posts.add(game.id, place.id, START)
        over = replace(game, status="over", ended_at=time_after(hours=number), position=position)
        await store.games.commit(one_step(over, time_after(hours=number)))
        ids.append(game.id)
    going = await store_game(store, place, people)
    await store.posts.add(going.id, place.id, START)
    # The third never began.
    assert await store.games.last_finished_in(place.id) == ids[1]
    assert await store.games.last_finished_in(elsewhere.id) is None
