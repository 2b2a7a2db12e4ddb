"""Hints on Telegram: in the requester's own chat, never before the eyes of a group."""

import pytest

from bot.kernel.advice import hint_search
from tests.bot.computers import Thoughts
from tests.fakes.telegram.world import Message
from tests.telegram.harness import Scene


@pytest.fixture(autouse=True)
def thoughts(scene: Scene) -> Thoughts:
    """Have searches be short, or end when a test lets them."""
    thoughts = Thoughts()
    scene.bot.tavoliere.context.advice.thinkers = thoughts
    return thoughts


async def test_a_hint_comes_to_the_private_chat_by_a_press_or_a_command_of_the_group(scene: Scene) -> None:
    mover, _ = await scene.started("/play annuvin rated:no", "Bruno")
    scene.alone(mover)
    await scene.tap(mover, scene.board, "More")
    assert "private chat" in ((await scene.tap(mover, scene.shown[-1], "Hint")).text or "")
    assert "good move" in scene.private(mover)[-1].text
    before = len(scene.shown)
    asked = await scene.say(mover, "/hint")
    hint = scene.private(mover)[-1]
    assert "is a good move here. It " in hint.text
    assert hint.photo
    # In the group nothing needs to be said.
    assert asked.reaction is not None
    assert len(scene.shown) == before
    assert not [message for message in scene.shown if "good move" in message.text]
    await scene.tap(scene.alone(mover), hint, "Play it")
    assert scene.mover.id != mover.id


async def test_without_a_private_chat_a_hint_is_withheld_and_a_press_for_it_opens_one(scene: Scene) -> None:
    mover, _ = await scene.started("/play annuvin rated:no", "Bruno")
    await scene.say(mover, "/hint")
    assert not [message for message in scene.shown if "good move" in message.text]
    assert "Open a private chat with me" in scene.shown[-1].text
    assert scene.shown[-1].marked.links == [f"https://t.me/{scene.telegram.bot.username}?start=help"]
    await scene.tap(mover, scene.board, "More")
    before = len(scene.shown)
    opened = await scene.tap(mover, scene.shown[-1], "Hint")
    assert len(scene.shown) == before
    scene.telegram.refused.clear()
    # What the link brings is the hint itself.
    hint = await scene.say_alone(mover, f"/start {(opened.url or '').partition('?start=')[2]}")
    assert "is a good move here. It " in hint.text


async def wait_for_hint(scene: Scene, thoughts: Thoughts) -> Message:
    """Have the player to move ask for a hint that takes long; return the message that says so."""
    mover = scene.mover
    scene.alone(mover)
    thoughts.may_end.clear()
    await scene.say(mover, "/hint")
    waiting = scene.private(mover)[-1]
    assert "The computer is thinking" in waiting.text
    return waiting


async def test_search_result_replaces_its_waiting_message(scene: Scene, thoughts: Thoughts) -> None:
    advice = scene.bot.tavoliere.context.advice
    advice.timeout_seconds = 0
    mover, _ = await scene.started("/play annuvin rated:no", "Bruno")
    waiting = await wait_for_hint(scene, thoughts)
    thoughts.may_end.set()
    await scene.telegram.until(lambda: "is a good move here. It " in waiting.text, "the hint")
    assert waiting.photo
    assert scene.private(mover)[-1] is waiting
    # In a game that has moved on nothing is suggested any more.
    await scene.play(mover, scene.board)
    waiting = await wait_for_hint(scene, thoughts)
    await scene.play(scene.mover, scene.board)
    thoughts.may_end.set()
    await advice.wait(hint_search((await scene.bot.store.games.list_for_person(1))[0].id))
    await scene.bot.settle()
    assert "The computer is thinking" in waiting.text


async def test_an_analysis_for_one_person_in_a_group_comes_by_itself(scene: Scene, thoughts: Thoughts) -> None:
    mover, _ = await scene.started("/play annuvin rated:no", "Bruno")
    await scene.play(mover, scene.board)
    await scene.say(mover, "/resign")
    await scene.tap(mover, scene.shown[-1], "Yes, resign")
    scene.bot.tavoliere.context.advice.timeout_seconds = 0
    thoughts.may_end.clear()
    await scene.say(mover, "/analyse")
    waiting = scene.shown[-1]
    assert "so far" in waiting.text
    thoughts.may_end.set()
    await scene.telegram.until(lambda: "How the chances went" in waiting.text, "the analysis")
    assert waiting.photo
