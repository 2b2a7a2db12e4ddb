"""What comes to a place once a day: one post per place and date, however often it is asked for."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

from storage import Person, PlaceRow, Post, ShownPost, Store
from storage.message_schema import DAILY
from tests.support.present import present
from tests.support.stores import START, due_posts, list_posts_in, make_place, time_after

WEB = ("web",)


async def sent(store: Store, place: PlaceRow, date: str, message: str) -> Post:
    """Have the post of a date sent to a place and return it."""
    assert await store.daily.promise(place.id, date, f"annuvin-{date}", START, time_after(days=1))
    post = (await list_posts_in(store, place.id, DAILY))[0]
    shown = await store.posts.record_shown(post, ShownPost(message, 0, 1, "shown"), START)
    await store.daily.hasten_earlier(place.id, date, START)
    return present(shown)


async def due_ids(store: Store, at: datetime) -> list[int]:
    """Return the ids of the posts that are due at a time."""
    return [post.id for post in await due_posts(store, at)]


async def test_concurrent_promises_of_a_date_succeed_once(store: Store, place: PlaceRow) -> None:
    await store.daily.switch_on(place.id, 9, START)
    assert [daily.place.id for daily in await store.daily.list_due(START, WEB)] == [place.id]
    asked = [store.daily.promise(place.id, "2026-11-21", "annuvin-1", START, time_after(days=1)) for _ in range(4)]
    assert sorted(await asyncio.gather(*asked)) == [False, False, False, True]
    assert await store.daily.list_due(START, WEB) == []
    (post,) = await due_posts(store, START)
    assert (post.kind, post.subject, post.place.id) == (DAILY, "2026-11-21:annuvin-1", place.id)
    assert not await store.daily.is_past(place.id, "2026-11-21")
    assert await store.daily.next_due_at(WEB) == time_after(days=1)
    assert await store.daily.next_due_at(("discord",)) is None


async def test_no_daily_post_is_promised_where_it_is_switched_off(store: Store, place: PlaceRow) -> None:
    assert not await store.daily.promise(place.id, "2026-11-21", "annuvin-1", START, time_after(days=1))
    assert await list_posts_in(store, place.id, DAILY) == []


async def test_expired_daily_posts_are_dropped_and_dates_only_advance(store: Store, place: PlaceRow) -> None:
    await store.daily.switch_on(place.id, 9, START)
    assert await store.daily.promise(place.id, "2026-11-20", "annuvin-0", START, START)
    assert await store.daily.promise(place.id, "2026-11-22", "annuvin-2", START, START)
    assert not await store.daily.promise(place.id, "2026-11-21", "annuvin-1", START, START)
    assert not await store.daily.promise(place.id, "2026-11-22", "annuvin-3", START, START)
    assert [post.subject for post in await list_posts_in(store, place.id, DAILY)] == ["2026-11-22:annuvin-2"]


async def test_the_post_of_a_later_date_ends_those_before_it(store: Store, place: PlaceRow) -> None:
    await store.daily.switch_on(place.id, 9, START)
    first = await sent(store, place, "2026-11-21", "m1")
    assert not await store.daily.is_past(place.id, "2026-11-21")
    assert await due_ids(store, START) == []
    await sent(store, place, "2026-11-22", "m2")
    assert await due_ids(store, START) == [first.id]
    assert await store.daily.is_past(place.id, "2026-11-21")
    assert not await store.daily.is_past(place.id, "2026-11-22")
    await store.posts.finish(first.id)
    await store.daily.hasten_earlier(place.id, "2026-11-22", START)
    assert await due_ids(store, START) == [], "nothing is done for it any more"
    assert present(await store.posts.get(first.id)).message == "m1"


async def test_switched_off_it_keeps_its_question_until_the_next_would_have_come(store: Store, place: PlaceRow) -> None:
    await store.daily.switch_on(place.id, 9, START)
    post = await sent(store, place, "2026-11-21", "m1")
    await store.daily.switch_off(place.id)
    await store.daily.switch_off(place.id)
    assert present(await store.places.get(place.id)).daily_hour is None
    assert present(await store.posts.get(post.id)).due_at == time_after(days=1)
    await store.daily.mark_since(START - timedelta(days=1), START)
    assert await due_ids(store, START) == []
    assert await due_ids(store, time_after(days=1)) == [post.id]
    assert await store.daily.is_past(place.id, "2026-11-21")
    await store.daily.switch_on(place.id, 9, START)
    await store.daily.end(place.id)
    assert present(await store.places.get(place.id)).daily_hour is None


async def test_only_places_with_puzzle_attempts_have_posts_marked_due(store: Store, ada: Person) -> None:
    here, there = await make_place(store), await store.places.get_or_create("web", "hall")
    posts = []
    for place in (here, there):
        await store.daily.switch_on(place.id, 9, START)
        posts.append(await sent(store, place, "2026-11-21", "m1"))
    puzzle = "annuvin-2026-11-21"
    attempt = await store.puzzles.begin_attempt(ada.id, puzzle, "annuvin", "", START, here.id, counts=True)
    attempt = await store.puzzles.update_attempt(attempt, START)
    assert await due_ids(store, time_after(minutes=1)) == [], "nothing was tried yet"
    attempt = await store.puzzles.update_attempt(replace(attempt, tried_at=START), time_after(minutes=1))
    assert await due_ids(store, time_after(minutes=1)) == [posts[0].id]
    read = present(await store.posts.get(posts[0].id))
    attempt = await store.puzzles.update_attempt(attempt, time_after(minutes=2))
    await store.posts.record_shown(read, ShownPost("m1", 0, 1, "more"), time_after(minutes=2))
    assert await due_ids(store, time_after(minutes=2)) == [posts[0].id], "it was stirred since it was read"
    read = present(await store.posts.get(posts[0].id))
    await store.posts.record_shown(read, ShownPost("m1", 0, 1, "more"), time_after(minutes=2))
    assert await due_ids(store, time_after(days=1)) == []
    await store.posts.put_off(posts[0].id, time_after(minutes=4))
    read = present(await store.posts.get(posts[0].id))
    await store.puzzles.update_attempt(attempt, time_after(minutes=3))
    await store.posts.record_shown(read, ShownPost("m1", 0, 1, "more"), time_after(minutes=4))
    assert await due_ids(store, time_after(minutes=4)) == [posts[0].id], "it was stored after the post was read"


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
    found = [(each.subject[:10], each.message, each.gone) for each in await list_posts_in(store, old.id, DAILY)]
    assert sorted(found) == [("2026-11-21", "m1", True), ("2026-11-22", "m3", False)]
    assert not await store.daily.promise(old.id, "2026-11-22", "annuvin-1", START, time_after(days=1))
