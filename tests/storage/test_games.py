"""Lists of games, and the standings."""

from dataclasses import fields, replace

from storage import GameBrief, GameRow, NewResult, Person, PlaceRow, Seat, Standing, Store
from tests.support.present import present
from tests.support.stores import ALL_TIME, change_game, make_place, one_step, store_game, time_after


async def finished(
    store: Store, place: PlaceRow, people: list[Person], *places: int, game: str = "annuvin", rated: bool = True
) -> GameRow:
    """Return a game that has ended with these places for these people."""
    row = await store_game(store, place, people, game)
    results = tuple(
        NewResult(i, number, "goal", person.id, rated)
        for i, (person, number) in enumerate(zip(people, places, strict=True))
    )
    return await store.games.commit(one_step(replace(row, status="over"), time_after(hours=1), results=results))


async def test_my_games_begin_with_those_that_have_waited_longest_for_me(
    store: Store, place: PlaceRow, ada: Person, bob: Person, cleo: Person
) -> None:
    lobby = await store_game(store, place, [ada, bob])
    theirs = await change_game(store, await store_game(store, place, [ada, bob]), 1, status="playing", to_move=bob.id)
    newer = await change_game(store, await store_game(store, place, [ada, bob]), 9, status="playing", to_move=ada.id)
    older = await change_game(store, await store_game(store, place, [bob, ada]), 5, status="playing", to_move=ada.id)
    seats = (Seat(0, person=bob.id), Seat(1, "invited", person=ada.id))
    invited = await change_game(store, await store_game(store, place, [bob, ada]), 7, seats=seats)
    seats = (Seat(0, person=bob.id), Seat(1, "declined", person=ada.id))
    declined = await change_game(store, await store_game(store, place, [bob, ada]), 8, seats=seats)
    over = await change_game(store, await store_game(store, place, [bob, ada]), 8, status="over")
    await store_game(store, place, [bob, cleo])

    mine = await store.games.list_for_person(ada.id)
    assert [game.id for game in mine] == [older.id, newer.id, invited.id, lobby.id, theirs.id]
    assert [game.waiting for game in mine] == [True, True, True, False, False]
    assert [game.waiting_since for game in mine[:2]] == [time_after(minutes=5), time_after(minutes=9)]
    assert [game.id for game in await store.games.list_for_person(ada.id, limit=2)] == [older.id, newer.id]
    assert {declined.id, over.id}.isdisjoint(game.id for game in mine)


async def test_a_game_in_a_list_says_the_same_as_the_game(store: Store, ada: Person, game: GameRow) -> None:
    game = await change_game(store, game, 3, status="playing", to_move=game.seats[1].person, turn=4)
    for brief in (*await store.games.list_for_person(ada.id), *await store.games.list_in_place(game.place)):
        for field in fields(GameBrief):
            assert getattr(brief, field.name) == getattr(game, field.name), field.name


async def test_a_place_lists_its_games_newest_first_and_its_lobbies_apart(store: Store, people: list[Person]) -> None:
    room, other = await make_place(store), await make_place(store, "other")
    playing = await change_game(store, await store_game(store, room, people), 1, status="playing")
    lobbies = [await store_game(store, room, people) for _ in range(2)]
    await change_game(store, await store_game(store, room, people), 1, status="over")
    elsewhere = await store_game(store, other, people)
    found = {game.id for game in await store.games.list_in_place(room.id)}
    assert found == {playing.id, *(game.id for game in lobbies)}
    waiting = await store.games.list_in_place(room.id, status="lobby")
    assert {game.id for game in waiting} == {game.id for game in lobbies}
    assert [game.id for game in await store.games.list_in_place(other.id)] == [elsewhere.id]
    assert len(await store.games.list_in_place(room.id, limit=1)) == 1


async def test_a_game_belongs_to_every_place_where_it_is_shown(store: Store, people: list[Person]) -> None:
    room, other = await make_place(store), await make_place(store, "other", "telegram")
    game = await store_game(store, room, people)
    assert await store.games.list_in_place(other.id, status="lobby") == []
    await store.posts.add(game.id, other.id, time_after(minutes=1))
    assert [brief.id for brief in await store.games.list_in_place(other.id, status="lobby")] == [game.id]
    results = (NewResult(0, 1, "goal", people[0].id), NewResult(1, 2, "goal", people[1].id))
    await store.games.commit(one_step(replace(game, status="over"), time_after(hours=1), results=results))
    assert await store.games.list_in_place(other.id) == []
    assert await store.ratings.standings(place=other.id) == await store.ratings.standings(place=room.id)
    assert await store.games.list_results_between(other.id, *ALL_TIME) == await store.games.results_of(game.id)


async def test_standings_count_wins_draws_and_losses_per_game_and_place(
    store: Store, ada: Person, bob: Person, cleo: Person
) -> None:
    room, other = await make_place(store), await make_place(store, "other")
    await finished(store, room, [ada, bob], 1, 2)
    await finished(store, room, [ada, bob, cleo], 2, 1, 2)
    await finished(store, room, [ada, bob, cleo], 1, 1, 3)
    await finished(store, room, [cleo, bob], 1, 2)
    await finished(store, room, [cleo, bob], 1, 2, game="fagocitare")
    await finished(store, room, [cleo, bob], 1, 2, rated=False)
    await finished(store, other, [cleo, bob], 1, 2)

    assert await store.ratings.standings("annuvin", place=room.id) == [
        Standing(ada.id, "Ada", 3, 1, 1, 1),
        Standing(bob.id, "Bob", 4, 1, 1, 2),
        Standing(cleo.id, "Cleo", 3, 1, 0, 2),
    ]
    found = await store.ratings.standings("fagocitare", place=room.id)
    assert found == [Standing(cleo.id, "Cleo", 1, 1, 0, 0), Standing(bob.id, "Bob", 1, 0, 0, 1)]
    assert (await store.ratings.standings(place=room.id))[0] == Standing(cleo.id, "Cleo", 4, 2, 0, 2)
    assert await store.ratings.standings("real-queen", place=room.id) == []
    assert len(await store.games.list_results_between(room.id, *ALL_TIME)) == 14


async def test_computers_have_results_but_no_standing(store: Store, place: PlaceRow, ada: Person) -> None:
    game = await store_game(store, place, [ada])
    seats = (Seat(0, person=ada.id, seat=0), Seat(1, computer="easy", seat=1))
    results = (NewResult(0, 2, "goal", ada.id), NewResult(1, 1, "goal"))
    await store.games.commit(one_step(replace(game, status="over", seats=seats), time_after(hours=1), results=results))
    assert [result.person for result in await store.games.results_of(game.id)] == [ada.id, None]
    assert await store.ratings.standings(place=place.id) == [Standing(ada.id, "Ada", 1, 0, 0, 1)]


async def test_games_in_which_a_computer_is_to_act_are_found_those_of_different_people_in_turn(
    store: Store, place: PlaceRow, ada: Person, bob: Person
) -> None:
    found, thinking = [], {"status": "playing", "thinking": True, "turn": 1}
    for minute, people in ((9, [ada, bob]), (5, [ada, bob]), (7, [ada, bob]), (8, [bob, ada])):
        game = await change_game(store, await store_game(store, place, people), minute, **thinking)
        found.append((game.id, people[0].id))
    await change_game(store, await store_game(store, place, [ada, bob]), 3, status="playing", turn=1)
    newest, oldest, newer, bobs = found
    assert await store.games.list_thinking() == [oldest, bobs, newer, newest]
    assert await store.games.list_thinking(limit=1) == [oldest]
    assert (await store.games.count_thinking())[:2] == (4, 2)
    await change_game(store, present(await store.games.get(oldest[0])), 10, thinking=False)
    assert await store.games.list_thinking() == [newer, bobs, newest]


async def test_results_against_computers_are_counted_apart(
    store: Store, place: PlaceRow, ada: Person, bob: Person
) -> None:
    await finished(store, place, [ada, bob], 1, 2)
    for game, number in (("annuvin", 1), ("annuvin", 1), ("annuvin", 2), ("real-queen", 2)):
        row = await store_game(store, place, [ada], game)
        results = (
            NewResult(0, number, "goal", ada.id, False, "computer"),
            NewResult(1, 3 - number, "goal", None, False, "computer"),
        )
        await store.games.commit(one_step(replace(row, status="over"), time_after(hours=1), results=results))
    counted = await store.ratings.count_marks(ada.id, "computer")
    assert counted == {"annuvin": {"win": 2, "loss": 1}, "real-queen": {"loss": 1}}
    assert await store.ratings.count_marks(ada.id, "people") == {"annuvin": {"win": 1}}
    assert await store.ratings.count_marks(bob.id, "computer") == {}


async def test_a_game_is_read_with_the_people_in_its_seats(
    store: Store, people: list[Person], cleo: Person, game: GameRow
) -> None:
    seated = {person.id: person for person in people}
    assert await store.games.get_with_people(game.id) == (game, seated)
    empty = await change_game(store, game, 1, seats=(*game.seats, Seat(2, "open"), Seat(3, computer="2")))
    assert await store.games.get_with_people(game.id) == (empty, seated)
    assert cleo.id not in seated
    assert await store.games.get_with_people("NOGAME") is None
