"""What people do on puzzles: one attempt a person and puzzle, days, ratings, summaries; given on and forgotten."""

import asyncio
from dataclasses import replace

from storage import Person, PlaceRow, Store
from storage.puzzle_schema import Attempt, PuzzleDay, PuzzleRating
from storage.puzzles import PuzzleStanding, SolvedSummary, Solver
from tests.support.stores import START, make_place, some_people, time_after

ONE = "annuvin-1a2b"
DAY = "2026-11-21"


async def solved(
    store: Store,
    person: Person,
    place: PlaceRow,
    puzzle: str = ONE,
    *,
    wrong: int = 0,
    hints: int = 0,
    minutes: float = 0,
    day: str = "",
) -> Attempt:
    """Store that somebody has solved a puzzle, as that of a date if one is given."""
    at = time_after(minutes=minutes)
    attempt = await begun(store, person, place, puzzle, minutes=minutes)
    result = PuzzleDay(person.id, day, puzzle, "errors" if wrong else "clean") if day else None
    done = replace(attempt, wrong=wrong, hints=hints, result="solved", tried_at=at, ended_at=at)
    return await store.puzzles.update_attempt(done, at, day=result)


async def begun(store: Store, person: Person, place: PlaceRow, puzzle: str = ONE, *, minutes: float = 0) -> Attempt:
    """Store that somebody has opened a puzzle in a place that counts it."""
    at = time_after(minutes=minutes)
    return await store.puzzles.begin_attempt(person.id, puzzle, "annuvin", "corner", at, place.id, counts=True)


async def test_a_puzzle_attempt_is_continued_anywhere(store: Store, place: PlaceRow, ada: Person) -> None:
    new = await store.puzzles.begin_attempt(ada.id, ONE, "annuvin", "corner", START, place.id)
    assert (new.revision, new.state, new.began_at, new.rated, new.place) == (0, {}, START, None, place.id)
    there = await make_place(store, "elsewhere")
    again = await store.puzzles.begin_attempt(ada.id, ONE, "annuvin", "corner", time_after(hours=1), there.id)
    assert again == replace(new, place=there.id, touched_at=time_after(hours=1))
    step = replace(again, wrong=1, rated=True, state={"hinted": 1})
    changed = await store.puzzles.update_attempt(step, time_after(days=1))
    assert changed == replace(step, revision=1, touched_at=time_after(days=1))
    assert await store.puzzles.get_attempt(new.id) == changed
    other = await begun(store, ada, place, "x-1", minutes=9999)
    assert await store.puzzles.get_last_attempt(ada.id) == other
    assert await store.puzzles.list_attempts(ada.id) == [other, changed]


async def test_a_place_counts_who_came_from_there_and_names_the_newest(store: Store) -> None:
    people, here = await some_people(store, "Ada", "Bob", "Cleo", "Dan", "Eva"), await make_place(store)
    there = await make_place(store, "elsewhere")
    ada, bob, cleo, dan, eva = people
    for minutes, person in enumerate((ada, bob, cleo)):
        await solved(store, person, here, wrong=minutes, minutes=minutes)
    await solved(store, dan, there, hints=1, minutes=60)
    await begun(store, eva, here)
    assert await store.puzzles.get_solved_summary(ONE, here.id, START) == SolvedSummary(
        3, 3, (Solver(cleo.id, "Cleo", "errors"), Solver(bob.id, "Bob", "errors"), Solver(ada.id, "Ada", "clean"))
    )
    assert (await store.puzzles.get_solved_summary(ONE, here.id, time_after(minutes=2))).tried == 1
    # A person who opens it again elsewhere counts there, too.
    await begun(store, dan, here)
    assert await store.puzzles.get_solved_summary(ONE, here.id, START) == SolvedSummary(
        4, 4, (Solver(dan.id, "Dan", "hinted"), Solver(cleo.id, "Cleo", "errors"), Solver(bob.id, "Bob", "errors"))
    )
    await store.privacy.forget_person(dan.id, START)
    assert (await store.puzzles.get_solved_summary(ONE, here.id, START)).newest[0].name == "Cleo"


async def test_the_best_of_a_place_are_those_of_most_days(store: Store) -> None:
    (ada, bob, cleo), here = await some_people(store, "Ada", "Bob", "Cleo"), await make_place(store)
    other = await store.places.get_or_create("web", "second", None, "g")
    for number, person, place, wrong in ((1, ada, here, 1), (2, ada, here, 0), (1, bob, here, 0), (2, bob, here, 0)):
        await solved(store, person, place, f"p-{number}", wrong=wrong, day=f"2026-11-0{number}")
    await solved(store, cleo, other, "p-1", day="2026-11-01")
    await solved(store, cleo, here, "p-9")  # on a day that was not its own
    found = await store.puzzles.list_standings("2026-11-01", here.id)
    assert found == [PuzzleStanding(bob.id, "Bob", 2, 2), PuzzleStanding(ada.id, "Ada", 2, 1)]
    listed = await store.puzzles.list_standings("2026-11-02", here.id)
    assert listed == [PuzzleStanding(ada.id, "Ada", 1, 1), PuzzleStanding(bob.id, "Bob", 1, 1)]
    assert [each.name for each in await store.puzzles.list_standings("2026-11-01", here.id, ("web", "g"))] == ["Cleo"]


async def test_ratings_of_many_who_solve_at_once_all_count(store: Store) -> None:
    people = await some_people(store, *(f"P{number}" for number in range(8)))

    async def rate(person: Person) -> None:
        async with store.transaction():
            ratings, figures = await store.puzzles.lock_ratings_for_update(person.id, ONE)
            assert ratings == {}
            mine = PuzzleRating(person.id, "", 26.0, 8.0, 1, 1)
            later = replace(figures, mu=(figures.mu or 25.0) - 1, sigma=8.0, tries=figures.tries + 1)
            await store.puzzles.store_ratings([mine], later)

    await asyncio.gather(*(rate(person) for person in people))
    figures = (await store.puzzles.get_figures([ONE]))[ONE]
    assert (figures.tries, figures.mu) == (8, 17.0)
    assert (await store.puzzles.list_ratings(people[0].id))[""].tries == 1


async def test_when_a_solution_was_public_first_stays(store: Store) -> None:
    assert await store.puzzles.get_figures([ONE]) == {}
    await store.puzzles.publish_solution(ONE, START)
    await store.puzzles.publish_solution(ONE, time_after(days=1))
    assert (await store.puzzles.get_figures([ONE, "x"]))[ONE].public_at == START


async def test_two_people_who_become_one_have_one_history(
    store: Store, place: PlaceRow, ada: Person, bob: Person
) -> None:
    there = await make_place(store, "b")
    await solved(store, ada, place, "both", wrong=1, minutes=5, day=DAY)
    first = await solved(store, bob, there, "both", minutes=1, day=DAY)
    await solved(store, bob, there, "bobs", day="2026-11-20")
    await begun(store, ada, there, "open")
    done = await solved(store, bob, place, "open", minutes=9)
    _, figures = await store.puzzles.lock_ratings_for_update(ada.id, ONE)
    rated = [PuzzleRating(ada.id, "", 20.0, 8.0, 2), PuzzleRating(bob.id, "", 30.0, 7.0, 5)]
    await store.puzzles.store_ratings([*rated, PuzzleRating(bob.id, "annuvin", 31.0, 7.0, 5)], figures)
    await store.links.merge_people(ada.id, bob.id)
    ids = {each.puzzle: each.id for each in await store.puzzles.list_attempts(ada.id)}
    assert (ids["both"], ids["open"], len(ids)) == (first.id, done.id, 3)
    assert await store.puzzles.list_attempts(bob.id) == []
    assert [(await store.puzzles.get_solved_summary("both", where.id, START)).solved for where in (place, there)] == [
        1,
        1,
    ]
    found = {each.day: each.mark for each in await store.puzzles.list_solved_days(ada.id)}
    assert found == {"2026-11-20": "clean", DAY: "errors"}
    ratings = await store.puzzles.list_ratings(ada.id)
    assert (ratings[""].mu, ratings["annuvin"].mu) == (30.0, 31.0)


async def test_puzzle_data_is_exported_and_forgotten(store: Store, place: PlaceRow, ada: Person, bob: Person) -> None:
    for person in (ada, bob):
        await solved(store, person, place, day=DAY)
        _, figures = await store.puzzles.lock_ratings_for_update(person.id, ONE)
        await store.puzzles.store_ratings(
            [PuzzleRating(person.id, "", 25.0, 8.0, 1)], replace(figures, mu=24.0, sigma=8.0)
        )
    exported = await store.privacy.export_person(ada.id)
    assert [each["puzzle"] for each in exported["puzzles"]] == [ONE]
    assert exported["puzzle_places"] == [{"platform": "web", "channel": "room", "title": "room", "puzzle": ONE}]
    assert exported["puzzle_days"] == [{"day": DAY, "puzzle": ONE, "mark": "clean"}]
    assert [each["mu"] for each in exported["puzzle_ratings"]] == [25.0]
    await store.privacy.forget_person(ada.id, START)
    after_that = await store.privacy.export_person(ada.id)
    assert not any(after_that[name] for name in ("puzzles", "puzzle_places", "puzzle_days", "puzzle_ratings"))
    assert (await store.puzzles.get_solved_summary(ONE, place.id, START)).solved == 1
    assert (await store.puzzles.get_figures([ONE]))[ONE].mu == 24.0


async def test_a_group_that_moves_keeps_its_puzzles(store: Store, place: PlaceRow, ada: Person, bob: Person) -> None:
    new = await make_place(store, "new")
    await solved(store, ada, place)
    await solved(store, bob, place)
    await begun(store, bob, new)
    await store.places.move_channel("web", "room", "new", START)
    assert (await store.puzzles.get_solved_summary(ONE, (await make_place(store, "new")).id, START)).solved == 2
