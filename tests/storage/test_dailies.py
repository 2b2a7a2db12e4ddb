"""What comes to a place once a day: one message a place and date, whoever asks for it and however often."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

from storage import DailyMessage, PlaceRow, Store
from tests.support.stores import START, a_place, after, some_people

WEB = ("web",)


async def sent(store: Store, place: PlaceRow, date: str, message: str) -> int:
    """Have the message of a date sent to a place and return its number."""
    assert await store.promise_daily(place.id, date, f"annuvin-{date}", START, after(days=1))
    number = (await store.daily_messages(place.id))[0].id
    await store.daily_posted(number, message, "shown", START)
    return number


async def only(store: Store, number: int) -> DailyMessage:
    """Return a message that there is."""
    found = await store.daily_message(number)
    assert found is not None
    return found


async def test_a_date_is_promised_once_however_many_ask(store: Store) -> None:
    place = await a_place(store)
    await store.switch_daily(place.id, 9, START)
    assert [daily.place.id for daily in await store.due_dailies(START, WEB)] == [place.id]
    asked = [store.promise_daily(place.id, "2026-11-21", "annuvin-1", START, after(days=1)) for _ in range(4)]
    assert sorted(await asyncio.gather(*asked)) == [False, False, False, True]
    assert await store.due_dailies(START, WEB) == []
    ((number, platform),) = await store.due_daily_messages(START, WEB)
    assert platform == "web"
    assert await store.due_daily_messages(START, ("discord",)) == []
    assert not (await only(store, number)).past
    assert await store.next_daily(WEB) == START
    assert await store.next_daily(("discord",)) is None


async def test_where_nobody_wants_it_nothing_is_promised(store: Store) -> None:
    place = await a_place(store)
    assert not await store.promise_daily(place.id, "2026-11-21", "annuvin-1", START, after(days=1))
    assert await store.daily_messages(place.id) == []


async def test_what_was_not_sent_in_time_never_is_and_no_date_comes_after_a_later_one(store: Store) -> None:
    place = await a_place(store)
    await store.switch_daily(place.id, 9, START)
    assert await store.promise_daily(place.id, "2026-11-20", "annuvin-0", START, START)
    assert await store.promise_daily(place.id, "2026-11-22", "annuvin-2", START, START)
    assert not await store.promise_daily(place.id, "2026-11-21", "annuvin-1", START, START)
    assert [message.date for message in await store.daily_messages(place.id)] == ["2026-11-22"]


async def test_the_message_of_a_later_date_closes_those_before_it(store: Store) -> None:
    place = await a_place(store)
    await store.switch_daily(place.id, 9, START)
    first = await sent(store, place, "2026-11-21", "m1")
    assert not (await only(store, first)).past
    assert await store.due_daily_messages(START, WEB) == []
    second = await sent(store, place, "2026-11-22", "m2")
    assert [(first, "web")] == await store.due_daily_messages(START, WEB)
    assert (await only(store, first)).past
    assert not (await only(store, second)).past
    await store.daily_closed(first, "solution", after(minutes=1))
    closed = await only(store, first)
    assert (closed.closed, closed.shown, closed.due_at) == (True, "solution", None)
    await store.daily_waits_until(first, START)
    assert await store.due_daily_messages(START, WEB) == [], "nothing is done for it any more"
    assert await store.daily_last_shown("web", "room") == after(minutes=1)


async def test_switched_off_it_keeps_its_question_until_the_next_would_have_come(store: Store) -> None:
    place = await a_place(store)
    await store.switch_daily(place.id, 9, START)
    number = await sent(store, place, "2026-11-21", "m1")
    await store.drop_daily(place.id)
    await store.drop_daily(place.id)
    assert await store.daily(place.id) is None
    assert (await only(store, number)).due_at == after(days=1)
    await store.stir_dailies(None, START - timedelta(days=1), START)
    assert await store.due_daily_messages(START, WEB) == []
    assert [(number, "web")] == await store.due_daily_messages(after(days=1), WEB)
    assert (await only(store, number)).past


async def test_only_where_somebody_was_at_the_puzzle_its_messages_are_stirred(store: Store) -> None:
    here, there = await a_place(store), await store.place("web", "hall")
    numbers = []
    for place in (here, there):
        await store.switch_daily(place.id, 9, START)
        numbers.append(await sent(store, place, "2026-11-21", "m1"))
    (ada,) = await some_people(store, "Ada")
    puzzle = "annuvin-2026-11-21"
    attempt = await store.begin_attempt(ada.id, puzzle, "annuvin", "", START, here.id, counts=True)
    await store.put_attempt(replace(attempt, tried_at=START), START)
    await store.stir_dailies(puzzle, after(minutes=-1), after(minutes=1))
    assert [(numbers[0], "web")] == await store.due_daily_messages(after(minutes=1), WEB)
    message = await only(store, numbers[0])
    await store.stir_dailies(puzzle, after(minutes=-1), after(minutes=2))
    await store.daily_shown(message, "more", after(minutes=2))
    assert (await only(store, numbers[0])).due_at == after(minutes=2), "it was stirred since it was read"
    await store.daily_is_as_shown(await only(store, numbers[0]))
    assert (await only(store, numbers[0])).due_at is None
    await store.stir_dailies(puzzle, after(minutes=1), after(minutes=3))
    assert await store.due_daily_messages(after(minutes=3), WEB) == []


async def test_a_place_that_may_not_be_written_to_waits_and_one_that_is_gone_ends(store: Store) -> None:
    place = await a_place(store)
    await store.switch_daily(place.id, 9, START)
    number = await sent(store, place, "2026-11-21", "m1")
    await store.daily_is_barred(number)
    await store.stir_dailies(None, START, START)
    assert await store.due_daily_messages(after(days=9), WEB) == []
    assert await store.reopen_dailies("web", "another", START) == 0
    assert await store.reopen_dailies("web", None, START) == 1
    assert await store.reopen_dailies("web", None, START) == 0
    assert [(number, "web")] == await store.due_daily_messages(START, WEB)
    await store.daily_ended(place.id)
    assert await store.daily(place.id) is None
    assert (await only(store, number)).closed


async def test_a_clock_that_is_set_back_holds_nothing_up(store: Store) -> None:
    place = await a_place(store)
    await store.switch_daily(place.id, 9, after(days=40))
    await store.hasten_dailies(after(days=2), START)
    assert [daily.due_at for daily in await store.due_dailies(START, WEB)] == [START]
    await store.switch_daily(place.id, 9, after(days=1))
    await store.hasten_dailies(after(days=2), START)
    assert await store.due_dailies(START, WEB) == []


async def test_other_settings_are_looked_at_wherever_they_hold(store: Store) -> None:
    whole = await store.place("discord", "guild", None, "guild")
    channel = await store.place("discord", "talk", None, "guild")
    thread = await store.place("discord", "talk", "t1", "guild")
    other = await store.place("discord", "other", None, "elsewhere")
    for place in (channel, thread, other):
        await store.switch_daily(place.id, 9, after(days=1))
    await store.dailies_look_again(channel, START)
    assert {daily.place.id for daily in await store.due_dailies(START, ("discord",))} == {channel.id, thread.id}
    await store.switch_daily(channel.id, 9, after(days=1))
    await store.dailies_look_again(whole, START)
    assert {daily.place.id for daily in await store.due_dailies(START, ("discord",))} == {channel.id, thread.id}


async def test_where_a_channel_gets_another_id_it_comes_once_a_date_there_too(store: Store) -> None:
    old = await store.place("telegram", "-1", None, "-1")
    new = await store.place("telegram", "-100", None, "-100")
    for place in (old, new):
        await store.switch_daily(place.id, 9, START)
    await sent(store, old, "2026-11-21", "m1")
    await sent(store, new, "2026-11-21", "m2")
    await sent(store, new, "2026-11-22", "m3")
    await store.move_channel("telegram", "-1", "-100", START)
    (daily,) = await store.due_dailies(after(days=1), ("telegram",))
    assert (daily.place.id, daily.place.channel) == (old.id, "-100")
    assert [(each.date, each.message, each.closed) for each in await store.daily_messages(old.id)] == [
        ("2026-11-22", "m3", False),
        ("2026-11-21", "m1", True),
    ]
    assert not await store.promise_daily(old.id, "2026-11-22", "annuvin-1", START, after(days=1))
