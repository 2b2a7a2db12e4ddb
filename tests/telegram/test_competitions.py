"""A competition on Telegram: entered by buttons, its boards in private chats where the bot may write to, else here."""

from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene


async def settled(scene: Scene) -> None:
    for _ in range(3):
        await scene.bot.tavoliere.jobs["cups"].run_until_idle()
        await scene.finish()


def shown(scene: Scene, beginning: str) -> Message:
    return next(message for message in scene.shown if beginning in (message.text or ""))


async def test_people_enter_by_buttons_and_boards_come_to_their_own_chats(scene: Scene) -> None:
    anna, bruno, cora = (scene.person(name) for name in ("Anna", "Bruno", "Cora"))
    for person in (anna, bruno, cora):
        await scene.say(scene.alone(person), "/games")
    await scene.say(anna, "/cup annuvin clock:1d players:3")
    await settled(scene)
    message = shown(scene, "Competition:")
    for person in (anna, bruno, cora):
        assert "You are in" in ((await scene.tap(person, message, "Join")).text or "")
        await settled(scene)
    assert any("Round 1" in (each.text or "") for each in scene.shown)
    boards = [each for person in (anna, bruno, cora) for each in scene.private(person) if each.photo is not None]
    assert len(boards) == 2
