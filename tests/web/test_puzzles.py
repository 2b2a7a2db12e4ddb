"""Puzzles on the page: a private message that goes on by presses and by typing, and the room's own counts."""

from datetime import timedelta

from bot.puzzles.calendar import puzzle_on
from bot.puzzles.cards import open_puzzle_press
from bot.puzzles.puzzle import puzzles_of
from bot.puzzles.solving import find_solution
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
    for text in find_solution(puzzles_of("annuvin")[attempt.puzzle]).turns[::2]:
        assert (await anna.say(" ".join(text))).data == {"played": True}
    assert "solved with hints" in await read_status(anna)
    assert len(await eve.sees()) == before
    summary = await hall.store.puzzles.get_solved_summary(attempt.puzzle, (await hall.place()).id)
    assert [(each.name, each.mark) for each in summary.newest] == [("Anna", "hinted")]
    assert (await hall.game()).turn == 0


async def test_a_forged_press_opens_no_puzzle_of_a_day_to_come(hall: Hall) -> None:
    await hall.anna.say("/puzzle annuvin")
    message, _ = await find_newest_button(hall.anna, "zw:")
    coming = puzzle_on(hall.front.context.clock().date() + timedelta(days=5))
    await hall.anna.press(message, open_puzzle_press(coming.id))
    assert "nobody can open it before" in await read_status(hall.anna)
    assert coming.id not in {each.puzzle for each in await hall.store.puzzles.list_attempts(hall.anna.me["person"])}
