"""Who is kept out of a place: it holds for a while or for good, and outlives being forgotten and being linked."""

import json

from storage import Ban, Person, PlaceRow, Store
from tests.support.stores import START, time_after


async def test_bans_are_listed_until_they_expire_or_are_removed(
    store: Store, place: PlaceRow, ada: Person, bob: Person
) -> None:
    other = await store.places.get_or_create("web", "garden")
    await store.bans.add(place.id, "ban", ada.id, ["f1.", "f2."], None, START)
    await store.bans.add(place.id, "kick", bob.id, [], time_after(minutes=15), START)
    mine = [Ban("ban", "f1.", ada.id, None), Ban("ban", "f2.", ada.id, None)]
    assert await store.bans.list_in_place(place.id, START) == [*mine, Ban("kick", "", bob.id, time_after(minutes=15))]
    assert await store.bans.list_in_place(place.id, time_after(minutes=15)) == mine
    assert await store.bans.list_in_place(other.id, START) == []
    await store.bans.delete_expired(time_after(minutes=15))
    assert await store.bans.list_in_place(place.id, START) == mine
    await store.bans.add(place.id, "ban", ada.id, ["f1."], time_after(days=1), time_after(hours=1))
    assert await store.bans.list_in_place(place.id, START) == [Ban("ban", "f1.", ada.id, time_after(days=1))], (
        "the newest holds"
    )
    assert not await store.bans.remove(place.id, "mute", [ada.id], ["f1."])
    assert not await store.bans.remove(place.id, "ban", [bob.id], ["", "f3."])
    assert await store.bans.remove(place.id, "ban", [], ["f1."])
    assert await store.bans.list_in_place(place.id, START) == []


async def test_bans_are_exported_and_stay_with_the_browser_after_forgetting(
    store: Store, place: PlaceRow, ada: Person, bob: Person
) -> None:
    await store.bans.add(place.id, "ban", ada.id, ["f1."], None, START)
    await store.bans.add(place.id, "mute", ada.id, [], None, START)
    exported = await store.privacy.export_person(ada.id)
    assert [(each["channel"], each["kind"]) for each in exported["bans"]] == [("room", "ban"), ("room", "mute")]
    assert "f1." not in json.dumps(exported["bans"])
    assert (await store.privacy.export_person(bob.id))["bans"] == []
    await store.privacy.forget_person(ada.id, START)
    assert await store.bans.list_in_place(place.id, START) == [Ban("ban", "f1.", None, None)]


async def test_bans_follow_linking_and_unlinking(store: Store, ada: Person, place: PlaceRow) -> None:
    page = await store.people.identify("web", "f1.1", "Ada", at=START)
    await store.bans.add(place.id, "mute", page.id, ["f1."], None, START)
    await store.links.merge_people(ada.id, page.id)
    assert [each.person for each in await store.bans.list_in_place(place.id, START)] == [ada.id]
    assert await store.links.split_identity("web", "f1.1")
    assert [each.person for each in await store.bans.list_in_place(place.id, START)] == [page.id]


async def test_listeners_hear_of_it(store: Store, place: PlaceRow, ada: Person) -> None:
    received: list[str] = []
    store.add_listener(lambda news: received.append(news[0]))
    await store.bans.add(place.id, "ban", ada.id, ["f1."], None, START)
    await store.bans.remove(place.id, "ban", [ada.id], [])
    assert received == ["bans", "bans"]
