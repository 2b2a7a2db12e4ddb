"""What comes to a place once a day: one message per place and date, however often it is asked for."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from storage import DailyMessage, PlaceRow, Store
from tests.support.present import present
from tests.support.stores import START, make_place, some_people, time_after

WEB = ("web",)


async def sent(store: Store, place: PlaceRow, date: str, message: str) -> int:
    """Have the message of a date sent to a place and return its number."""
    assert await store.daily.promise_message(place.id, date, f"annuvin-{date}", START, time_after(days=1))
    number = (await store.daily.list_messages(place.id))[0].id
    await store.daily.record_posted(number, message, "shown", START)
    return number


async def only(store: Store, number: int) -> DailyMessage:
    """Return a message that there is."""
    return present(await store.daily.get_message(number))


async def test_concurrent_promises_of_a_date_succeed_once(store: Store, place: PlaceRow) -> None:
    await store.daily.switch_on(place.id, 9, START)
    assert [daily.place.id for daily in await store.daily.list_due(START, WEB)] == [place.id]
    asked = [
        store.daily.promise_message(place.id, "2026-11-21", "annuvin-1", START, time_after(days=1)) for _ in range(4)
    ]
    assert sorted(await asyncio.gather(*asked)) == [False, False, False, True]
    assert await store.daily.list_due(START, WEB) == []
    ((number, platform),) = await store.daily.list_due_messages(START, WEB)
    assert platform == "web"
    assert await store.daily.list_due_messages(START, ("discord",)) == []
    assert not (await only(store, number)).past
    assert await store.daily.next_due_at(WEB) == START
    assert await store.daily.next_due_at(("discord",)) is None


async def test_no_daily_message_is_promised_where_it_is_switched_off(store: Store, place: PlaceRow) -> None:
    assert not await store.daily.promise_message(place.id, "2026-11-21", "annuvin-1", START, time_after(days=1))
    assert await store.daily.list_messages(place.id) == []


async def test_expired_daily_messages_are_dropped_and_dates_only_advance(store: Store, place: PlaceRow) -> None:
    await store.daily.switch_on(place.id, 9, START)
    assert await store.daily.promise_message(place.id, "2026-11-20", "annuvin-0", START, START)
    assert await store.daily.promise_message(place.id, "2026-11-22", "annuvin-2", START, START)
    assert not await store.daily.promise_message(place.id, "2026-11-21", "annuvin-1", START, START)
    assert [message.date for message in await store.daily.list_messages(place.id)] == ["2026-11-22"]


async def test_the_message_of_a_later_date_closes_those_before_it(store: Store, place: PlaceRow) -> None:
    await store.daily.switch_on(place.id, 9, START)
    first = await sent(store, place, "2026-11-21", "m1")
    assert not (await only(store, first)).past
    assert await store.daily.list_due_messages(START, WEB) == []
    second = await sent(store, place, "2026-11-22", "m2")
    assert [(first, "web")] == await store.daily.list_due_messages(START, WEB)
    assert (await only(store, first)).past
    assert not (await only(store, second)).past
    await store.daily.close_message(first, "solution", time_after(minutes=1))
    closed = await only(store, first)
    assert (closed.closed, closed.shown, closed.due_at) == (True, "solution", None)
    await store.daily.postpone_message(first, START)
    assert await store.daily.list_due_messages(START, WEB) == [], "nothing is done for it any more"
    assert await store.daily.last_shown_at("web", "room") == time_after(minutes=1)


async def test_switched_off_it_keeps_its_question_until_the_next_would_have_come(store: Store, place: PlaceRow) -> None:
    await store.daily.switch_on(place.id, 9, START)
    number = await sent(store, place, "2026-11-21", "m1")
    await store.daily.switch_off(place.id)
    await store.daily.switch_off(place.id)
    assert await store.daily.get(place.id) is None
    assert (await only(store, number)).due_at == time_after(days=1)
    await store.daily.mark_messages_due(None, START - timedelta(days=1), START)
    assert await store.daily.list_due_messages(START, WEB) == []
    assert [(number, "web")] == await store.daily.list_due_messages(time_after(days=1), WEB)
    assert (await only(store, number)).past


async def test_only_places_with_puzzle_attempts_have_messages_marked_due(store: Store) -> None:
    here, there = await make_place(store), await store.places.get_or_create("web", "hall")
    numbers = []
    for place in (here, there):
        await store.daily.switch_on(place.id, 9, START)
        numbers.append(await sent(store, place, "2026-11-21", "m1"))
    (ada,) = await some_people(store, "Ada")
    puzzle = "annuvin-2026-11-21"
    attempt = await store.puzzles.begin_attempt(ada.id, puzzle, "annuvin", "", START, here.id, counts=True)
    await store.puzzles.update_attempt(replace(attempt, tried_at=START), START)
    await store.daily.mark_messages_due(puzzle, time_after(minutes=-1), time_after(minutes=1))
    assert [(numbers[0], "web")] == await store.daily.list_due_messages(time_after(minutes=1), WEB)
    message = await only(store, numbers[0])
    await store.daily.mark_messages_due(puzzle, time_after(minutes=-1), time_after(minutes=2))
    await store.daily.record_shown(message, "more", time_after(minutes=2))
    assert (await only(store, numbers[0])).due_at == time_after(minutes=2), "it was stirred since it was read"
    await store.daily.record_unchanged(await only(store, numbers[0]))
    assert (await only(store, numbers[0])).due_at is None
    await store.daily.mark_messages_due(puzzle, time_after(minutes=1), time_after(minutes=3))
    assert await store.daily.list_due_messages(time_after(minutes=3), WEB) == []


async def test_a_place_that_may_not_be_written_to_waits_and_one_that_is_gone_ends(store: Store) -> None:
    place = await make_place(store)
    await store.daily.switch_on(place.id, 9, START)
    number = await sent(store, place, "2026-11-21", "m1")
    await store.daily.block_message(number)
    await store.daily.mark_messages_due(None, START, START)
    assert await store.daily.list_due_messages(time_after(days=9), WEB) == []
    assert await store.daily.unblock_messages("web", "another", START) == 0
    assert await store.daily.unblock_messages("web", None, START) == 1
    assert await store.daily.unblock_messages("web", None, START) == 0
    assert [(number, "web")] == await store.daily.list_due_messages(START, WEB)
    await store.daily.end(place.id)
    assert await store.daily.get(place.id) is None
    assert (await only(store, number)).closed


async def test_other_settings_are_looked_at_wherever_they_hold(store: Store) -> None:
    whole = await store.places.get_or_create("discord", "guild", None, "guild")
    channel = await store.places.get_or_create("discord", "talk", None, "guild")
    thread = await store.places.get_or_create("discord", "talk", "t1", "guild")
    other = await store.places.get_or_create("discord", "other", None, "elsewhere")
    for place in (channel, thread, other):
        await store.daily.switch_on(place.id, 9, time_after(days=1))
    await store.daily.reschedule(channel, START)
    assert {daily.place.id for daily in await store.daily.list_due(START, ("discord",))} == {channel.id, thread.id}
    await store.daily.switch_on(channel.id, 9, time_after(days=1))
    await store.daily.reschedule(whole, START)
    assert {daily.place.id for daily in await store.daily.list_due(START, ("discord",))} == {channel.id, thread.id}


async def test_where_a_channel_gets_another_id_it_comes_once_a_date_there_too(store: Store) -> None:
    old = await store.places.get_or_create("telegram", "-1", None, "-1")
    new = await store.places.get_or_create("telegram", "-100", None, "-100")
    for place in (old, new):
        await store.daily.switch_on(place.id, 9, START)
    await sent(store, old, "2026-11-21", "m1")
    await sent(store, new, "2026-11-21", "m2")
    await sent(store, new, "2026-11-22", "m3")
    await store.places.move_channel("telegram", "-1", "-100", START)
    (daily,) = await store.daily.list_due(time_after(days=1), ("telegram",))
    assert (daily.place.id, daily.place.channel) == (old.id, "-100")
    found = [(each.date, each.message, each.closed) for each in await store.daily.list_messages(old.id)]
    assert found == [("2026-11-22", "m3", False), ("2026-11-21", "m1", True)]
    assert not await store.daily.promise_message(old.id, "2026-11-22", "annuvin-1", START, time_after(days=1))
