"""What presses bring where the bot is no member: kept while it is good, used up, and forgotten."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from storage import GameChange, GameRow, NewEvent, NewPass, Pass, PlaceRow, Store, Surface
from tests.support.stores import START, a_game, after, some_people

LIFE = timedelta(minutes=15)


async def guest_place(store: Store) -> PlaceRow:
    """Return a channel where the bot is no member."""
    return await store.place("discord", "77", None, "7", title="friends", guest=True)


async def shown(store: Store, place: PlaceRow) -> tuple[GameRow, Surface]:
    """Return a game that is shown in a place, up to date."""
    game = await a_game(store, place, await some_people(store, "Ada", "Bob"))
    surface = await store.add_surface(game.id, place.id, START)
    done = await store.surface_shown(surface, revision=game.revision, message="m1", turn=1, at=START)
    assert done is not None
    return game, done


async def kept_in(store: Store, place: PlaceRow, at: datetime = START) -> list[Pass]:
    """Return what is kept and good in a place."""
    return await store.passes(place.platform, place.channel, place.thread, at)


def a_pass(name: str = "one", message: str | None = None, spare: int | None = 5) -> NewPass:
    """Return what a press brings."""
    return NewPass(name, message, START + LIFE, spare)


async def moved(store: Store, game: GameRow) -> GameRow:
    """Return a game after one more step."""
    return await store.commit(GameChange(game=game, events=(NewEvent("a"),), at=START))


async def test_a_pass_is_good_for_a_while_and_for_so_many_messages(store: Store) -> None:
    place = await guest_place(store)
    assert place.guest
    brought = await store.bring_pass(place.id, a_pass(message="m1", spare=1), START)
    assert await store.bring_pass(place.id, a_pass(message="m1", spare=1), START) == brought
    assert brought.edits("m1")
    assert not brought.edits("m2")
    assert brought.sends
    await store.pass_sent(brought.id, "m2")
    (kept,) = await kept_in(store, place, after(minutes=14))
    assert kept.edits("m2")
    assert not kept.sends
    newer = await store.bring_pass(place.id, a_pass("two", spare=None), START)
    await store.pass_sent(newer.id, "m3")
    assert [(each.id, each.sends) for each in await kept_in(store, place)] == [(newer.id, True), (brought.id, False)]
    await store.pass_spent(newer.id)
    assert not any(each.sends for each in await kept_in(store, place))
    assert await kept_in(store, place, START + LIFE) == []
    assert await store.forget_passes(START + LIFE) == 2
    assert await store.forget_passes(START + LIFE) == 0
    assert await kept_in(store, place) == []


async def test_nobody_reads_a_secret_by_accident(store: Store) -> None:
    place = await guest_place(store)
    brought = await store.bring_pass(place.id, a_pass("hush"), START)
    assert "hush" not in f"{brought} {a_pass('hush')}"
    (person,) = await some_people(store, "Ada")
    await store.seen(place.id, person.id, START)
    assert "hush" not in str(await store.kept_about(person.id))


async def test_a_press_has_what_is_behind_brought_up_to_date(store: Store) -> None:
    place = await guest_place(store)
    game, surface = await shown(store, place)
    await store.bring_pass(place.id, a_pass(), START)
    assert await store.pass_answered(place.id, "one", START) == 0
    await store.surface_waits(surface.id)
    await moved(store, game)
    assert await store.due_count(after(days=1)) == 0
    await store.bring_pass(place.id, a_pass("two"), START)
    assert await store.due_count(after(days=1)) == 0, "while the press is being answered"
    assert await store.pass_answered(place.id, "two", after(seconds=1)) == 1
    assert await store.due_count(after(seconds=1)) == 1
    assert await store.reopen_surfaces("discord", "7", START) == 0


async def test_once_the_bot_is_a_member_no_press_is_needed(store: Store) -> None:
    place = await guest_place(store)
    game, surface = await shown(store, place)
    await store.surface_waits(surface.id)
    await moved(store, game)
    assert await store.made_member("discord", "8", START) == 0
    assert await store.made_member("discord", "7", START) == 1
    known = await store.place_by_id(place.id)
    assert known == replace(place, guest=False)
    assert await store.due_count(START) == 1


async def test_what_is_told_of_a_place_says_that_the_bot_is_a_member(store: Store) -> None:
    place = await guest_place(store)
    _, surface = await shown(store, place)
    await store.bring_pass(place.id, a_pass(), START)
    await store.surface_waits(surface.id)
    known = await store.place("discord", "77", None, "7", at=START)
    assert not known.guest
    assert await kept_in(store, place) == []
    assert await store.due_count(START) == 1


async def test_it_is_known_where_no_new_message_can_be_sent(store: Store) -> None:
    place = await guest_place(store)
    game, surface = await shown(store, place)
    assert await store.places_without_pass(game.id, START) == {place.id}
    brought = await store.bring_pass(place.id, a_pass(), START)
    assert await store.places_without_pass(game.id, after(minutes=14)) == set()
    assert await store.places_without_pass(game.id, START + LIFE) == {place.id}
    await store.pass_spent(brought.id)
    assert await store.places_without_pass(game.id, START) == {place.id}
    await store.bring_pass(place.id, a_pass("two", spare=None), START)
    assert await store.places_without_pass(game.id, START) == set()
    await store.surface_waits(surface.id)
    assert await store.places_without_pass(game.id, START) == {place.id}
    await store.made_member("discord", "7", START)
    assert await store.places_without_pass(game.id, after(days=1)) == set()
