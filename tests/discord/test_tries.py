"""Trying lines out on Discord: one ephemeral message that changes, described as tried; plans that nobody else reads."""

from __future__ import annotations

from tests.discord.harness import Scene


async def test_lines_and_plans_are_private(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account)
    await scene.press(bruno, scene.board, "Accept")
    (game,) = await scene.bot.store.games.list_for_person(1)
    waits = anna if game.to_move != 1 else bruno
    shown = len(scene.shown)
    await scene.press(waits, scene.board, "More")
    await scene.press(waits, waits.private[-1], "Try it out")
    tried = waits.private[-1]
    assert "seen by you alone" in tried.text
    await scene.press(waits, tried, "1 · b1")
    await scene.press(waits, tried, "2 · b2")
    await scene.press(waits, tried, "1 · b5")
    await scene.press(waits, tried, "2 · b4")
    assert "Tried: **b1-b2** · **b5-b4**" in tried.text
    assert tried.alt is not None
    assert tried.alt.startswith("Only tried, not played.")
    await scene.press(waits, tried, "Make it a plan")
    assert "nobody knows of it" in tried.text
    assert len(scene.shown) == shown
    await scene.press(waits, tried, "Take the plan back")
    assert "not planned any more" in tried.text
