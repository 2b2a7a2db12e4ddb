"""Places, and who was seen there."""

import asyncio

from storage import Person, PlaceRow, Store
from tests.support.present import present
from tests.support.stores import make_place, store_game, time_after


async def test_a_place_is_known_by_platform_channel_and_thread(store: Store) -> None:
    place = await store.places.get_or_create("telegram", "-100", "7", group="-100", title="Games")
    assert place == PlaceRow(place.id, "telegram", "-100", "7", "-100", "group", "Games", {})
    assert await store.places.get_or_create("telegram", "-100", "7", group="-100", title="Games") == place
    others = [
        await store.places.get_or_create("telegram", "-100"),
        await store.places.get_or_create("telegram", "-100", "8"),
        await store.places.get_or_create("discord", "-100", "7"),
    ]
    assert len({place.id, *(other.id for other in others)}) == 4
    assert others[0].thread is None


async def test_place_updates_its_title_and_group_and_keeps_missing_ones(store: Store) -> None:
    place = await store.places.get_or_create("discord", "5", group="guild", title="Old")
    renamed = await store.places.get_or_create("discord", "5", group="guild", title="New")
    assert (renamed.id, renamed.title) == (place.id, "New")
    assert await store.places.get_or_create("discord", "5") == renamed
    assert (await store.places.get_or_create("discord", "5", kind="private")).kind == "private"
    assert await store.places.get(place.id) == await store.places.get_or_create("discord", "5", kind="private")
    assert await store.places.get(place.id + 1) is None


async def test_settings_of_a_place_change_one_by_one(store: Store, place: PlaceRow) -> None:
    await store.places.change_settings(place.id, {"language": "it", "threads": False})
    changed = present(await store.places.change_settings(place.id, {"threads": None, "theme": "dark"}))
    assert changed.settings == {"language": "it", "theme": "dark"}
    assert await make_place(store) == changed
    assert await store.places.change_settings(place.id + 1, {"theme": "dark"}) is None


async def test_a_thread_inherits_from_its_channel_and_a_channel_from_its_group(store: Store) -> None:
    group = await store.places.get_or_create("discord", "guild", group="guild")
    channel = await store.places.get_or_create("discord", "5", group="guild")
    thread = await store.places.get_or_create("discord", "5", "9", group="guild")
    await store.places.change_settings(group.id, {"language": "it", "theme": "dark", "threads": True})
    await store.places.change_settings(channel.id, {"theme": "light"})
    changed = present(await store.places.change_settings(thread.id, {"threads": False}))
    assert (changed, changed.settings) == (await store.places.get(thread.id), {"threads": False})
    assert changed.effective == {"language": "it", "theme": "light", "threads": False}
    assert (await store.places.get_or_create("discord", "5", group="guild")).effective["language"] == "it"
    assert (await store.places.get_or_create("discord", "guild", group="guild")).inherited == {}
    for other in (
        await store.places.get_or_create("telegram", "5", group="guild"),
        await store.places.get_or_create("discord", "6", group="other"),
    ):
        assert other.effective == {}


async def test_post_place_has_inherited_settings(store: Store, people: list[Person]) -> None:
    group = await store.places.get_or_create("discord", "guild", group="guild")
    thread = await store.places.get_or_create("discord", "5", "9", group="guild")
    await store.places.change_settings(group.id, {"language": "it"})
    game = await store_game(store, thread, people)
    await store.posts.add(game.id, thread.id, time_after())
    (post,) = await store.posts.list_for_game(game.id)
    assert (post.place, post.place.effective) == (await store.places.get(thread.id), {"language": "it"})


async def test_a_place_that_appears_many_times_at_once_is_one_place(store: Store) -> None:
    places = await asyncio.gather(*(store.places.get_or_create("web", "room", title="Room") for _ in range(8)))
    assert len({place.id for place in places}) == 1


async def test_the_last_seen_come_first_among_the_members(store: Store, ada: Person, bob: Person, cleo: Person) -> None:
    room, other = await make_place(store), await make_place(store, "other")
    await store.places.record_seen(room.id, ada.id, time_after(hours=1))
    await store.places.record_seen(room.id, bob.id, time_after(hours=2))
    await store.places.record_seen(other.id, cleo.id, time_after(hours=3))
    assert await store.places.members(room.id) == [bob, ada]
    await store.places.record_seen(room.id, ada.id, time_after(hours=4))
    assert await store.places.members(room.id) == [ada, bob]
    assert await store.places.members(room.id, limit=1) == [ada]
    # That is noted to the hour.
    await store.places.record_seen(room.id, bob.id, time_after(hours=4, minutes=10))
    await store.places.record_seen(room.id, ada.id, time_after(hours=4, minutes=59))
    assert await store.places.members(room.id) == [bob, ada]
    await store.places.record_seen(room.id, ada.id, time_after(hours=5))
    assert await store.places.members(room.id) == [ada, bob]


async def test_the_players_of_a_game_are_known_who_were_seen_in_a_place(
    store: Store, ada: Person, bob: Person, cleo: Person
) -> None:
    room, other = await make_place(store), await make_place(store, "other")
    game = await store_game(store, room, [ada, bob])
    for place, person in ((room, ada), (room, cleo), (other, bob)):
        await store.places.record_seen(place.id, person.id, time_after())
    assert await store.places.players_seen(room.id, game.id) == {ada.id}
    assert await store.places.players_seen(other.id, game.id) == {bob.id}
    assert await store.places.players_seen(room.id, "none") == set()
