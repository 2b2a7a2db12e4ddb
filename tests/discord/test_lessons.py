"""Lessons on Discord: ephemeral from the first card to the last, everywhere."""

from __future__ import annotations

from tests.discord.harness import Scene


async def test_a_lesson_is_one_private_message_that_changes(scene: Scene) -> None:
    anna = scene.person("Anna")
    shown = len(scene.shown)
    await scene.command(anna, "learn", game="annuvin")
    (lesson,) = anna.private
    assert "step 1 of 8" in lesson.text
    assert lesson.picture is not None
    await scene.press(anna, lesson, "3 · d2")
    await scene.press(anna, lesson, "2 · d3")
    assert "That is all there is to a move" in lesson.text
    await scene.press(anna, lesson, "Go on")
    assert "step 2 of 8" in lesson.text
    await scene.press(anna, lesson, "Suggestion")
    assert "e3xe4" in lesson.text
    assert anna.private == [lesson]
    assert len(scene.shown) == shown


async def test_it_works_where_the_bot_is_no_member(scene: Scene) -> None:
    foreign = scene.discord.guild("Elsewhere", has_bot=False)
    anna = scene.person("Anna", here=foreign.channels[0])
    await scene.command(anna, "learn", game="fagocitare")
    (lesson,) = anna.private
    assert "step 1 of 8" in lesson.text
    await scene.press(anna, lesson, "Skip this")
    assert "step 2 of 8" in lesson.text
    await scene.command(anna, "move", move="d4")
    assert "step 2 of 8" in anna.private[-1].text
