"""A competition on Discord: entered by buttons, its games in threads of their own."""

from tests.discord.harness import Scene
from tests.fakes.discord.world import Message


async def settled(scene: Scene) -> None:
    await scene.bot.settle()
    await scene.bot.tavoliere.jobs["cups"].run_until_idle()
    await scene.bot.settle()


def shown(scene: Scene, beginning: str) -> Message:
    return next(message for message in scene.shown if beginning in message.text)


async def test_people_enter_by_buttons_and_each_game_has_its_thread(scene: Scene) -> None:
    anna, bruno, cora = (scene.person(name) for name in ("Anna", "Bruno", "Cora"))
    await scene.command(anna, "cup", game="annuvin", clock="1d", players=3)
    await settled(scene)
    message = shown(scene, "Competition:")
    assert {"Join", "Table", "Run it"} <= set(message.labels)
    for person in (anna, bruno, cora):
        await scene.press(person, message, "Join")
        assert "You are in" in person.newest_private.text
        await settled(scene)
    assert "Join" not in message.labels
    assert "Round 1" in message.text
    assert message.pings == ()
    (game,) = [each for each in scene.shown if each.thread is not None]
    assert game.thread is not None
    assert game.thread.name.startswith("Annuvin: ")
    (board,) = scene.discord.shown(game.thread)
    assert len(board.pings) == 1
    await scene.press(bruno, message, "Run it")
    assert "Only the person who made it" in bruno.newest_private.text
    mover = scene.by(board.pings[0])
    mover.here = game.thread
    await scene.command(mover, "resign")
    await scene.press(mover, mover.newest_private, "Yes, resign")
    await settled(scene)
    assert "Round 2" in message.text
    assert message.pictures or "1 point" in message.text
