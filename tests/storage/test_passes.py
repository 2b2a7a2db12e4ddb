"""What presses bring where the bot is no member: kept while it is good, used up, and forgotten."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from storage import GameRow, InteractionPass, NewInteractionPass, PlaceRow, Post, ShownPost, Store
from tests.support.present import present
from tests.support.stores import START, add_post, one_step, some_people, time_after

LIFE = timedelta(minutes=15)


@pytest.fixture
async def place(store: Store) -> PlaceRow:
    """A channel where the bot is no member."""
    return await store.places.get_or_create("discord", "77", None, "7", title="friends", guest=True)


@pytest.fixture
async def post(store: Store, game: GameRow) -> Post:
    """Where the game is shown there, up to date."""
    added = await add_post(store, game.id, game.place, START)
    return present(await store.posts.record_shown(added, ShownPost("m1", game.revision, 1), START))


async def kept_in(store: Store, place: PlaceRow, at: datetime = START) -> list[InteractionPass]:
    """Return what is kept and good in a place."""
    return await store.passes.list_usable(place.platform, place.channel, place.thread, at)


def a_pass(name: str = "one", message: str | None = None, spare: int | None = 5) -> NewInteractionPass:
    """Return what a press brings."""
    return NewInteractionPass(name, message, START + LIFE, spare)


async def test_pass_is_limited_in_time_and_messages(store: Store, place: PlaceRow) -> None:
    assert place.guest
    brought = await store.passes.add(place.id, a_pass(message="m1", spare=1), START)
    assert await store.passes.add(place.id, a_pass(message="m1", spare=1), START) == brought
    assert brought.can_edit("m1")
    assert not brought.can_edit("m2")
    assert brought.can_send
    await store.passes.record_sent(brought.id, "m2")
    (usable,) = await kept_in(store, place, time_after(minutes=14))
    assert usable.can_edit("m2")
    assert not usable.can_send
    newer = await store.passes.add(place.id, a_pass("two", spare=None), START)
    await store.passes.record_sent(newer.id, "m3")
    assert [(each.id, each.can_send) for each in await kept_in(store, place)] == [(newer.id, True), (brought.id, False)]
    await store.passes.record_spent(newer.id)
    assert not any(each.can_send for each in await kept_in(store, place))
    assert await kept_in(store, place, START + LIFE) == []
    assert await store.passes.delete_expired(START + LIFE) == 2
    assert await store.passes.delete_expired(START + LIFE) == 0
    assert await kept_in(store, place) == []


async def test_pass_secret_is_left_out_of_text_and_exports(store: Store, place: PlaceRow) -> None:
    brought = await store.passes.add(place.id, a_pass("hush"), START)
    assert "hush" not in f"{brought} {a_pass('hush')}"
    (person,) = await some_people(store, "Ada")
    await store.places.record_seen(place.id, person.id, START)
    assert "hush" not in str(await store.privacy.export_person(person.id))


async def test_press_makes_outdated_posts_due(store: Store, game: GameRow, post: Post) -> None:
    await store.passes.add(post.place.id, a_pass(), START)
    assert await store.passes.record_answered(post.place.id, "one", START) == 0
    await store.posts.block(post.id)
    await store.games.commit(one_step(game))
    assert await store.posts.count_due(time_after(days=1)) == 0
    await store.passes.add(post.place.id, a_pass("two"), START)
    assert await store.posts.count_due(time_after(days=1)) == 0, "while the press is being answered"
    assert await store.passes.record_answered(post.place.id, "two", time_after(seconds=1)) == 1
    assert await store.posts.count_due(time_after(seconds=1)) == 1
    assert await store.posts.unblock("discord", "7", START) == 0


async def test_membership_makes_passes_unnecessary(store: Store, game: GameRow, post: Post) -> None:
    await store.posts.block(post.id)
    await store.games.commit(one_step(game))
    assert await store.passes.promote_guest_places("discord", "8", START) == 0
    assert await store.passes.promote_guest_places("discord", "7", START) == 1
    assert await store.places.get(post.place.id) == replace(post.place, guest=False)
    assert await store.posts.count_due(START) == 1


async def test_place_stops_being_a_guest_place_once_the_bot_is_a_member(store: Store, post: Post) -> None:
    await store.passes.add(post.place.id, a_pass(), START)
    await store.posts.block(post.id)
    assert not (await store.places.get_or_create("discord", "77", None, "7", at=START)).guest
    assert await kept_in(store, post.place) == []
    assert await store.posts.count_due(START) == 1


async def test_places_without_a_usable_pass_are_found(store: Store, game: GameRow, post: Post) -> None:
    assert await store.passes.places_without(game.id, START) == {post.place.id}
    brought = await store.passes.add(post.place.id, a_pass(), START)
    assert await store.passes.places_without(game.id, time_after(minutes=14)) == set()
    assert await store.passes.places_without(game.id, START + LIFE) == {post.place.id}
    await store.passes.record_spent(brought.id)
    assert await store.passes.places_without(game.id, START) == {post.place.id}
    await store.passes.add(post.place.id, a_pass("two", spare=None), START)
    assert await store.passes.places_without(game.id, START) == set()
    await store.posts.block(post.id)
    assert await store.passes.places_without(game.id, START) == {post.place.id}
    await store.passes.promote_guest_places("discord", "7", START)
    assert await store.passes.places_without(game.id, time_after(days=1)) == set()
