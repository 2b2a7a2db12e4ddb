"""Trying lines out on Telegram: typed, and plans that a group does not see."""

from tests.fakes.telegram.people import Person
from tests.telegram.harness import Scene


async def test_lines_are_typed_where_they_are_tried_and_not_shown_in_the_group(scene: Scene) -> None:
    mover, waits = await scene.started()
    alone = scene.alone(waits)
    (game,) = await scene.bot.store.games.list_for_person(1)
    await scene.say(alone, f"/try {game.id} b1-b2")
    tried = scene.telegram.shown(alone.here)[-1]
    await scene.say(alone, "b5-b4", answering=tried)
    assert "b1-b2 · b5-b4" in scene.telegram.shown(alone.here)[-1].text
    await scene.say(waits, f"/try {game.id} c1-c2")
    assert "c1-c2" not in "".join(each.text for each in scene.shown)
    assert scene.mover is mover


async def test_plans_are_hidden_in_groups(scene: Scene, anna: Person, bruno: Person) -> None:
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
