"""Puzzles on Discord: where the bot is no member, too."""

from tests.discord.harness import Scene


async def test_it_works_where_the_bot_is_no_member(scene: Scene) -> None:
    foreign = scene.discord.guild("Elsewhere", has_bot=False)
    anna = scene.person("Anna", here=foreign.channels[0])
    await scene.command(anna, "puzzle", game="annuvin")
    (board,) = anna.private
    await scene.press(anna, board, "Hint")
    assert "It begins on" in board.text or "Look at the cells" in board.text
    await scene.press(anna, board, "Solution")
    await scene.press(anna, board, "Yes, show it")
    assert "not solved" in board.text
    await scene.press(anna, board, "Next puzzle")
    assert "Hint" in board.labels or "Hint" in anna.private[-1].labels
