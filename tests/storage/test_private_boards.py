"""The rows of private boards, of each kind: changed one step at a time, once for each event."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final
from unittest.mock import ANY

import pytest

from storage import AlreadyProcessed, Conflict, GameRow, Person, PlaceRow, ProcessedEvent, Store
from storage.schema import StoredTree
from tests.support.stores import START, reply_of, time_after

Change = Callable[[Any, ProcessedEvent | None], Awaitable[Any]]


async def begin_lesson(store: Store, person: Person, _game: GameRow, _place: PlaceRow) -> tuple[Any, Any, Change]:
    new = await store.lessons.begin(person.id, "annuvin", START)
    return new, {"step": "move"}, lambda row, event: store.lessons.update(row, time_after(minutes=1), event)


async def begin_attempt(store: Store, person: Person, _game: GameRow, place: PlaceRow) -> tuple[Any, Any, Change]:
    new = await store.puzzles.begin_attempt(person.id, "annuvin-1", "annuvin", "corner", START, place.id)
    return new, {"wrong": 1}, lambda row, event: store.puzzles.update_attempt(row, time_after(minutes=1), event)


async def begin_tree(store: Store, person: Person, game: GameRow, _place: PlaceRow) -> tuple[Any, Any, Change]:
    new = await store.trees.store(StoredTree(person.id, game.id, {"n": 1}), START, 3)
    return new, {"tree": {"n": 2}}, lambda row, event: store.trees.store(row, time_after(minutes=1), 3, event)


KINDS: Final = (begin_lesson, begin_attempt, begin_tree)


@pytest.mark.parametrize("begin", KINDS)
async def test_a_change_is_stored_once_and_a_late_one_refused(
    store: Store, game: GameRow, place: PlaceRow, ada: Person, begin: Callable[..., Awaitable[tuple[Any, Any, Change]]]
) -> None:
    new, values, change = await begin(store, ada, game, place)
    stored = await change(replace(new, **values), ProcessedEvent("web", "e1", reply_of("1")))
    assert stored == replace(new, **values, revision=new.revision + 1, touched_at=time_after(minutes=1))
    with pytest.raises(Conflict):
        await change(new, ProcessedEvent("web", "e2"))
    assert await store.processed_events.get("web", "e2") is None
    with pytest.raises(AlreadyProcessed) as caught:
        await change(stored, ProcessedEvent("web", "e1"))
    assert caught.value.reply == reply_of("1")
    assert await change(stored, None) == replace(stored, revision=stored.revision + 1)


TOUCHED: Final = {"touched_at": START.isoformat()}


@pytest.mark.parametrize(
    ("begin", "name", "exported"),
    [
        (begin_lesson, "lessons", {"game_key": "annuvin", "step": "", "finished_at": None} | TOUCHED),
        (begin_tree, "analysis_boards", {"game": ANY, "tree": {"n": 1}} | TOUCHED),
    ],
)
async def test_it_is_exported_and_forgotten_with_its_person(
    store: Store,
    game: GameRow,
    place: PlaceRow,
    people: list[Person],
    begin: Callable[..., Awaitable[tuple[Any, Any, Change]]],
    name: str,
    exported: dict[str, Any],
) -> None:
    for person in people:
        await begin(store, person, game, place)
    assert (await store.privacy.export_person(people[0].id))[name] == [exported]
    await store.privacy.forget_person(people[0].id, START)
    assert [len((await store.privacy.export_person(person.id))[name]) for person in people] == [0, 1]
