"""Lessons on Discord: where the bot is no member, too."""

from tests.discord.harness import Scene


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
