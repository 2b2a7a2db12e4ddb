"""A competition on Discord: entered by buttons, its games in threads of their own."""

from tests.discord.harness import Scene
from tests.support.present import present


async def settled(scene: Scene) -> None:
    await scene.bot.settle()
    await scene.bot.tavoliere.jobs["cups"].run_until_idle()
    await scene.bot.settle()


async def test_people_enter_by_buttons_and_each_game_has_its_thread(scene: Scene) -> None:
    anna, bruno, cora = (scene.person(name) for name in ("Anna", "Bruno", "Cora"))
    await scene.command(anna, "cup", game="annuvin", clock="1d", players=3)
    await settled(scene)
    message = next(message for message in scene.shown if "Competition:" in message.text)
    assert {"Join", "Table", "Run it"} <= set(message.labels)
    for person in (anna, bruno, cora):
        await scene.press(person, message, "Join")
        assert "You are in" in person.newest_private.text
        await settled(scene)
    assert "Join" not in message.labels
    assert "Round 1" in message.text
    assert message.pings == ()
    (game,) = [each for each in scene.shown if each.thread is not None]
    thread = present(game.thread)
    assert thread.name.startswith("Annuvin: ")
    (board,) = scene.discord.shown(thread)
    (mover,) = (scene.by(each) for each in board.pings)
    mover.here = thread
    await scene.command(mover, "resign")
    await scene.press(mover, mover.newest_private, "Yes, resign")
    await settled(scene)
    assert "Round 2" in message.text
    assert message.pictures or "1 point" in message.text
