"""Lessons: offered once, changed one step at a time, given on and forgotten with their person."""

from dataclasses import replace

from storage import GameRow, NewResult, Person, PlaceRow, ProcessedEvent, Store
from tests.support.stores import START, one_step, reply_of, time_after

STATE = {
    "position": {"game": "annuvin"},
    "last_turn": {"finished": None, "begun": None, "draws": 0},
    "at": 1,
    "done": False,
    "tries": 0,
    "turns": 0,
}


async def test_a_lesson_is_offered_once(store: Store, ada: Person, bob: Person) -> None:
    assert await store.lessons.is_new_to(ada.id, "annuvin")
    await store.lessons.record_offer(ada.id, "annuvin", START)
    assert not await store.lessons.is_new_to(ada.id, "annuvin")
    await store.lessons.record_offer(ada.id, "annuvin", time_after(days=1))
    assert [lesson.touched_at for lesson in await store.lessons.list_for_person(ada.id)] == [START]
    assert await store.lessons.is_new_to(ada.id, "real-queen")
    assert await store.lessons.is_new_to(bob.id, "annuvin")
    await store.lessons.begin(bob.id, "fagocitare", START)
    assert not await store.lessons.is_new_to(bob.id, "fagocitare")


async def test_player_of_a_started_game_is_not_new_to_it(store: Store, ada: Person, bob: Person, game: GameRow) -> None:
    assert await store.lessons.is_new_to(ada.id, "annuvin"), "nobody plays before the start"
    game = await store.games.commit(one_step(replace(game, status="playing", started_at=START)))
    assert not await store.lessons.is_new_to(bob.id, "annuvin")
    assert await store.lessons.is_new_to(bob.id, "real-queen")
    results = (NewResult(0, 1, "goal", ada.id), NewResult(1, 2, "goal", bob.id))
    await store.games.commit(one_step(replace(game, status="over"), results=results))
    assert not await store.lessons.is_new_to(bob.id, "annuvin")


async def test_lesson_resumes_at_its_stored_step(store: Store, place: PlaceRow, ada: Person) -> None:
    new = await store.lessons.begin(ada.id, "annuvin", START)
    assert (new.revision, new.step, new.state, new.finished_at) == (0, "", {}, None)
    changed = replace(new, step="capture", state=STATE, place=place.id)
    stored = await store.lessons.update(changed, time_after(minutes=1), ProcessedEvent("web", "e1", reply_of("1")))
    assert stored == replace(changed, revision=1, touched_at=time_after(minutes=1))
    assert await store.lessons.get(new.id) == stored
    assert await store.lessons.begin(ada.id, "annuvin", time_after(minutes=2)) == stored
    other = await store.lessons.begin(ada.id, "vedova-nera", time_after(minutes=2))
    assert await store.lessons.list_for_person(ada.id) == [other, stored]
    assert await store.lessons.get(other.id + 1) is None


async def test_merging_people_keeps_every_begun_lesson(store: Store, ada: Person, bob: Person) -> None:
    for person, game, step in ((ada, "annuvin", "win"), (bob, "annuvin", "move"), (bob, "real-queen", "place")):
        await store.lessons.update(replace(await store.lessons.begin(person.id, game, START), step=step), START)
    await store.lessons.record_offer(ada.id, "real-queen", START)
    await store.lessons.record_offer(bob.id, "uomo-nero", START)
    await store.links.merge_people(ada.id, bob.id)
    found = {lesson.game_key: lesson.step for lesson in await store.lessons.list_for_person(ada.id)}
    assert found == {"annuvin": "win", "real-queen": "place", "uomo-nero": ""}
    assert await store.lessons.list_for_person(bob.id) == []
