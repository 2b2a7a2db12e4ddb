"""What people are to be told: promised with a step, once each, and theirs when they are linked or forgotten."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from storage import GameChange, Moved, NewEvent, NewNotice, Notice, PastNotice, Store
from tests.support.stores import START, a_game, a_place, after, some_people


def kinds(notices: list[Notice]) -> list[tuple[int, str, str]]:
    return [(each.person, each.kind, each.subject) for each in notices]


async def test_a_step_promises_with_what_it_stores_or_not_at_all(store: Store) -> None:
    place, (ada, bob) = await a_place(store), await some_people(store, "Ada", "Bob")
    game = await a_game(store, place, [ada, bob])
    turn = GameChange(game=game, events=(NewEvent("a"),), at=START, promised=(NewNotice(ada.id, "turn", "1"),))
    stored = await store.commit(turn)
    with pytest.raises(Moved):
        await store.commit(replace(turn, promised=(NewNotice(bob.id, "turn", "2"),)))
    assert kinds(await store.notices_of(game.id)) == [(ada.id, "turn", "1")]
    # The next step takes away what is past, and promises nothing twice.
    again = (NewNotice(bob.id, "turn", "2"), NewNotice(bob.id, "turn", "2"))
    next_one = GameChange(game=stored, events=(NewEvent("a"),), at=START, past=(PastNotice("turn"),), promised=again)
    await store.commit(next_one)
    assert kinds(await store.notices_of(game.id)) == [(bob.id, "turn", "2")]


async def test_where_a_notice_is_told_is_decided_once(store: Store) -> None:
    place, (ada,) = await a_place(store), await some_people(store, "Ada")
    other = await store.place("discord", "other")
    game = await a_game(store, place, [ada])
    await store.promise(game.id, (), [NewNotice(ada.id, "turn", "1", START)], START)
    (notice,) = await store.due_notices(START)
    decided = await asyncio.gather(
        *(store.notice_decided(notice.id, "here", place=each.id) for each in (place, other, place, other))
    )
    assert sorted(decided) == [False, False, False, True]
    assert await store.due_notices(after(days=9)) == []
    await store.notices_told([notice.id], START)
    # What was told is neither tried again nor decided anew.
    assert not await store.notice_decided(notice.id, "private", due_at=START)
    assert await store.notices_reopened(START, person=ada.id) == 0
    await store.notice_failed(notice.id, START)
    assert await store.next_notice() is None
    assert await store.forget_notices(after(seconds=1)) == 1


async def test_notices_and_choices_go_with_a_link_and_with_being_forgotten(store: Store) -> None:
    place, (ada, bob, eve) = await a_place(store), await some_people(store, "Ada", "Bob", "Eve")
    game = await a_game(store, place, [ada])
    told = [NewNotice(person.id, "turn", "1") for person in (ada, bob, eve)]
    await store.promise(game.id, (), [*told, NewNotice(bob.id, "over", "x")], START)
    hall = await store.place("web", "hall")
    await store.choose_notices(place.id, ada.id, "private")
    await store.choose_notices(place.id, bob.id, "none")
    await store.choose_notices(hall.id, bob.id, "digest")
    await store.merge_people(ada.id, bob.id)
    assert kinds(await store.notices_of(game.id)) == [
        (ada.id, "turn", "1"), (eve.id, "turn", "1"), (ada.id, "over", "x"),
    ]  # fmt: skip
    assert await store.notice_choices(ada.id) == {("web", "room"): "private", ("web", "hall"): "digest"}
    kept = await store.kept_about(ada.id)
    assert [each["kind"] for each in kept["notices"]] == ["turn", "over"]
    assert [each["way"] for each in kept["notice_choices"]] == ["private", "digest"]
    # A channel that gets another id takes along what was chosen in it.
    await store.move_channel("web", "hall", "aula", START)
    assert ("web", "aula") in await store.notice_choices(ada.id)
    await store.forget_person(ada.id, START)
    assert kinds(await store.notices_of(game.id)) == [(eve.id, "turn", "1")]
    assert await store.notice_choices(ada.id) == {}


async def test_a_message_beside_a_board_is_known_until_it_retires(store: Store) -> None:
    place, (ada,) = await a_place(store), await some_people(store, "Ada")
    game = await a_game(store, place, [ada])
    made = await store.add_surface(game.id, place.id, START)
    await store.surface_shown(made, revision=game.revision, message="board", turn=1, at=START)
    await store.put_beside(made.id, "draw:1", "m1", START)
    await store.put_beside(made.id, "draw:1", "m2", START)
    known = await store.put_beside(made.id, "undo:1", "m3", START)
    assert known is not None
    assert (dict(known.beside), known.retiring) == ({"draw:1": "m2", "undo:1": "m3"}, ("m1",))
    await store.put_beside(made.id, "draw:1", None, after(seconds=1))
    known = await store.surface(made.id)
    assert known is not None
    assert (dict(known.beside), known.retiring) == ({"undo:1": "m3"}, ("m1", "m2"))
    assert known.due_at is not None
    assert [each.surface for each in await store.due_boards(after(days=1))] == [made.id]
