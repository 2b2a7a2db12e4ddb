"""Alarms, ratings, links and forgetting, on both kinds of database."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from storage import GameChange, GameProgress, GameRow, NewEvent, NewResult, Person, PlaceRow, Rating, Store, Terms
from storage.privacy import PlayEachOther
from storage.schema import LIVE, PACES, SLOW, Pace, results as stored_results
from tests.support.present import present
from tests.support.stores import START, change_game, make_place, one_step, some_people, store_game, time_after


async def finished(store: Store, people: list[Person], winner: Person, days: int = 0, pace: Pace = SLOW) -> GameRow:
    """Store a finished game of two people."""
    game = await store_game(store, await make_place(store), people)
    seats = tuple(replace(entry, seat=number) for number, entry in enumerate(game.seats))
    results = tuple(
        NewResult(number, 1 if person == winner else 2, "goal", person.id, mu=25.0 + number, sigma=8.0, pace=pace)
        for number, person in enumerate(people)
    )
    over = replace(game, status="over", seats=seats)
    return await store.games.commit(one_step(over, time_after(days=days), results=results))


async def test_alarms_go_off_in_their_order(store: Store, place: PlaceRow, people: list[Person]) -> None:
    games = [await store_game(store, place, people) for _ in range(3)]
    assert await store.alarms.list_due(time_after(days=1)) == []
    for game, minutes in zip(games, (30, 10, 50), strict=True):
        await change_game(store, game, alarm_at=time_after(minutes=minutes), deadline=time_after(minutes=60))
    due = await store.alarms.list_due(time_after(minutes=30))
    assert [brief.id for brief in due] == [games[1].id, games[0].id]
    assert len(due[0].seats) == 2


async def test_a_silenced_game_has_no_alarm_and_keeps_all_else(store: Store, game: GameRow) -> None:
    row = await change_game(
        store, game, alarm_at=time_after(minutes=10), deadline=time_after(minutes=60), terms=Terms(clock=60)
    )
    await store.alarms.disable(row.id)
    silent = replace(row, alarm_at=None, deadline=None)
    assert await store.games.get(row.id) == silent
    await store.alarms.disable(row.id, set_aside=3)
    assert await store.games.get(row.id) == replace(silent, progress=GameProgress(set_aside=3))


async def test_alarms_of_some_kinds_of_games_can_be_left_as_they_are(store: Store, game: GameRow) -> None:
    game = await change_game(store, game, alarm_at=time_after(minutes=10))
    await store.clock.hold(timedelta(hours=5), ("chess", game.game))
    await store.clock.hold(timedelta(hours=2), ("chess",))
    assert present(await store.games.get(game.id)).alarm_at == time_after(minutes=130)


async def test_the_kinds_of_games_that_go_on_are_counted(store: Store, place: PlaceRow, people: list[Person]) -> None:
    assert await store.games.count_live("game") == {}
    games = [await store_game(store, place, people) for _ in range(3)]
    await change_game(store, games[0], status="over")
    kind = games[0].game
    assert await store.games.count_live("game") == {kind: 2}
    assert await store.games.is_kind_known(kind)
    assert not await store.games.is_kind_known("chess")


async def test_a_pulse_tells_when_the_last_one_was(store: Store) -> None:
    assert await store.alarms.record_heartbeat("here", START) is None
    assert await store.alarms.record_heartbeat("here", time_after(minutes=5)) == START
    assert await store.alarms.record_heartbeat("there", time_after(minutes=6)) is None
    assert await store.alarms.record_heartbeat("here", time_after(minutes=7)) == time_after(minutes=5)


async def test_ratings_are_stored_with_the_step_that_ends_a_game(
    store: Store, ada: Person, bob: Person, game: GameRow
) -> None:
    ratings = (Rating(ada.id, "annuvin", 26.0, 7.5, 1), Rating(bob.id, "annuvin", 24.0, 7.5, 0, 0, 1))
    await store.games.commit(one_step(game, ratings=ratings))
    assert await store.ratings.lock_for_update([ada.id, bob.id], "annuvin") == {ada.id: ratings[0], bob.id: ratings[1]}
    assert await store.ratings.lock_for_update([ada.id], "annuvin", "computer") == {}
    assert await store.ratings.list_for_people([bob.id]) == [ratings[1]]
    assert ratings[0].played == 1
    stale = replace(ratings[0], mu=1.0)
    with pytest.raises(ValueError, match="without an event"):
        await store.games.commit(GameChange(game=game, events=(), at=START, ratings=(stale,)))
    assert await store.ratings.list_for_people([ada.id]) == [ratings[0]]


async def test_leaderboard_orders_by_conservative_rating(store: Store) -> None:
    people = await some_people(store, "Ada", "Bob", "Cleo", "Dan")
    game = await store_game(store, await make_place(store), people)
    figures = [(30.0, 8.0, 5), (28.0, 1.0, 5), (40.0, 1.0, 1), (27.0, 1.0, 5)]
    ratings = tuple(
        Rating(person.id, "annuvin", mu, sigma, wins) for person, (mu, sigma, wins) in zip(people, figures, strict=True)
    )
    await store.games.commit(one_step(game, ratings=ratings))
    names = {person.id: person.name for person in people}
    assert [names[rating.person] for rating in await store.ratings.best("annuvin", least=5)] == ["Bob", "Dan", "Ada"]
    assert [names[rating.person] for rating in await store.ratings.best("annuvin", limit=1)] == ["Cleo"]
    assert await store.ratings.best("fagocitare") == []


async def test_two_games_that_end_at_once_both_count(store: Store, place: PlaceRow, people: list[Person]) -> None:
    games = [await store_game(store, place, people) for _ in range(4)]

    async def end(game: GameRow) -> None:
        async with store.transaction():
            held = await store.ratings.lock_for_update([person.id for person in people], "annuvin")
            ratings = tuple(
                Rating(person.id, "annuvin", 25.0, 8.0, held[person.id].wins + 1 if person.id in held else 1)
                for person in people
            )
            await store.games.commit(one_step(game, ratings=ratings))

    await asyncio.gather(*(end(game) for game in games))
    assert [rating.wins for rating in await store.ratings.list_for_people([person.id for person in people])] == [4, 4]


async def test_results_of_a_person_and_of_two(store: Store, ada: Person, bob: Person, cleo: Person) -> None:
    first = await finished(store, [ada, bob], ada, 1)
    second = await finished(store, [bob, ada], bob, 2)
    third = await finished(store, [ada, cleo], cleo, 3)
    mine = await store.ratings.results_of_person(ada.id)
    found = [(result.game, result.mark) for result in mine]
    assert found == [(first.id, "win"), (second.id, "loss"), (third.id, "loss")]
    assert [result.game for result in await store.ratings.results_of_person(ada.id, limit=2)] == [second.id, third.id]
    assert await store.ratings.results_of_person(ada.id, "fagocitare") == []
    # Two results belong to one game even if one of them has another time.
    await store.ratings._update(stored_results, {"ended_at": time_after(days=30)}, game=first.id, person=bob.id)
    pairs = await store.ratings.head_to_head(ada.id, bob.id)
    listed = [(mine.game, theirs.game, mine.mark, theirs.mark) for mine, theirs in pairs]
    assert sorted(listed) == sorted([(first.id, first.id, "win", "loss"), (second.id, second.id, "loss", "win")])
    assert mine[0].mu == 25.0


async def test_a_group_counts_the_games_of_all_its_places(store: Store, ada: Person, bob: Person) -> None:
    await store.places.get_or_create("web", "room", group="server")
    await store.places.get_or_create("web", "other", group="elsewhere")
    await finished(store, [ada, bob], ada)
    standings = await store.ratings.standings(group=("web", "server"))
    assert [(standing.name, standing.wins, standing.losses) for standing in standings] == [("Ada", 1, 0), ("Bob", 0, 1)]
    assert await store.ratings.standings("fagocitare", group=("web", "server")) == []
    assert await store.ratings.standings(group=("web", "elsewhere")) == []


async def test_link_code_is_single_use_and_expires(store: Store, ada: Person, bob: Person) -> None:
    await store.links.store_code("AAAA", ada.id, time_after(minutes=10))
    await store.links.store_code("BBBB", ada.id, time_after(minutes=10))
    await store.links.store_code("CCCC", bob.id, time_after(minutes=10))
    assert await store.links.redeem_code("AAAA", START) is None
    assert await store.links.redeem_code("BBBB", time_after(minutes=10)) == ada.id
    assert await store.links.redeem_code("BBBB", START) is None
    assert await store.links.redeem_code("CCCC", time_after(minutes=11)) is None


@pytest.fixture
async def twin(store: Store, ada: Person) -> Person:
    """Ada on Telegram, not yet linked with Ada on the page."""
    return await store.people.identify("telegram", "77", "Ada T.", at=START)


async def test_two_people_become_one_with_everything_they_have(
    store: Store, place: PlaceRow, ada: Person, bob: Person, twin: Person
) -> None:
    over = await finished(store, [twin, bob], twin)
    running = await store_game(store, place, [twin, bob])
    await change_game(store, running, status="playing", to_move=twin.id)
    ratings = (Rating(ada.id, "annuvin", 25.0, 8.0, 1), Rating(twin.id, "annuvin", 31.0, 6.0, 3, 1, 1))
    await with_ratings(store, [ada, bob], ratings)
    assert await store.links.merge_people(ada.id, twin.id) == ada
    assert [identity.platform for identity in await store.people.identities(ada.id)] == ["telegram", "web"]
    assert (await store.people.identify("telegram", "77", "Ada T.")).id == ada.id
    (mine,) = [brief for brief in await store.games.list_for_person(ada.id) if brief.id == running.id]
    assert mine.waiting
    assert mine.starter == ada.id
    assert [result.game for result in await store.ratings.results_of_person(ada.id)] == [over.id]
    assert await store.ratings.list_for_people([ada.id]) == [Rating(ada.id, "annuvin", 31.0, 6.0, 4, 1, 1)]
    assert [rating.person for rating in await store.ratings.best("annuvin")] == [ada.id]
    assert await store.links.merge_people(ada.id, twin.id) is None


async def test_ratings_of_live_games_are_apart_and_are_joined_apart(
    store: Store, ada: Person, bob: Person, twin: Person
) -> None:
    mine = (Rating(ada.id, "annuvin", 25.0, 8.0, 5), Rating(ada.id, "annuvin", 21.0, 7.0, 1, pace=LIVE))
    theirs = (Rating(twin.id, "annuvin", 31.0, 6.0, 3), Rating(twin.id, "annuvin", 33.0, 5.0, 2, 0, 4, pace=LIVE))
    await with_ratings(store, [ada, bob], (*mine, *theirs))
    assert await store.ratings.list_for_people([ada.id]) == list(mine)
    for pace in PACES:
        assert (await store.ratings.best("annuvin", pace=pace, limit=1))[0].person == twin.id
        locked = await store.ratings.lock_for_update([ada.id], "annuvin", pace=pace)
        assert locked[ada.id] == next(each for each in mine if each.pace == pace)
    exported = (await store.privacy.export_person(ada.id))["ratings"]
    assert sorted((each["pace"], each["mu"]) for each in exported) == [(LIVE, 21.0), (SLOW, 25.0)]
    await store.links.merge_people(ada.id, twin.id)
    assert await store.ratings.list_for_people([ada.id]) == [
        Rating(ada.id, "annuvin", 25.0, 8.0, 8),
        Rating(ada.id, "annuvin", 33.0, 5.0, 3, 0, 4, pace=LIVE),
    ]


async def test_standings_and_strengths_are_those_of_a_pace(
    store: Store, place: PlaceRow, ada: Person, bob: Person
) -> None:
    await finished(store, [ada, bob], ada)
    for days in (1, 2):
        await finished(store, [ada, bob], bob, days, LIVE)
    slow, live = [await store.ratings.standings(place=place.id, pace=pace) for pace in PACES]
    assert [(each.name, each.wins, each.losses) for each in slow] == [("Ada", 1, 0), ("Bob", 0, 1)]
    assert [(each.name, each.wins, each.losses) for each in live] == [("Bob", 2, 0), ("Ada", 0, 2)]
    before = await store.ratings.before([ada.id], time_after(days=2))
    assert {key: count for key, (_, _, count) in before.items()} == {
        (ada.id, "annuvin", SLOW): 1,
        (ada.id, "annuvin", LIVE): 1,
    }


async def with_ratings(store: Store, people: list[Person], ratings: tuple[Rating, ...]) -> None:
    game = await store_game(store, await make_place(store), people)
    await store.games.commit(one_step(replace(game, status="over"), ratings=ratings))


async def test_two_who_play_each_other_do_not_become_one(store: Store, ada: Person, bob: Person, game: GameRow) -> None:
    with pytest.raises(PlayEachOther) as error:
        await store.links.merge_people(ada.id, bob.id)
    assert error.value.params == {"game": game.id}
    assert len(await store.games.list_for_person(bob.id)) == 1


async def test_games_against_oneself_do_not_count_afterwards(
    store: Store, place: PlaceRow, ada: Person, bob: Person
) -> None:
    await finished(store, [ada, bob], ada)
    await store.links.merge_people(ada.id, bob.id)
    assert await store.ratings.standings(place=place.id) == []


async def test_splitting_an_account_gives_back_its_games_and_ratings(
    store: Store, ada: Person, bob: Person, twin: Person
) -> None:
    theirs = await finished(store, [twin, bob], twin)
    mine = await finished(store, [ada, bob], ada)
    await with_ratings(store, [ada, bob], (Rating(twin.id, "annuvin", 31.0, 6.0, 3),))
    await store.links.merge_people(ada.id, twin.id)
    assert len(await store.ratings.results_of_person(ada.id)) == 2
    assert await store.links.split_identity("telegram", "77")
    assert (await store.people.identify("telegram", "77", "Ada T.")).id == twin.id
    assert [result.game for result in await store.ratings.results_of_person(twin.id)] == [theirs.id]
    assert [result.game for result in await store.ratings.results_of_person(ada.id)] == [mine.id]
    assert (await store.ratings.list_for_people([twin.id]))[0].mu == 31.0
    assert not await store.links.split_identity("telegram", "77")
    assert not await store.links.split_identity("web", "nobody")


async def test_a_chain_of_links_comes_apart_link_by_link(store: Store, ada: Person, twin: Person) -> None:
    discord = await store.people.identify("discord", "5", "A", at=START)

    async def platforms(person: Person) -> list[str]:
        return [identity.platform for identity in await store.people.identities(person.id)]

    await store.links.merge_people(twin.id, discord.id)
    await store.links.merge_people(ada.id, twin.id)
    assert await platforms(ada) == ["discord", "telegram", "web"]
    assert await store.links.split_identity("discord", "5")
    assert (await store.people.identify("discord", "5", "A")).id == discord.id
    assert await platforms(ada) == ["telegram", "web"]
    # The first that there was can be split off, too.
    assert await store.links.split_identity("web", "ada")
    assert [await platforms(person) for person in (ada, twin)] == [["web"], ["telegram"]]


async def test_export_holds_everything_stored_about_a_person(
    store: Store, place: PlaceRow, ada: Person, bob: Person
) -> None:
    await store.places.record_seen(place.id, ada.id, START)
    await finished(store, [ada, bob], ada)
    running = await store_game(store, place, [ada, bob])
    move = NewEvent("action", {"action": "a1-a2"}, ada.id)
    await store.games.commit(GameChange(game=running, events=(move, NewEvent("x", {}, bob.id)), at=START))
    await store.people.change_settings(ada.id, {"theme": "dark"})
    await store.room.add_message(START, author=ada.id, text="ciao")
    await store.room.add_message(START, author=bob.id, text="ehi")
    await store.links.store_code("AAAA", ada.id, time_after(minutes=10))
    exported = await store.privacy.export_person(ada.id)
    assert exported["person"][0]["settings"] == {"theme": "dark"}
    assert exported["identities"] == [
        {"platform": "web", "user_id": "ada", "name": "Ada", "language": "en", "can_dm": None}
    ]
    columns = {"seen": "channel", "running": "id", "results": "place_number", "messages": "text", "moves": "data"}
    listed = {table: [entry[name] for entry in exported[table]] for table, name in columns.items()}
    assert listed == {
        "seen": ["room"],
        "running": [running.id],
        "results": [1],
        "messages": ["ciao"],
        "moves": [{"action": "a1-a2"}],
    }
    assert [entry["code"] for entry in exported["link_codes"]] == ["AAAA"]


async def test_forgetting_removes_personal_data_and_keeps_games(
    store: Store, place: PlaceRow, ada: Person, bob: Person, twin: Person
) -> None:
    await store.places.record_seen(place.id, ada.id, START)
    over = await finished(store, [ada, bob], ada)
    await store.room.add_message(START, author=ada.id, text="my secret")
    private = await store.room.add_message(START, recipient=ada.id, picture=b"png")
    await store.people.change_settings(ada.id, {"theme": "dark"})
    await store.links.merge_people(ada.id, twin.id)
    before = await store.room.last_change()
    assert set(await store.privacy.forget_person(ada.id, time_after(days=1))) == {ada.id, twin.id}
    people = await store.people.get_many([ada.id, twin.id])
    assert [(person.name, person.settings) for person in people.values()] == [("", {}), ("", {})]
    assert await store.people.identities(ada.id) == []
    assert await store.places.members(place.id) == []
    assert [message.text for message in await store.room.list_messages(None)] in ([], [""])
    assert await store.room.last_change() > before
    assert await store.room.picture(private.id, ada.id) is None
    assert [result.game for result in await store.ratings.results_of_person(bob.id)] == [over.id]
    assert (await store.people.identify("web", "ada", "Ada")).id not in (ada.id, twin.id)


async def test_room_messages_follow_linking_and_unlinking(store: Store, ada: Person, twin: Person) -> None:
    said = await store.room.add_message(START, author=ada.id, text="ciao", key="say:ada:1")
    message = await store.room.add_message(START, recipient=ada.id, text="for you", key="reply:ada:2")
    await store.links.merge_people(twin.id, ada.id)
    mine = await store.room.list_messages(twin.id)
    found = [(message.id, message.author, message.recipient) for message in mine]
    assert found == [(said.id, twin.id, None), (message.id, None, twin.id)]
    assert await store.links.split_identity("web", "ada")
    assert [message.author for message in await store.room.list_messages(twin.id)] == [ada.id]
    assert [message.id for message in await store.room.list_messages(ada.id)] == [said.id, message.id]
