"""People and their identities."""

import asyncio

import pytest

from storage import Identity, Person, Store
from storage.columns import PERSON_SETTINGS
from tests.support.present import present
from tests.support.stores import START, make_place, some_people, time_after


async def test_each_identity_is_one_person_with_the_name_and_language_that_they_have_now(store: Store) -> None:
    person = await store.people.identify("discord", "17", "Ada", "it", at=START)
    assert person == Person(person.id, "Ada", "it", {})
    assert await store.people.get(person.id) == person
    assert await store.people.identities(person.id) == [Identity("discord", "17", person.id, "Ada", "it")]
    assert person.id != (await store.people.identify("telegram", "17", "Eva")).id
    again = await store.people.identify("discord", "17", "Ada L.")
    assert again == Person(person.id, "Ada L.", "it", {})
    assert [identity.name for identity in await store.people.identities(person.id)] == ["Ada L."]
    assert await store.people.find("ada l.") == [again]
    assert await store.people.find("Ada") == []
    assert (await store.people.identify("discord", "17", "Ada", "en")).language == "en"


async def test_identities_are_found_by_prefix(store: Store) -> None:
    ada = await store.people.identify("web", "a_b.1", "Ada")
    bob = await store.people.identify("web", "a_b.2", "Bob")
    await store.people.identify("web", "axb.1", "Eve")
    await store.people.identify("discord", "a_b.1", "Dan")
    found = await store.people.identities_with_prefix("web", "a_b.")
    assert [(identity.user_id, identity.person) for identity in found] == [("a_b.1", ada.id), ("a_b.2", bob.id)]
    assert await store.people.identities_with_prefix("web", "%") == []


async def test_people_who_do_not_exist_are_not_found(store: Store, bob: Person) -> None:
    assert await store.people.get(bob.id + 1) is None
    assert await store.people.get_many([bob.id, bob.id, bob.id + 1]) == {bob.id: bob}
    assert await store.people.get_many([]) == {}
    assert await store.people.change_settings(bob.id + 1, {"theme": "dark"}) is None


async def test_settings_change_one_by_one(store: Store, ada: Person) -> None:
    await store.people.change_settings(ada.id, {"theme": "dark", "language": "it"})
    changed = present(await store.people.change_settings(ada.id, {"theme": None, "text": True}))
    assert changed.settings == {"language": "it", "text": True}
    assert await store.people.get(ada.id) == changed


async def test_settings_changed_at_the_same_time_are_all_kept(store: Store, ada: Person) -> None:
    chosen = {name: "x" for name, kind in PERSON_SETTINGS.items() if kind is str}
    assert len(chosen) >= 8
    await asyncio.gather(*(store.people.change_settings(ada.id, {name: value}) for name, value in chosen.items()))
    assert present(await store.people.get(ada.id)).settings == chosen


async def test_concurrent_identification_creates_one_person(store: Store) -> None:
    people = await asyncio.gather(*(store.people.identify("telegram", "5", "Bruno") for _ in range(8)))
    assert len({person.id for person in people}) == 1
    assert len(await store.people.find("Bruno")) == 1


@pytest.mark.parametrize("typed", ["grace", "@Grace", "  GRACE ", "Ｇrace"])
async def test_people_are_found_by_name_in_any_case(store: Store, typed: str) -> None:
    ada, grace = await some_people(store, "Ada", "Grace")
    assert await store.people.find(typed) == [grace]
    assert await store.people.find("grac") == []
    assert ada != grace


async def test_a_name_is_looked_for_on_the_platform_or_in_the_place_asked_for(store: Store) -> None:
    (here,) = await some_people(store, "Ada")
    (there,) = await some_people(store, "Ada", platform="discord")
    room = await make_place(store)
    assert await store.people.find("Ada") == [here, there]
    assert await store.people.find("Ada", platform="discord") == [there]
    assert await store.people.find("Ada", place=room.id) == []
    await store.places.record_seen(room.id, here.id, time_after(minutes=1))
    await store.places.record_seen(room.id, there.id, time_after(minutes=1))
    assert await store.people.find("Ada", place=room.id) == [here]


@pytest.mark.parametrize(
    "name", ["", "a\0b", "lone \ud800 surrogate", "\u202egnp", "'; DROP TABLE people; --", "è" * 999]
)
async def test_any_name_can_be_kept(store: Store, name: str) -> None:
    person = await store.people.identify("web", name, name)
    assert await store.people.identify("web", name, name) == person
    assert person.name == name.replace("\0", "\ufffd").replace("\ud800", "\ufffd")


async def test_further_identity_is_added_unless_taken(store: Store) -> None:
    ada = await store.people.identify("web", "a.1", "Ada", "it")
    bob = await store.people.identify("web", "b.1", "Bob")
    assert await store.people.add_identity(ada.id, "web", "c.1", "Ada", "it")
    assert not await store.people.add_identity(bob.id, "web", "c.1", "Bob", None)
    assert await store.people.identify("web", "c.1", "Ada", "it") == ada
    assert [each.user_id for each in await store.people.identities(ada.id)] == ["a.1", "c.1"]


async def test_reachability_by_direct_message_is_stored(store: Store) -> None:
    ada = await store.people.identify("discord", "1", "Ada")

    async def known() -> bool | None:
        (identity,) = await store.people.identities(ada.id)
        return identity.can_dm

    assert await known() is None
    await store.people.record_reachability("discord", "1", can_dm=True, certain=False)
    assert await known() is True
    await store.people.record_reachability("discord", "1", can_dm=False)
    assert await known() is False
    await store.people.record_reachability("discord", "1", can_dm=True, certain=False)
    assert await known() is False, "what was refused counts more than what is likely"
    await store.people.record_reachability("discord", "1", can_dm=True)
    assert await known() is True
    assert (await store.privacy.export_person(ada.id))["identities"][0]["can_dm"]
