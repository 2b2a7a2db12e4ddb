"""What presses bring where the bot is no member: kept while it is good, used up, and forgotten."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from storage import GameRow, InteractionPass, NewInteractionPass, PlaceRow, Store, Surface
from tests.support.present import present
from tests.support.stores import START, one_step, some_people, time_after

LIFE = timedelta(minutes=15)


@pytest.fixture
async def place(store: Store) -> PlaceRow:
    """A channel where the bot is no member."""
    return await store.places.get_or_create("discord", "77", None, "7", title="friends", guest=True)


@pytest.fixture
async def surface(store: Store, game: GameRow) -> Surface:
    """Where the game is shown there, up to date."""
    added = await store.surfaces.add(game.id, game.place, START)
    return present(await store.surfaces.record_shown(added, revision=game.revision, message="m1", turn=1, at=START))


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


async def test_press_makes_outdated_surfaces_due(store: Store, game: GameRow, surface: Surface) -> None:
    await store.passes.add(surface.place.id, a_pass(), START)
    assert await store.passes.record_answered(surface.place.id, "one", START) == 0
    await store.surfaces.block(surface.id)
    await store.games.commit(one_step(game))
    assert await store.surfaces.count_due(time_after(days=1)) == 0
    await store.passes.add(surface.place.id, a_pass("two"), START)
    assert await store.surfaces.count_due(time_after(days=1)) == 0, "while the press is being answered"
    assert await store.passes.record_answered(surface.place.id, "two", time_after(seconds=1)) == 1
    assert await store.surfaces.count_due(time_after(seconds=1)) == 1
    assert await store.surfaces.unblock("discord", "7", START) == 0


async def test_membership_makes_passes_unnecessary(store: Store, game: GameRow, surface: Surface) -> None:
    await store.surfaces.block(surface.id)
    await store.games.commit(one_step(game))
    assert await store.passes.promote_guest_places("discord", "8", START) == 0
    assert await store.passes.promote_guest_places("discord", "7", START) == 1
    assert await store.places.get(surface.place.id) == replace(surface.place, guest=False)
    assert await store.surfaces.count_due(START) == 1


async def test_place_stops_being_a_guest_place_once_the_bot_is_a_member(store: Store, surface: Surface) -> None:
    await store.passes.add(surface.place.id, a_pass(), START)
    await store.surfaces.block(surface.id)
    assert not (await store.places.get_or_create("discord", "77", None, "7", at=START)).guest
    assert await kept_in(store, surface.place) == []
    assert await store.surfaces.count_due(START) == 1


async def test_places_without_a_usable_pass_are_found(store: Store, game: GameRow, surface: Surface) -> None:
    assert await store.passes.places_without(game.id, START) == {surface.place.id}
    brought = await store.passes.add(surface.place.id, a_pass(), START)
    assert await store.passes.places_without(game.id, time_after(minutes=14)) == set()
    assert await store.passes.places_without(game.id, START + LIFE) == {surface.place.id}
    await store.passes.record_spent(brought.id)
    assert await store.passes.places_without(game.id, START) == {surface.place.id}
    await store.passes.add(surface.place.id, a_pass("two", spare=None), START)
    assert await store.passes.places_without(game.id, START) == set()
    await store.surfaces.block(surface.id)
    assert await store.passes.places_without(game.id, START) == {surface.place.id}
    await store.passes.promote_guest_places("discord", "7", START)
    assert await store.passes.places_without(game.id, time_after(days=1)) == set()
