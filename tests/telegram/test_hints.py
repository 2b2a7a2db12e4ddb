"""Hints on Telegram: in the asker's own chat, never before the eyes of a group."""

from __future__ import annotations

import pytest

from tests.bot.test_hints import Thoughts
from tests.telegram.harness import Scene


@pytest.fixture(autouse=True)
def quick(scene: Scene) -> None:
    """Have searches be short."""
    scene.bot.tavoliere.context.advice.thinkers = Thoughts()


async def test_a_hint_asked_for_in_a_group_comes_to_the_private_chat(scene: Scene) -> None:
    mover, _ = await scene.started("/play annuvin rated:no", "Bruno")
    chat = scene.alone(mover).here
    before = len(scene.shown)
    asked = await scene.say(mover, "/hint")
    hint = scene.telegram.shown(chat)[-1]
    assert "is a good move here. It " in hint.text
    assert hint.photo
    # In the group nothing needs to be said.
    assert asked.reaction is not None
    assert len(scene.shown) == before
    await scene.tap(scene.alone(mover), hint, "Play it")
    assert scene.mover.id != mover.id


async def test_without_a_private_chat_nobody_sees_it(scene: Scene) -> None:
    mover, _ = await scene.started("/play annuvin rated:no", "Bruno")
    await scene.say(mover, "/hint")
    assert not [message for message in scene.shown if "good move" in message.text]
    assert "Open a private chat with me" in scene.shown[-1].text
    scene.telegram.refused.clear()


async def test_a_press_for_a_hint_is_answered_in_private_too(scene: Scene) -> None:
    mover, _ = await scene.started("/play annuvin rated:no", "Bruno")
    chat = scene.alone(mover).here
    await scene.tap(mover, scene.board, "More")
    tap = await scene.tap(mover, scene.shown[-1], "Hint")
    assert "private chat" in (tap.text or "")
    assert "good move" in scene.telegram.shown(chat)[-1].text
    assert not [message for message in scene.shown if "good move" in message.text]
