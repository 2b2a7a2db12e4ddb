"""Notes of the platforms' fronts, and channels that get another id."""

from storage import ShownPost, Store
from tests.support.present import present
from tests.support.stores import START, add_post, some_people, store_game, time_after


async def test_setting_a_key_replaces_its_value(store: Store) -> None:
    assert await store.key_values.get("telegram", "offset") is None
    await store.key_values.set("telegram", "offset", {"next": 5, "bot": 1})
    await store.key_values.set("telegram", "offset", {"next": 6, "bot": 1})
    await store.key_values.set("discord", "offset", {"next": 1, "bot": 1})
    assert await store.key_values.get("telegram", "offset") == {"next": 6, "bot": 1}
    await store.key_values.set("telegram", "offset", None)
    assert await store.key_values.get("telegram", "offset") is None
    assert await store.key_values.get("discord", "offset") == {"next": 1, "bot": 1}


async def test_keys_are_found_by_prefix(store: Store) -> None:
    for name in ("short:-1:5", "short:-1:6", "Short:-1:7", "commands"):
        await store.key_values.set("telegram", name, {"channel": name})
    assert list(await store.key_values.get_with_prefix("telegram", "short:")) == ["short:-1:5", "short:-1:6"]
    assert await store.key_values.get_with_prefix("discord", "short:") == {}


async def test_a_trial_leaves_nothing_behind(store: Store) -> None:
    await store.key_values.set("telegram", "offset", {"next": 5, "bot": 1})
    await store.key_values.check_writable()
    assert store.key_values.write_error is None
    found = [await store.key_values.get_with_prefix(platform, "") for platform in ("telegram", "trial")]
    assert found == [{"offset": {"next": 5, "bot": 1}}, {}]


async def test_a_channel_with_a_new_id_keeps_its_games_and_settings_and_shows_them_anew(store: Store) -> None:
    people = await some_people(store, "Anna", "Bruno")
    old = await store.places.get_or_create("telegram", "-5", None, "-5", title="Friends")
    await store.places.change_settings(old.id, {"language": "it"})
    await store.places.record_seen(old.id, people[0].id, START)
    game = await store_game(store, old, people)
    post = await add_post(store, game.id, old.id, START)
    await store.posts.record_shown(post, ShownPost("17", game.revision, 0), START)
    await store.places.move_channel("telegram", "-5", "-1005", time_after(minutes=1))
    place = await store.places.get_or_create("telegram", "-1005")
    assert (place.id, place.group, place.settings) == (old.id, "-1005", {"language": "it"})
    (shown,) = await store.posts.list_for_game(game.id)
    assert (shown.place.id, shown.message, shown.announced) == (old.id, None, None)
    assert shown.due_at == time_after(minutes=1)
    assert [brief.id for brief in await store.games.list_in_place(place.id)] == [game.id]


async def test_place_already_stored_under_the_new_id_is_merged(store: Store) -> None:
    people = await some_people(store, "Anna", "Bruno")
    old = await store.places.get_or_create("telegram", "-5", None, "-5")
    await store.places.change_settings(old.id, {"theme": "dark"})
    new = await store.places.get_or_create("telegram", "-1005", None, "-1005")
    await store.places.change_settings(new.id, {"theme": "light"})
    for place in (old, new):
        await store.places.record_seen(place.id, people[0].id, START)
    await store.places.record_seen(new.id, people[1].id, START)
    first, second = await store_game(store, old, people), await store_game(store, new, people)
    for game, place in ((first, old), (first, new), (second, new)):
        await store.posts.add(game.id, place.id, START)
    await store.places.move_channel("telegram", "-5", "-1005", START)
    place = await store.places.get_or_create("telegram", "-1005", None, "-1005")
    assert (place.id, place.settings) == (old.id, {"theme": "dark"})
    assert {brief.id for brief in await store.games.list_in_place(place.id)} == {first.id, second.id}
    assert {person.name for person in await store.places.members(place.id)} == {"Anna", "Bruno"}
    for game in (first, second):
        assert [post.place.id for post in await store.posts.list_for_game(game.id)] == [old.id]
        assert present(await store.games.get(game.id)).place == old.id
    # The channel is unknown by now: to move it changes nothing.
    await store.places.move_channel("telegram", "-5", "-1005", START)
    assert await store.places.get_or_create("telegram", "-1005", None, "-1005") == place
