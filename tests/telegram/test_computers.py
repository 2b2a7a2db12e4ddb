"""Games against the computer on Telegram, by taps and by typed words."""

import pytest

from tests.bot.party import Quick
from tests.fakes.telegram.people import Person
from tests.telegram.harness import Scene


@pytest.fixture(autouse=True)
def quick(scene: Scene) -> None:
    """Have computers think little."""
    scene.bot.tavoliere.context.thinkers = Quick()


async def to_move(scene: Scene, of: str) -> None:
    """Wait until the newest board calls somebody."""
    await scene.bot.until(lambda: scene.board.marked.called == [scene.people[of].id], "the computer's turn")


async def test_a_game_against_the_computer_by_taps(scene: Scene, anna: Person) -> None:
    await scene.say(anna, "/play annuvin computer:1 board:square")
    await to_move(scene, "Anna")
    assert "Computer (level 1)" in scene.board.text
    for _ in range(2):
        before = scene.board
        while scene.board is before and before.marked.called:
            await scene.play(anna, before)
            if not before.labels:
                break
        await to_move(scene, "Anna")
        assert scene.board is not before
        assert "Computer (level 1) played" in scene.board.text
