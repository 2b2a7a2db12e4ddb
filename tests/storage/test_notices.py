"""What people are to be told: promised with a step, once each, and theirs when they are linked or forgotten."""

import asyncio
from dataclasses import replace

import pytest

from storage import Conflict, GameRow, NewNotice, Notice, PastNotice, Person, PlaceRow, Store
from tests.support.stores import START, make_place, one_step, some_people, store_game, time_after


def kinds(notices: list[Notice]) -> list[tuple[int, str, str]]:
    return [(each.person, each.kind, each.subject) for each in notices]


async def test_commit_and_its_promised_notices_are_atomic(
    store: Store, ada: Person, bob: Person, game: GameRow
) -> None:
    turn = one_step(game, promised=(NewNotice(ada.id, "turn", "1"),))
    stored = await store.games.commit(turn)
    with pytest.raises(Conflict):
        await store.games.commit(replace(turn, promised=(NewNotice(bob.id, "turn", "2"),)))
    assert kinds(await store.notices.list_for_game(game.id)) == [(ada.id, "turn", "1")]
    # The next step takes away what is past, and promises nothing twice.
    again = (NewNotice(bob.id, "turn", "2"), NewNotice(bob.id, "turn", "2"))
    next_one = one_step(stored, past=(PastNotice("turn"),), promised=again)
    await store.games.commit(next_one)
    assert kinds(await store.notices.list_for_game(game.id)) == [(bob.id, "turn", "2")]


async def test_route_of_a_notice_is_decided_once(store: Store, place: PlaceRow, ada: Person) -> None:
    other = await store.places.get_or_create("discord", "other")
    game = await store_game(store, place, [ada])
    await store.notices.promise(game.id, (), [NewNotice(ada.id, "turn", "1", START)], START)
    (notice,) = await store.notices.list_due(START)
    decided = await asyncio.gather(
        *(store.notices.record_route(notice, "here", place=each.id) for each in (place, other, place, other))
    )
    assert sorted(decided) == [False, False, False, True]
    assert await store.notices.list_due(time_after(days=9)) == []
    await store.notices.record_delivered([notice], START)
    # What was told is neither tried again nor decided anew.
    assert not await store.notices.record_route(notice, "private", due_at=START)
    assert await store.notices.reopen(START, person=ada.id) == 0
    await store.notices.record_failure(notice, START)
    assert await store.notices.next_due_at() is None
    assert await store.notices.delete_before(time_after(seconds=1)) == 1


async def test_notices_and_choices_go_with_a_link_and_with_being_forgotten(store: Store) -> None:
    place, (ada, bob, eve) = await make_place(store), await some_people(store, "Ada", "Bob", "Eve")
    game = await store_game(store, place, [ada])
    notices = [NewNotice(person.id, "turn", "1") for person in (ada, bob, eve)]
    await store.notices.promise(game.id, (), [*notices, NewNotice(bob.id, "over", "x")], START)
    hall = await store.places.get_or_create("web", "hall")
    await store.notices.set_choice(place.id, ada.id, "private")
    await store.notices.set_choice(place.id, bob.id, "none")
    await store.notices.set_choice(hall.id, bob.id, "digest")
    await store.links.merge_people(ada.id, bob.id)
    assert kinds(await store.notices.list_for_game(game.id)) == [
        (ada.id, "turn", "1"), (eve.id, "turn", "1"), (ada.id, "over", "x"),
    ]  # fmt: skip
    assert await store.notices.choices(ada.id) == {("web", "room"): "private", ("web", "hall"): "digest"}
    exported = await store.privacy.export_person(ada.id)
    assert [each["kind"] for each in exported["notices"]] == ["turn", "over"]
    assert [each["route"] for each in exported["notice_choices"]] == ["private", "digest"]
    # A channel that gets another id takes along what was chosen in it.
    await store.places.move_channel("web", "hall", "aula", START)
    assert ("web", "aula") in await store.notices.choices(ada.id)
    await store.privacy.forget_person(ada.id, START)
    assert kinds(await store.notices.list_for_game(game.id)) == [(eve.id, "turn", "1")]
    assert await store.notices.choices(ada.id) == {}


async def test_what_is_noted_of_a_notice_is_never_noted_of_another_that_got_its_id(
    store: Store, game: GameRow, place: PlaceRow, people: list[Person]
) -> None:
    await store.notices.promise(game.id, [], [NewNotice(people[0].id, "turn", "1")], START)
    (before,) = await store.notices.list_for_game(game.id)
    await store.notices.promise(game.id, [PastNotice("turn")], [NewNotice(people[1].id, "turn", "2")], START)
    (now,) = await store.notices.list_for_game(game.id)
    before = replace(before, id=now.id)  # as SQLite does by itself
    await store.notices.record_delivered([before], START, place=place.id)
    assert not await store.notices.record_route(before, "private", due_at=START)
    await store.notices.reroute(before, "channel", place.id, START)
    await store.notices.record_failure(before, START)
    for due_at in (START, None):
        await store.notices.postpone(before, due_at)
    assert await store.notices.list_for_game(game.id) == [now]
