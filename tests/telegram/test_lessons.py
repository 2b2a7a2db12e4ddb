"""Lessons on Telegram: in the learner's own chat where there is one, by taps that redraw the board."""

from __future__ import annotations

import pytest

from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene


async def test_a_lesson_asked_for_in_a_group_comes_to_the_private_chat(scene: Scene) -> None:
    anna = scene.person("Anna")
    chat = scene.alone(anna).here
    asked = await scene.say(anna, "/learn annuvin")
    (lesson,) = scene.telegram.shown(chat)
    assert "step 1 of 8" in lesson.text
    assert lesson.photo
    assert asked.reaction is not None
    assert scene.shown == []
    await scene.tap(scene.alone(anna), lesson, "d2")
    assert {"d3", "Back"} <= set(lesson.labels)
    edits = lesson.edits
    await scene.tap(scene.alone(anna), lesson, "d3")
    assert "That is all there is to a move" in lesson.text
    assert lesson.edits == edits + 1
    await scene.tap(scene.alone(anna), lesson, "Go on")
    assert "step 2 of 8" in lesson.text
    await scene.say(scene.alone(anna), "e3xe4")
    newest = scene.telegram.shown(chat)[-1]
    assert newest is not lesson
    assert "step 3 of 8" in newest.text


async def test_without_a_private_chat_it_stays_in_the_group_for_its_learner_alone(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.say(anna, "/learn annuvin")
    lesson = scene.shown[-1]
    assert "step 1 of 8" in lesson.text
    assert scene.bot.connection.ephemeral.owner(lesson.chat.id, lesson.id) == anna.id
    tap = await scene.tap(bruno, lesson, "d2")
    assert tap.alert
    await scene.tap(anna, lesson, "d2")
    assert "d3" in lesson.labels
    scene.telegram.refused.clear()


@pytest.mark.parametrize("newcomers", [True])
async def test_joining_a_new_game_suggests_its_lesson(scene: Scene, newcomers: bool) -> None:
    assert newcomers
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.say(anna, "/play annuvin")
    lobby: Message = scene.board
    tap = await scene.tap(bruno, lobby, "Join")
    assert "/learn annuvin" in (tap.text or "")
    assert not tap.alert
