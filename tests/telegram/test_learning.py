"""Puzzles, lessons, lines, plans and guesses on Telegram: asked for in groups, seen in one's own chat."""

import pytest

from bot.boards.puzzles.cards import open_button
from bot.boards.puzzles.puzzle import Puzzle, puzzles_of
from bot.boards.puzzles.solving import find_solution
from bot.kernel.cards import Card
from bot.kernel.requests import Place
from bot.kernel.texts import Span
from storage.columns import UNKNOWN_TIME
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.world import Message
from tests.support.program import TEXTS
from tests.telegram.harness import Scene


def a_puzzle() -> Puzzle:
    return next(each for each in puzzles_of("annuvin").values() if len(find_solution(each)) == 1)


async def offered(scene: Scene, puzzle: Puzzle) -> Message:
    """Return a message in the group that offers a puzzle."""
    place = Place("telegram", str(scene.group.id), title="Friends")
    button = open_button(TEXTS.speaker("en"), puzzle.id)
    await scene.bot.connection.adapter.send(place, Card((Span("Today"),), rows=((button,),)), "puzzle")
    return scene.shown[-1]


async def test_puzzle_without_a_private_chat_opens_through_a_start_link(scene: Scene) -> None:
    anna, puzzle = scene.person("Anna"), a_puzzle()
    tap = await scene.tap(anna, await offered(scene, puzzle), "Try it")
    scene.telegram.refused.clear()  # nobody can be written to who has never been there
    assert tap.url == f"https://t.me/tavoliere_bot?start=puzzle-{puzzle.id}"
    shown = len(scene.shown)
    board = await scene.say_alone(anna, f"/start puzzle-{puzzle.id}")
    assert scene.private(anna) == [board]
    assert "seen by you alone" in board.text
    assert "Hint" in board.labels
    assert len(scene.shown) == shown
    # It was opened from the group, so it counts there.
    assert "solved at once" in (await scene.say_alone(anna, " ".join(find_solution(puzzle)[0]))).text
    place = await scene.bot.store.places.get_or_create("telegram", str(scene.group.id))
    assert (await scene.bot.store.puzzles.get_solved_summary(puzzle.id, place.id, UNKNOWN_TIME)).newest[
        0
    ].name == "Anna"


async def test_only_the_newest_message_of_a_puzzle_can_be_played_on(scene: Scene, anna: Person) -> None:
    first = await scene.say_alone(anna, "/puzzle")
    assert "Hint" in first.labels
    second = await scene.say_alone(anna, "/puzzle")
    assert second is not first
    assert (first.labels, "Hint" in second.labels) == ([], True)
    # Another puzzle beside it stays another board.
    other = await scene.say_alone(anna, f"/start puzzle-{a_puzzle().id}")
    assert ("Hint" in second.labels, "Hint" in other.labels) == (True, True)


async def test_without_a_private_chat_a_lesson_stays_in_the_group_for_its_learner_alone(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.say(anna, "/learn annuvin")
    lesson = scene.shown[-1]
    assert "step 1 of 8" in lesson.text
    assert scene.bot.connection.ephemeral.owner(lesson.chat.id, lesson.id) == anna.id
    assert (await scene.tap(bruno, lesson, "d2")).alert
    await scene.tap(anna, lesson, "d2")
    assert "d3" in lesson.labels
    scene.telegram.refused.clear()


@pytest.mark.parametrize("newcomers", [True])
async def test_joining_a_new_game_suggests_a_lesson(scene: Scene, newcomers: bool) -> None:
    assert newcomers
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.say(anna, "/play annuvin")
    lobby: Message = scene.board
    tap = await scene.tap(bruno, lobby, "Join")
    assert "/learn annuvin" in (tap.text or "")
    assert not tap.alert
