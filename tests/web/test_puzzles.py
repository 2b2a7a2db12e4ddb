"""Puzzles on the page: private messages that go on by presses and by typing, the room's counts, and that of the day."""

from datetime import timedelta

from bot.boards.puzzles.cards import open_puzzle_press
from bot.boards.puzzles.puzzle import puzzle_on, puzzles_of
from bot.boards.puzzles.solving import find_solution
from storage.columns import UNKNOWN_TIME
from tests.support.present import present
from tests.web.hall import Hall, find_newest_button, read_status


async def test_puzzle_is_solved_in_a_private_message(hall: Hall) -> None:
    anna, eve = hall.anna, hall.eve
    before, shown = len(await eve.sees()), len(await anna.sees())
    await anna.say("/puzzle annuvin")
    await hall.press_newest(anna, "zw:")
    assert len(await anna.sees()) == shown + 1, "it goes on in its place"
    assert "It begins" in await read_status(anna) or "Look at" in await read_status(anna)
    attempt = present(await hall.store.puzzles.get_last_attempt(anna.me["person"]))
    for text in find_solution(puzzles_of("annuvin")[attempt.puzzle])[::2]:
        assert (await anna.say(" ".join(text))).data == {"played": True}
    assert "solved with hints" in await read_status(anna)
    assert len(await eve.sees()) == before
    summary = await hall.store.puzzles.get_solved_summary(attempt.puzzle, (await hall.place()).id, UNKNOWN_TIME)
    assert [(each.name, each.mark) for each in summary.newest] == [("Anna", "hinted")]
    assert (await hall.game()).turn == 0


async def test_a_forged_press_opens_no_puzzle_of_a_day_to_come(hall: Hall) -> None:
    await hall.anna.say("/puzzle annuvin")
    message, _ = await find_newest_button(hall.anna, "zw:")
    coming = puzzle_on(hall.front.context.clock().date() + timedelta(days=5))
    await hall.anna.press(message, open_puzzle_press(coming.id))
    assert "nobody can open it before" in await read_status(hall.anna)
    assert coming.id not in {each.puzzle for each in await hall.store.puzzles.list_attempts(hall.anna.me["person"])}


async def test_manager_switches_the_daily_puzzle_on_and_everyone_may_try_it(hall: Hall) -> None:
    anna, bruno, eve = hall.anna, hall.bruno, hall.eve
    await bruno.say("/puzzle daily:on")
    assert "Only those who manage this room" in await read_status(bruno)
    await eve.browser.manage(hall.secret())
    await eve.say("/settings timezone:Europe/Rome for:channel")
    await eve.say("/puzzle daily:on hour:0")
    await hall.front.jobs["puzzles"].run_until_idle()
    await hall.settled()
    message, press = await find_newest_button(anna, "puzzle:")
    shown = next(each for each in await anna.sees() if each["id"] == message)
    assert not shown["private"]
    assert shown["card"]["calls"] == []
    before = len(await eve.sees())
    await anna.press(message, press)
    assert await find_newest_button(anna, "z:")
    assert len(await eve.sees()) == before
    await hall.front.jobs["puzzles"].run_until_idle()
    await hall.settled()
    assert len(await eve.sees()) == before, "it has come, and comes no second time"
