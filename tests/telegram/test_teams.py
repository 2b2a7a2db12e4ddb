"""Teams on Telegram: who has left has no vote, and who is named is asked on the board."""

from typing import Any

from tests.fakes.telegram.people import Person
from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene


async def until_shown(scene: Scene, words: str) -> Message:
    """Let time pass until a message of the group has these words, in its text or on a button; return the newest."""

    def find() -> list[Message]:
        return [each for each in scene.shown if words in each.text or words in each.labels]

    return (await scene.bot.until(find, words))[-1]


async def test_former_group_member_cannot_vote_in_private(scene: Scene, anna: Person, bruno: Person) -> None:
    await scene.say(bruno, "/help")
    await scene.say(anna, "/team annuvin computer 1 time:1h")
    board = await until_shown(scene, "Propose a turn")
    (code,) = await scene.bot.store.teams.running_in(1)
    first, second, *_ = (await scene.bot.tavoliere.context.table(code)).playing.state.legal_actions()
    scene.alone(bruno)
    await scene.tap(bruno, board, "Propose a turn")
    assert "Proposed as A" in (await scene.say_alone(bruno, f"/move {first.text} game:{code}")).text
    # Who was a member within the last minute may look, but votes no more.
    refusals: list[tuple[Any, str]] = [("kicked", "another group"), ("left", "not in that group any more")]
    for status, words in refusals:
        scene.group.status[bruno.id] = status
        said = await scene.say_alone(bruno, f"/move {second.text} game:{code}")
        assert words in said.text
        assert first.text not in said.text
    assert len(await scene.bot.store.teams.proposals(code)) == 1
