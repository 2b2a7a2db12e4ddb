"""Lessons, puzzles and lines that are tried out: seen by one person alone, from the first card to the last."""

from bot.boards.puzzles.cards import open_button
from bot.boards.puzzles.puzzle import puzzles_of
from bot.boards.puzzles.solving import find_solution
from bot.kernel.cards import Card
from bot.kernel.texts import Span
from storage.columns import UNKNOWN_TIME
from tests.platforms.room import Room, press_cell, start_annuvin
from tests.support.program import TEXTS


async def test_a_lesson_is_one_private_message_that_changes(room: Room) -> None:
    anna = room.member("Anna")
    await room.give(anna, "learn", game="annuvin")
    (lesson,) = room.private(anna)
    assert "step 1 of 8" in lesson.text
    assert room.picture(lesson)
    await press_cell(room, anna, lesson, "d2")
    await press_cell(room, anna, lesson, "d3")
    assert "That is all there is to a move" in lesson.text
    await room.press(anna, lesson, "Go on")
    assert "step 2 of 8" in lesson.text
    await room.press(anna, lesson, "Suggestion")
    assert "e3xe4" in lesson.text
    assert room.private(anna) == [lesson]
    assert room.shown == []


async def test_a_puzzle_that_all_see_is_opened_and_solved_privately(room: Room) -> None:
    anna, bruno = room.member("Anna"), room.member("Bruno")
    puzzle = next(each for each in puzzles_of("annuvin").values() if len(find_solution(each)) == 1)
    button = open_button(TEXTS.speaker("en"), puzzle.id)
    card = Card((Span("Today"),), rows=((button,),))
    await room.bot.connection.adapter.send(room.place, card, "puzzle")
    (offered,) = room.shown
    await room.press(anna, offered, "Try it")
    (board,) = room.private(anna)
    assert "seen by you alone" in board.text
    assert room.picture(board)
    await room.press(bruno, offered, "Try it")
    ((turn,),) = find_solution(puzzle)
    for cell in turn.replace("x", "-").split("-"):
        await press_cell(room, anna, board, cell)
    assert "solved at once" in board.text
    assert (room.private(anna), room.shown) == ([board], [offered])
    row = await room.bot.store.places.get_or_create(room.place.platform, room.place.channel)
    summary = await room.bot.store.puzzles.get_solved_summary(puzzle.id, row.id, UNKNOWN_TIME)
    assert ([each.name for each in summary.newest], summary.tried) == (["Anna"], 1)
    await room.press(anna, board, "Share")
    assert "Tavoliere puzzle · Annuvin · ★ solved at once" in board.text


async def test_lines_and_plans_are_tried_in_private_and_never_played(room: Room) -> None:
    mover, waits = await start_annuvin(room)
    shown = [(each.text, each.labels) for each in room.shown]
    await room.press(waits, room.board, "More")
    await room.press(waits, room.private(waits)[-1], "Try it out")
    tried = room.private(waits)[-1]
    assert "seen by you alone" in tried.text
    for cell in ("b1", "b2", "b5", "b4"):
        await press_cell(room, waits, tried, cell)
    assert "Tried: b1-b2 · b5-b4" in tried.text.replace("**", "")
    await room.press(waits, tried, "Make it a plan")
    assert "nobody knows of it" in tried.text
    await room.give(waits, "games")
    await room.give(room.alone(waits), "games")
    assert "planned: if b1-b2" in room.last_answer(waits)
    assert [(each.text, each.labels) for each in room.shown] == shown
    await room.press(waits, tried, "Take the plan back")
    assert "not planned any more" in tried.text
    assert room.mover is mover
