"""Competitions as they are stored: one step at a time, nothing twice, given on, forgotten, shown."""

from dataclasses import replace

import pytest

from storage import (
    AlreadyPaired,
    CompetitionChange,
    CompetitionRow,
    EntrantRow,
    NewEvent,
    Person,
    PlaceRow,
    ProcessedEvent,
    ShownPost,
    Store,
    Terms,
)
from storage.errors import AlreadyProcessed, CodeTaken, Conflict
from tests.support.present import present
from tests.support.stores import (
    START,
    commit_step,
    due_posts,
    make_cup_row,
    make_place,
    one_step,
    some_people,
    store_cup,
    store_game,
    time_after,
)

CODE = "K7QFAB"


async def a_cup(store: Store, code: str = CODE) -> CompetitionRow:
    place, (ada, *_) = await make_place(store), await some_people(store, "Ada", "Bob", "Cleo")
    row = make_cup_row(place.id, ada.id, code)
    return await store_cup(store, row, NewEvent("created", {"a": 1}, ada.id))


async def entered(store: Store, cup: CompetitionRow, **values: object) -> CompetitionRow:
    people = await some_people(store, "Ada", "Bob", "Cleo")
    entries = tuple(EntrantRow(number, each.id, cup.place, f"e{number}") for number, each in enumerate(people))
    events = tuple(NewEvent("entered", {"entrant": each.number}, each.person) for each in entries)
    row = replace(cup, **values)  # type: ignore[arg-type]
    return await commit_step(store, CompetitionChange(row=row, events=events, at=START, entrants=entries))


async def test_competition_changes_are_revisioned_and_idempotent(store: Store) -> None:
    cup = await a_cup(store)
    assert (cup.revision, await store.competitions.get(CODE)) == (1, cup)
    with pytest.raises(CodeTaken):
        await a_cup(store)
    now = await entered(store, cup)
    assert now.revision == 4
    with pytest.raises(Conflict):
        await entered(store, cup)
    again = ProcessedEvent("web", "e1", {})
    change = CompetitionChange(row=now, events=(NewEvent("paused"),), at=START, processed=again)
    paused = await commit_step(store, change)
    with pytest.raises(AlreadyProcessed):
        await store.competitions.commit(replace(change, row=paused))
    events = await store.competitions.events(CODE)
    found = [(each.number, each.kind) for each in events]
    assert found == [(1, "created"), *((number, "entered") for number in (2, 3, 4)), (5, "paused")]
    assert events[-1].cause == "web:e1"
    assert [each.joined_by for each in await store.competitions.entrants(CODE)] == ["e0", "e1", "e2"]
    assert await store.competitions.list_ids() == [CODE]


async def test_no_game_is_paired_twice_and_its_end_has_its_competition_looked_at(
    store: Store, place: PlaceRow, people: list[Person]
) -> None:
    cup = await entered(store, await a_cup(store), status="running")
    one, two = [await store_game(store, place, people) for _ in range(2)]
    change = CompetitionChange(row=cup, events=(NewEvent("attached"),), at=START, games=(("1.0.0", one.id),))
    cup = await commit_step(store, change)
    with pytest.raises(AlreadyPaired):
        await store.competitions.commit(replace(change, row=cup, games=(("1.0.0", two.id),)))
    assert await store.competitions.paired_games(CODE) == {"1.0.0": one.id}
    assert await store.competitions.list_due(time_after(days=9)) == []
    await store.games.commit(one_step(replace(one, status="over", terms=Terms(cup=CODE)), time_after(days=1)))
    assert await store.competitions.list_due(time_after(days=1)) == [CODE]
    assert await store.competitions.next_due_at() == time_after(days=1)
    await store.competitions.postpone(CODE, START, None)
    assert await store.competitions.list_due(time_after(days=1)) == [CODE]
    await store.competitions.postpone(CODE, time_after(days=1), None)
    assert await store.competitions.list_due(time_after(days=9)) == []


async def test_where_a_competition_is_shown_is_due_until_it_shows_the_newest(store: Store) -> None:
    cup = await a_cup(store)
    (shown,) = await due_posts(store, START)
    assert (shown.kind, shown.subject, shown.place.id, shown.revision) == ("cup", CODE, cup.place, 1)
    moved = await entered(store, cup)
    await store.posts.record_shown(shown, ShownPost("m1", 1, 1), START)
    (stale,) = await due_posts(store, START)
    await store.posts.record_shown(stale, ShownPost("m1", moved.revision, 1), START)
    assert await due_posts(store, time_after(days=9)) == []
    there = await store.places.get_or_create("web", "hall")
    await store.competitions.add_place(CODE, there.id, START)
    await store.competitions.add_place(CODE, there.id, START)
    (new,) = await due_posts(store, START)
    await store.posts.record_failure(new.id, time_after(hours=1))
    assert [each.attempts for each in await due_posts(store, time_after(hours=1))] == [1]
    await store.posts.close(new.id)
    assert [each.gone for each in await store.posts.list_of_competition(CODE)] == [False, True]
    assert [each.id for each in await store.competitions.list_in_place(there.id)] == [CODE]


async def test_merged_people_have_one_entry_and_forgotten_people_leave(
    store: Store, ada: Person, bob: Person, cleo: Person
) -> None:
    cup = await entered(store, await a_cup(store))
    entries = tuple(replace(each, rank=each.number + 1) for each in await store.competitions.entrants(CODE))
    over = replace(cup, status="over", ended_at=START)
    await store.competitions.commit(
        CompetitionChange(row=over, events=(NewEvent("ended"),), at=START, entrants=entries)
    )
    assert await store.competitions.count_wins(ada.id) == {"annuvin": 1}
    assert [each.rank for each in await store.competitions.entrants(CODE) if each.person == bob.id] == [2]
    await store.links.merge_people(bob.id, ada.id)
    assert present(await store.competitions.get(CODE)).maker == bob.id
    assert [(each.person, each.inside) for each in await store.competitions.entrants(CODE)] == [
        (None, False), (bob.id, True), (cleo.id, True),
    ]  # fmt: skip
    # Brought along by a link, the entry of one that is over goes back with it.
    (dora,) = await some_people(store, "Dora")
    await store.links.merge_people(dora.id, cleo.id)
    assert (await store.competitions.entrants(CODE))[2].person == dora.id
    assert await store.links.split_identity("web", "cleo")
    assert [each.person for each in await store.competitions.entrants(CODE)] == [None, bob.id, cleo.id]
    assert (await store.privacy.export_person(cleo.id))["competitions"] == [
        {"competition": CODE, "number": 2, "inside": True, "rank": 3}
    ]
    await store.privacy.forget_person(cleo.id, START)
    assert [(each.person, each.inside) for each in await store.competitions.entrants(CODE)][2] == (cleo.id, False)


async def test_what_was_asked_for_while_a_competition_was_written_is_not_taken_for_done(store: Store) -> None:
    cup = await a_cup(store)
    (person,) = await store.people.get_many([cup.maker])
    row = await entered(store, cup)
    (new,) = await store.posts.list_of_competition(CODE)
    await store.posts.record_shown(new, ShownPost("m1", row.revision, 1), START)
    change = CompetitionChange(row=row, events=(NewEvent("paused"),), at=time_after(minutes=1))
    changed = await commit_step(store, change)
    (read,) = await due_posts(store, time_after(minutes=1))

    await store.privacy.forget_person(person, time_after(minutes=1))
    await store.posts.record_shown(read, ShownPost("m1", changed.revision, 1), time_after(minutes=2))
    (read,) = await due_posts(store, time_after(minutes=2))
    assert read.message == "m1", "the name is shown until the message is edited again"

    await store.competitions.add_place(CODE, cup.place, time_after(minutes=3))
    await store.posts.record_shown(read, ShownPost("m1", changed.revision, 1), time_after(minutes=4))
    (read,) = await due_posts(store, time_after(minutes=4))
    assert (read.message, read.announced) == ("m1", None), "a new message is still wanted"
    await store.posts.record_shown(read, ShownPost("m2", changed.revision, 1), time_after(minutes=5))
    (read,) = await due_posts(store, time_after(minutes=5))
    assert (read.message, read.is_current, list(read.stale_messages)) == ("m2", True, ["m1"])
    await store.posts.record_retired(read, ["m1"], time_after(minutes=5))
    assert await due_posts(store, time_after(days=9)) == []
