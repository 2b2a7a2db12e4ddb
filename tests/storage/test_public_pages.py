"""What the world may see, as the database tells it."""

from dataclasses import replace

from sqlalchemy import update

from storage import CompetitionChange, GameRow, NewEvent, Person, PlaceRow, Store
from storage.schema import games
from tests.support.stores import START, make_cup_row, make_place, store_cup, store_game

MANY = range(1, 40_000)
"""More places than a statement may have parameters."""


async def test_games_and_competitions_of_many_places_are_listed(
    store: Store, place: PlaceRow, people: list[Person], game: GameRow
) -> None:
    lobby = await store_game(store, place, people)
    async with store._database.transaction() as connection:
        await connection.execute(update(games).where(games.id == game.id).values(started_at=START))
    for row in (
        make_cup_row(place.id, people[0].id),
        replace(make_cup_row(place.id, people[0].id, "K7QFAC"), kind="league"),
    ):
        made = await store_cup(store, row)
        change = CompetitionChange(row=made, events=(NewEvent("x"),), at=START)
        paired = (("1", game.id),) if row.kind == "cup" else ()
        await store.competitions.commit(replace(change, games=paired))
    assert lobby.id != game.id
    for allowed in (MANY, [place.id]):
        assert [each.id for each in await store.public.list_games(allowed, limit=5)] == [game.id]
        assert await store.public.list_games_of_competition("K7QFAB", allowed) == [game.id]
        assert await store.public.list_games_of_competition("K7QFAC", allowed) == []
        assert [each.id for each in await store.public.list_competitions(allowed, limit=5)] == ["K7QFAB"]
        leagues = await store.public.list_competitions(allowed, limit=5, kind="league")
        assert [each.id for each in leagues] == ["K7QFAC"]
    # One more place that is not among them is enough, for a game and for a competition.
    other = await make_place(store, "cellar")
    await store.posts.add(game.id, other.id, START)
    await store.competitions.add_place("K7QFAC", other.id, START)
    assert await store.public.list_games([place.id], limit=5) == []
    assert await store.public.list_games_of_competition("K7QFAB", [place.id]) == []
    assert await store.public.list_competitions([place.id], limit=5, kind="league") == []
    assert len(await store.public.list_games(MANY, limit=5)) == 1
