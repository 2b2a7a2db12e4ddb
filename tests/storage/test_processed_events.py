"""Events of the platforms are handled once, and remembered for a while."""

from dataclasses import replace
from typing import Any, Final

import pytest

from storage import AlreadyProcessed, EventOrigin, Person, PlaceRow, ProcessedEvent, RequestSource, Store
from tests.support.present import present
from tests.support.stores import START, handle_event, make_place, reply_of, time_after


async def test_an_event_is_unknown_until_it_is_handled(store: Store) -> None:
    assert await store.processed_events.get("telegram", "1") is None
    await handle_event(store, ProcessedEvent("telegram", "1", reply_of("è")))
    assert await store.processed_events.get("telegram", "1") == ProcessedEvent("telegram", "1", reply_of("è"))
    assert await store.processed_events.get("telegram", "2") is None
    assert await store.processed_events.get("discord", "1") is None


@pytest.mark.parametrize("reply", [None, reply_of("hello\0")])
async def test_repeated_event_gets_the_first_reply(store: Store, reply: dict[str, str] | None) -> None:
    await handle_event(store, ProcessedEvent("telegram", "1", reply))
    with pytest.raises(AlreadyProcessed) as caught:
        await handle_event(store, ProcessedEvent("telegram", "1", reply_of("other")), time_after(hours=1))
    assert (caught.value.params, caught.value.reply) == ({"platform": "telegram", "event": "1"}, reply)


async def test_old_events_are_forgotten(store: Store) -> None:
    for hours in range(4):
        await handle_event(store, ProcessedEvent("web", str(hours)), time_after(hours=hours))
    assert await store.processed_events.delete_before(time_after(hours=2)) == 2
    found = [await store.processed_events.get("web", str(hours)) is not None for hours in range(4)]
    assert found == [False, False, True, True]
    assert await store.processed_events.delete_before(time_after(hours=2)) == 0


ARRIVING: Final = EventOrigin(platform="web", user="ada", name="Ada", channel="room")


async def test_known_person_in_a_known_place_is_resolved(store: Store, place: PlaceRow, ada: Person) -> None:
    assert await store.processed_events.resolve_source("1", ARRIVING, START) is None
    assert await store.processed_events.resolve_source("1", ARRIVING, START) is None
    await store.places.record_seen(place.id, ada.id, START)
    arrived = await store.processed_events.resolve_source("1", ARRIVING, time_after(minutes=59))
    assert arrived == RequestSource(ada, place)
    assert await store.processed_events.resolve_source("1", ARRIVING, time_after(hours=1)) is None
    assert await store.processed_events.resolve_source("1", replace(ARRIVING, platform="telegram"), START) is None


@pytest.mark.parametrize(
    "news",
    [
        *({"name": "Ada L."}, {"language": "it"}, {"title": "The room"}, {"group": "house"}, {"kind": "private"}),
        *({"thread": "7"}, {"channel": "hall"}, {"user": "bob"}),
    ],
)
async def test_source_with_new_details_is_not_resolved(store: Store, news: dict[str, Any], ada: Person) -> None:
    await store.places.record_seen((await make_place(store)).id, ada.id, START)
    assert await store.processed_events.resolve_source("1", replace(ARRIVING, **news), START) is None


async def test_repeated_event_is_resolved_with_its_stored_reply(store: Store, ada: Person) -> None:
    await store.places.record_seen((await make_place(store)).id, ada.id, START)
    for event, reply in (("1", reply_of("done")), ("2", None)):
        await handle_event(store, ProcessedEvent("web", event, reply))
        arrived = present(await store.processed_events.resolve_source(event, ARRIVING, START))
        assert arrived.processed == ProcessedEvent("web", event, reply)


async def test_resolved_thread_has_inherited_settings(store: Store, ada: Person) -> None:
    await store.places.change_settings((await make_place(store)).id, {"theme": "dark"})
    thread = await store.places.get_or_create("web", "room", "7")
    await store.places.record_seen(thread.id, ada.id, START)
    arrived = present(await store.processed_events.resolve_source("1", replace(ARRIVING, thread="7"), START))
    assert (arrived.place, arrived.place.effective) == (thread, {"theme": "dark"})
