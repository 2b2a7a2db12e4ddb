"""What was found out about finished games, and which game ended last."""

from __future__ import annotations

from dataclasses import replace

from storage import GameChange, NewEvent, Store
from tests.support.stores import START, a_game, a_place, after, some_people


async def test_an_analysis_is_what_was_kept_last(store: Store) -> None:
    game = await a_game(store, await a_place(store), await some_people(store, "Anna", "Bruno"))
    other = await a_game(store, await a_place(store), await some_people(store, "Anna", "Bruno"))
    assert await store.analysis(game.id) is None
    await store.keep_analysis(game.id, {"points": [[0.5, 0.5]]}, START)
    await store.keep_analysis(game.id, {"points": [[0.25, 0.75]]}, after(days=1))
    assert await store.analysis(game.id) == {"points": [[0.25, 0.75]]}
    assert await store.analysis(other.id) is None


async def test_the_game_that_ended_last_in_a_place(store: Store) -> None:
    place, people = await a_place(store), await some_people(store, "Anna", "Bruno")
    elsewhere = await store.place("web", "hall")
    assert await store.last_over_in(place.id) is None
    ids = []
    for number, position in ((1, {"a": 1}), (2, {"a": 1}), (3, None)):
        game = await a_game(store, place, people)
        await store.add_surface(game.id, place.id, START)
        over = replace(game, status="over", ended_at=after(hours=number), position=position)
        await store.commit(GameChange(game=over, events=(NewEvent("end"),), at=after(hours=number)))
        ids.append(game.id)
    going = await a_game(store, place, people)
    await store.add_surface(going.id, place.id, START)
    # The third never began.
    assert await store.last_over_in(place.id) == ids[1]
    assert await store.last_over_in(elsewhere.id) is None
