"""Lessons on Telegram: for those who have no chat with the bot, and what newcomers are told."""

import pytest

from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene


async def test_without_a_private_chat_it_stays_in_the_group_for_its_learner_alone(scene: Scene) -> None:
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
