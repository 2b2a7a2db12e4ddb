"""What counts of puzzles: ratings, streaks, what a profile and a leaderboard tell, and which puzzle comes next."""

import asyncio
from dataclasses import replace
from datetime import date, timedelta

import pytest

from bot.boards.puzzles.cards import open_puzzle_press
from bot.boards.puzzles.daily import Streak, count_streak
from bot.boards.puzzles.puzzle import Puzzle, puzzle_on, puzzles_of
from bot.boards.puzzles.service import RESERVED_DAYS_AHEAD
from bot.kernel.presses import OPEN_PUZZLE
from bot.kernel.requests import Place, Reply
from storage import Store
from tests.bot.party import Party, button, card, missing, words
from tests.bot.test_puzzling import ANNUVIN, NOON, WITH_PUZZLES, give_up, load_attempt, right, solve, way
from tests.bot.test_together import Together, together
from tests.support.present import present

__all__ = ["together"]


@pytest.fixture
def party(store: Store) -> Party:
    party = Party(store)
    party.clock.now = NOON
    return party


async def solve_again(party: Party, who: str, reply: Reply, puzzle: Puzzle) -> Reply:
    """Have somebody begin a puzzle anew that is over, and solve it."""
    await party.press(who, way(reply, "again"))
    for text in right(puzzle):
        reply = await party.say(who, f"/move {text}")
    return reply


async def test_once_a_solution_was_public_nothing_counts_any_more(party: Party) -> None:
    puzzle = puzzle_on(NOON.date())
    await party.store.puzzles.publish_solution(puzzle.id, NOON)
    assert "neither for your rating nor for a streak" in words(await solve(party, "anna", puzzle))
    attempt = await load_attempt(party, puzzle)
    assert (attempt.result, attempt.rated) == ("solved", False)
    assert await party.store.puzzles.list_solved_days(attempt.person) == []
    assert await party.store.puzzles.list_ratings(attempt.person) == {}


async def test_what_another_name_of_the_browser_was_shown_counts_no_more(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(party.adapter, "browser_of", lambda user: user[:3], raising=False)
    puzzle = puzzle_on(NOON.date())
    assert "neither for" not in words(await solve(party, "anna", puzzle))
    assert "neither for your rating nor for a streak" in words(await solve(party, "annabel", puzzle))
    assert "neither for" not in words(await solve(party, "bruno", puzzle))
    for name, days in (("anna", 1), ("annabel", 0), ("bruno", 1)):
        person = await party.id_of(name)
        assert len(await party.store.puzzles.list_solved_days(person)) == days, name
        assert bool(await party.store.puzzles.list_ratings(person)) == bool(days), name


async def test_streak_continues_over_grace_days_and_is_in_the_profile(party: Party) -> None:
    for day in (0, 1, 3, 4):
        party.clock.now = NOON + timedelta(days=day)
        reply = await solve(party, "anna", puzzle_on(party.clock.now.date()))
    assert "4 days in a row" in words(reply)
    profile = words(await party.say("bruno", "/profile @anna"))
    assert missing(profile, "4 solved, of 4 tried", "Streak: 4 days. The best: 4.", "By game:", "By motif:") == []
    party.clock.now = NOON + timedelta(days=12)
    assert "Streak: 0 days. The best: 4." in words(await party.say("anna", "/profile"))


async def test_early_solved_puzzle_counts_when_solved_again_on_its_date(party: Party) -> None:
    on_its_date = timedelta(days=RESERVED_DAYS_AHEAD.days + 9)
    puzzle = puzzle_on(NOON.date() + on_its_date)
    await solve(party, "anna", puzzle)
    attempt = await load_attempt(party, puzzle)
    assert await party.store.puzzles.list_solved_days(attempt.person) == []
    party.clock.now = NOON + on_its_date
    reply = await party.say("anna", "/puzzle")
    assert "solved at once" in words(reply)
    reply = await solve_again(party, "anna", reply, puzzle)
    assert "first day of a streak" in words(reply)
    assert [each.mark for each in await party.store.puzzles.list_solved_days(attempt.person)] == ["clean"]
    assert (await party.store.puzzles.list_ratings(attempt.person))[""].tries == 1
    # A solve after the solution was shown counts for no day.
    party.clock.turn(days=1)
    given_up = puzzle_on(party.clock.now.date())
    reply = await solve_again(party, "bruno", await give_up(party, "bruno", given_up), given_up)
    assert "streak" not in words(reply)
    assert await party.store.puzzles.list_solved_days(await party.id_of("bruno")) == []


async def test_daily_puzzle_opens_when_its_date_begins_anywhere(party: Party) -> None:
    async def open_it(days: int) -> str:
        return words(await party.press("anna", open_puzzle_press(puzzle_on(NOON.date() + timedelta(days=days)).id)))

    # At noon in Greenwich it is two at night on Kiritimati.
    assert "seen by you alone" in await open_it(1)
    party.clock.now = NOON - timedelta(hours=2, minutes=1)
    for days in (2, 30, RESERVED_DAYS_AHEAD.days):
        assert "nobody can open it before" in await open_it(days)
    assert "the puzzle of Nov 26, 2026" in await open_it(2)
    party.languages["anna"] = "it"
    assert "il problema del 26 nov 2026" in await open_it(2)
    (attempt,) = await party.store.puzzles.list_attempts(await party.id_of("anna"))
    assert attempt.puzzle == puzzle_on(NOON.date() + timedelta(days=1)).id


@pytest.mark.parametrize(
    ("days", "result", "marks"),
    [
        (1, "given-up", []),
        (1, "solved", []),
        (RESERVED_DAYS_AHEAD.days + 2, "given-up", []),
        (99, "solved", ["errors"]),
    ],
)
async def test_early_attempts_improve_no_daily_result(party: Party, days: int, result: str, marks: list[str]) -> None:
    puzzle, then = puzzle_on(NOON.date()), NOON - timedelta(days=days)
    await party.say("anna", "/help")
    who, room = await party.id_of("anna"), await party.store.places.get_or_create("web", "room")
    begun = await party.store.puzzles.begin_attempt(
        who, puzzle.id, puzzle.game, puzzle.motif, then, room.id, counts=True
    )
    tried = replace(begun, result=result, wrong=1, tried_at=then, ended_at=then, rated=True)
    await party.store.puzzles.update_attempt(tried, then)
    reply = await solve(party, "anna", puzzle)
    assert ("this time it does not count" in words(reply)) is not bool(marks)
    assert ("streak" in words(reply)) is bool(marks)
    assert [each.mark for each in await party.store.puzzles.list_solved_days(who)] == marks
    shared = words(await party.press("anna", way(reply, "share")))
    assert ("☆ solved after errors" if result == "solved" else "✕ not solved") in shared


def test_two_dates_of_a_month_are_forgiven() -> None:
    first = date(2026, 11, 1)

    def after(*numbers: int, today: int) -> Streak:
        return count_streak([first + timedelta(days=number) for number in numbers], first + timedelta(days=today))

    assert after(0, 1, 2, 4, 6, 7, today=7) == Streak(6, 6)
    assert (after(0, 1, 2, 4, 6, 8, today=9), after(0, today=3)) == (Streak(1, 5), Streak(1, 1))
    assert after(0, today=4) == Streak(0, 1)
    # The last two of November and the first two of December.
    assert (after(27, 32, today=33), after(27, 33, today=33)) == (Streak(2, 2), Streak(1, 1))
    assert after(today=1) == Streak()


async def test_the_next_one_is_new_at_ones_level_and_not_that_of_a_day_to_come(party: Party) -> None:
    seen: list[Puzzle] = []
    for _ in range(6):
        reply = await party.say("anna", "/puzzle annuvin")
        assert "Annuvin · puzzle, seen by you alone" in words(reply)
        attempt = present(await party.store.puzzles.get_last_attempt(await party.id_of("anna")))
        seen.append(puzzles_of("annuvin")[attempt.puzzle])
        for text in right(seen[-1]):
            reply = await party.say("anna", f"/move {text}")
        reply = await party.press("anna", button(card(reply), OPEN_PUZZLE))
    assert len({each.id for each in seen}) == 6
    assert seen[-1].difficulty > seen[0].difficulty
    reserved = {puzzle_on(NOON.date() + timedelta(days=day)).id for day in range(-2, RESERVED_DAYS_AHEAD.days + 1)}
    assert not reserved & {each.id for each in seen}
    others = {name for key in WITH_PUZZLES if key != "annuvin" for name in puzzles_of(key)}
    # The game that was tried least comes next.
    assert ("Annuvin" in words(await party.say("anna", "/puzzle next"))) == (others <= reserved)
    assert missing(words(await party.say("anna", "/profile")), "All games: at least", "Annuvin: at least") == []


async def test_the_best_of_a_channel_stand_below_its_leaderboard(party: Party) -> None:
    for day, solvers in ((0, ("anna", "bruno")), (1, ("bruno",))):
        party.clock.now = NOON + timedelta(days=day)
        puzzle = puzzle_on(party.clock.now.date())
        for who in solvers:
            await solve(party, who, puzzle)
    party.clock.turn(days=1)
    await solve(party, "cleo", puzzle_on(party.clock.now.date()), place=Place("web", "other", title="Other"))
    board = words(await party.say("anna", "/leaderboard"))
    assert missing(board, "1. Bruno: 2 days, 2 at once", "2. Anna: one day, 1 at once") == []
    assert "Cleo" not in board
    assert "Bruno: 2 days" not in words(await party.say("anna", "/leaderboard where:everywhere"))
    party.clock.turn(days=30)
    assert "Anna: one day" not in words(await party.say("anna", "/leaderboard"))


async def test_processes_know_of_each_others_boards(together: Together) -> None:
    here, there = together.programs
    here.clock.now = NOON
    reply = await here.press("anna", open_puzzle_press(ANNUVIN.id))
    begun = {each.value for each in await there.complete("anna", "move", "move", move="")}
    assert begun
    # Of one press that reaches both, one carries it out.
    press = way(reply, "hint")
    replies = await asyncio.gather(
        *(party.front.press(party.request("anna", event="e"), press) for party in (here, there))
    )
    assert sum("seen by you alone" in words(each) for each in replies) == 2
    assert (await load_attempt(there, ANNUVIN)).hints == 1
    for text in right(ANNUVIN):
        await here.say("anna", f"/move {text}")
    assert (await load_attempt(there, ANNUVIN)).result == "solved"
    assert await there.complete("anna", "move", "move", move="") == []
