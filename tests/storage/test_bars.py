"""Who is kept out of a place: it holds for a while or for good, and outlives being forgotten and being linked."""

from __future__ import annotations

import json

from storage import Bar, Store
from tests.support.stores import START, a_place, after, some_people


async def test_what_holds_is_told_until_it_is_past_or_taken_back(store: Store) -> None:
    ada, bob = await some_people(store, "Ada", "Bob")
    place, other = await a_place(store), await store.place("web", "garden")
    await store.bar(place.id, "ban", ada.id, ["f1.", "f2."], None, START)
    await store.bar(place.id, "kick", bob.id, [], after(minutes=15), START)
    mine = [Bar("ban", "f1.", ada.id, None), Bar("ban", "f2.", ada.id, None)]
    assert await store.bars_in(place.id, START) == [*mine, Bar("kick", "", bob.id, after(minutes=15))]
    assert await store.bars_in(place.id, after(minutes=15)) == mine
    assert await store.bars_in(other.id, START) == []
    await store.forget_bars(after(minutes=15))
    assert await store.bars_in(place.id, START) == mine
    await store.bar(place.id, "ban", ada.id, ["f1."], after(days=1), after(hours=1))
    assert await store.bars_in(place.id, START) == [Bar("ban", "f1.", ada.id, after(days=1))], "the newest holds"
    assert not await store.unbar(place.id, "mute", [ada.id], ["f1."])
    assert not await store.unbar(place.id, "ban", [bob.id], ["", "f3."])
    assert await store.unbar(place.id, "ban", [], ["f1."])
    assert await store.bars_in(place.id, START) == []


async def test_it_is_told_to_whom_it_is_about_and_stays_with_the_browser_when_they_are_forgotten(store: Store) -> None:
    ada, bob = await some_people(store, "Ada", "Bob")
    place = await a_place(store)
    await store.bar(place.id, "ban", ada.id, ["f1."], None, START)
    await store.bar(place.id, "mute", ada.id, [], None, START)
    kept = await store.kept_about(ada.id)
    assert [(each["channel"], each["kind"]) for each in kept["bars"]] == [("room", "ban"), ("room", "mute")]
    assert "f1." not in json.dumps(kept["bars"])
    assert (await store.kept_about(bob.id))["bars"] == []
    await store.forget_person(ada.id, START)
    assert await store.bars_in(place.id, START) == [Bar("ban", "f1.", None, None)]


async def test_it_goes_with_a_link_and_comes_back_with_its_end(store: Store) -> None:
    (ada,) = await some_people(store, "Ada")
    page = await store.person_by_identity("web", "f1.1", "Ada", at=START)
    place = await a_place(store)
    await store.bar(place.id, "mute", page.id, ["f1."], None, START)
    await store.merge_people(ada.id, page.id)
    assert [each.person for each in await store.bars_in(place.id, START)] == [ada.id]
    assert await store.split_identity("web", "f1.1")
    assert [each.person for each in await store.bars_in(place.id, START)] == [page.id]


async def test_listeners_hear_of_it(store: Store) -> None:
    (ada,) = await some_people(store, "Ada")
    place = await a_place(store)
    heard: list[str] = []
    store.listen(lambda news: heard.append(news[0]))
    await store.bar(place.id, "ban", ada.id, ["f1."], None, START)
    await store.unbar(place.id, "ban", [ada.id], [])
    assert heard == ["bars", "bars"]
