"""The day's puzzle on Discord: for those who manage the server, in one message that calls nobody."""

from __future__ import annotations

from tests.discord.harness import Scene


async def test_those_who_manage_the_server_have_it_come_and_it_calls_nobody(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(bruno, "puzzle", daily="on")
    assert "Only those who manage" in bruno.told.text
    assert scene.shown == []
    scene.guild.managers.add(anna.account)
    await scene.command(anna, "settings", timezone="Europe/Rome", **{"for": "channel"})
    await scene.command(anna, "puzzle", daily="on", hour=13)
    assert "13:00" in anna.told.text
    assert "Europe/Rome" in anna.told.text
    (message,) = scene.shown
    assert message.pings == ()
    assert "Saturday 21 November" in message.text
    assert message.labels == ["Try it"]
    scene.bot.clock.turn(hours=23, minutes=59)
    await scene.bot.settle()
    assert len(scene.shown) == 1
    scene.bot.clock.turn(minutes=1)
    await scene.bot.settle()
    assert len(scene.shown) == 2
    scene.bot.clock.turn(seconds=10)
    await scene.bot.settle()
    assert "Solution" in scene.shown[0].text
    assert scene.shown[0].labels == []
    assert [picture for picture, _ in scene.shown[0].pictures], "the picture is still there"


async def test_after_a_restart_it_is_the_same_message(scene: Scene) -> None:
    anna = scene.person("Anna")
    scene.guild.managers.add(anna.account)
    await scene.command(anna, "puzzle", daily="on")
    await scene.bot.restart()
    await scene.bot.settle()
    assert len(scene.shown) == 1


async def test_from_the_message_to_the_first_question_it_is_one_press(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    scene.guild.managers.add(anna.account)
    await scene.command(anna, "puzzle", daily="on")
    await scene.press(bruno, scene.shown[0], "Try it")
    assert bruno.told.private
    assert len(bruno.told.pressable) > 3
    assert len(scene.shown) == 1
