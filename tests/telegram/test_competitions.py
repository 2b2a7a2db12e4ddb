"""A competition on Telegram: entered by buttons, its boards in private chats where the bot may write to, else here."""

from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene


async def until_said(scene: Scene, words: str) -> Message:
    """Let time pass until something is shown in the group that has these words, and return it."""
    found = await scene.bot.until(lambda: [each for each in scene.shown if words in each.text], words)
    return found[-1]


async def test_people_enter_by_buttons_and_boards_come_to_their_own_chats(scene: Scene) -> None:
    people = [scene.person(name) for name in ("Anna", "Bruno", "Cora")]
    for person in people:
        await scene.say_alone(person, "/games")
    await scene.say(people[0], "/cup annuvin clock:1d players:3")
    message = await until_said(scene, "Competition:")
    for person in people:
        assert "You are in" in ((await scene.tap(person, message, "Join")).text or "")
    await until_said(scene, "Round 1")
    boards = [each for person in people for each in scene.private(person) if each.photo is not None]
    assert len(boards) == 2
