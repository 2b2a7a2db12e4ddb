"""Trying lines out on Telegram: in one's own chat, by taps that redraw the board, or by answering it."""

from __future__ import annotations

from tests.telegram.harness import Scene


async def test_lines_are_tried_in_private_and_never_played(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.say(anna, "/play annuvin")
    await scene.tap(bruno, scene.board, "Join")
    here, alone = scene.alone(anna).here, scene.alone(anna)
    await scene.tap(anna, scene.board, "More")
    await scene.tap(anna, scene.shown[-1], "Try it out")
    (tried,) = scene.telegram.shown(here)
    assert tried.photo
    assert "seen by you alone" in tried.text
    await scene.tap(alone, tried, "b1")
    await scene.tap(alone, tried, "b2")
    assert "Tried: b1-b2" in tried.text
    await scene.say(alone, "b5-b4", answering=tried)
    newest = scene.telegram.shown(here)[-1]
    assert "b1-b2 · b5-b4" in newest.text
    (game,) = await scene.bot.store.games.list_for_person(1)
    assert game.turn == 0
    await scene.say(anna, f"/try {game.id} c1-c2")
    assert not [each for each in scene.shown if each.author.id != anna.id and "c1-c2" in each.text]


async def test_plans_are_hidden_in_groups(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.say(anna, "/play annuvin")
    await scene.tap(bruno, scene.board, "Join")
    (game,) = await scene.bot.store.games.list_for_person(1)
    waits = anna if game.to_move != 1 else bruno
    await scene.say(scene.alone(waits), f"/plan #{game.id} if b1-b2 then b5-b4")
    assert "Planned: if b1-b2" in scene.telegram.shown(scene.alone(waits).here)[-1].text
    await scene.say(waits, "/games")
    assert game.id in scene.shown[-1].text
    assert "b1-b2" not in scene.shown[-1].text
    assert "Take the plan back" not in " ".join(scene.shown[-1].labels)
    await scene.say(scene.alone(waits), "/games")
    assert "planned: if b1-b2" in scene.telegram.shown(scene.alone(waits).here)[-1].text
