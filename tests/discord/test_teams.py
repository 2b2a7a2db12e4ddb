"""A channel on Discord plays as one: proposals in ephemeral messages, votes by buttons below the board."""

from __future__ import annotations

from tests.discord.harness import Scene


async def counted(scene: Scene) -> None:
    """Let votes be shown, a round be closed, and the computer answer."""
    scene.bot.clock.turn(seconds=6)
    await scene.bot.tavoliere.jobs["teams"].run_until_idle()
    await scene.bot.tavoliere.jobs["computers"].run_until_idle()
    await scene.bot.settle()


async def test_a_channel_proposes_unseen_and_votes_below_the_board(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(bruno, "help")
    await scene.command(anna, "team", game="annuvin", computer="1", quorum=2)
    await counted(scene)
    board = scene.board
    assert "#games" in board.text
    assert "votes on its turn" in board.text
    shown = len(scene.shown)
    await scene.press(bruno, board, "Propose a turn")
    tried = bruno.private[-1]
    assert "Only you see this board" in tried.text
    while "Propose this turn" not in tried.labels:
        await scene.press(bruno, tried, next(each for each in tried.labels if each.startswith(("1 · ", "2 · "))))
        tried = bruno.private[-1]
    await scene.press(bruno, tried, "Propose this turn")
    assert "Proposed as **A**" in bruno.private[-1].text
    assert len(scene.shown) == shown
    await counted(scene)
    await scene.press(anna, scene.board, "Vote A")
    assert "Your vote is for **A**" in anna.private[-1].text
    await counted(scene)
    assert "2 of 2 votes" in scene.board.text
