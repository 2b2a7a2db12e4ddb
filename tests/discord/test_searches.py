"""Searches on Discord: what is found takes the place of the words that tell of the search, and nobody presses again."""

import asyncio

import pytest

from bot.kernel.advice import analysis_search
from tests.bot.computers import Thoughts
from tests.discord.harness import Scene, acknowledge_first
from tests.fakes.discord.people import Person


@pytest.fixture
def thoughts(scene: Scene) -> Thoughts:
    """Searches that end when the test lets them, of which the requester is told at once."""
    thoughts = Thoughts()
    advice = scene.bot.tavoliere.context.advice
    advice.thinkers, advice.timeout_seconds = thoughts, 0
    return thoughts


@pytest.mark.parametrize("is_late", [False, True])
async def test_search_result_comes_by_itself(
    scene: Scene, bruno: Person, thoughts: Thoughts, is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_late:
        acknowledge_first(monkeypatch)
    mover, _ = await scene.started(rated="no")
    # Asked for by a command, by a button below the board, and by one in a private answer.
    thoughts.may_end.clear()
    await scene.command(mover, "hint")
    waiting = mover.newest_private
    assert "The computer is thinking" in waiting.text
    thoughts.may_end.set()
    await scene.discord.until(lambda: "is a good move here. It " in waiting.text, "the hint")
    assert waiting.alt is not None
    await scene.press(mover, waiting, "Play it")
    await scene.press(scene.mover, scene.board, "More")
    mover = scene.mover
    waiting = mover.newest_private
    thoughts.may_end.clear()
    await scene.press(mover, waiting, "Hint")
    waiting = mover.newest_private
    assert "The computer is thinking" in waiting.text
    thoughts.may_end.set()
    await scene.discord.until(lambda: "is a good move here. It " in waiting.text, "the hint below the board")
    # What goes on when the program ends is looked at again by its button.
    thoughts.may_end.clear()
    await scene.command(mover, "resign")
    await scene.press(mover, mover.newest_private, "Yes, resign")
    await scene.press(bruno, scene.board, "Analyse")
    waiting = bruno.newest_private
    assert "so far" in waiting.text
    await scene.bot.restart()
    await scene.press(bruno, waiting, "Look again")
    await scene.discord.until(lambda: "How the chances went" in waiting.text, "the analysis")


async def test_nothing_is_shown_where_another_answer_has_taken_the_place(
    scene: Scene, anna: Person, bruno: Person, thoughts: Thoughts
) -> None:
    await scene.started(rated="no")
    (game,) = await scene.bot.store.games.list_for_person(1)
    thoughts.may_end.clear()
    await scene.command(anna, "resign")
    await scene.press(anna, anna.newest_private, "Yes, resign")
    await scene.press(bruno, scene.board, "Analyse")
    waiting = bruno.newest_private
    assert "so far" in waiting.text
    await scene.press(bruno, scene.board, "Share")
    assert waiting.deleted
    following = [task for task in asyncio.all_tasks() if task.get_name() == f"search {analysis_search(game.id)}"]
    thoughts.may_end.set()
    await asyncio.gather(*following)
    await scene.bot.settle()
    assert "How the chances went" not in bruno.newest_private.text
    # Discord was asked for nothing that it refuses.
    assert scene.discord.refused == []
