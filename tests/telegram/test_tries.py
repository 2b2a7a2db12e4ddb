"""Trying lines out on Telegram: typed, and plans and guesses that a group does not see."""

from tests.fakes.telegram.people import Person
from tests.telegram.harness import Scene


async def test_lines_are_typed_where_they_are_tried_and_not_shown_in_the_group(scene: Scene) -> None:
    mover, waits = await scene.started()
    (game,) = await scene.bot.store.games.list_for_person(1)
    tried = await scene.say_alone(waits, f"/try {game.id} b1-b2")
    assert "b1-b2 · b5-b4" in (await scene.say_alone(waits, "b5-b4", answering=tried)).text
    await scene.say(waits, f"/try {game.id} c1-c2")
    assert "c1-c2" not in "".join(each.text for each in scene.shown)
    assert scene.mover is mover


async def test_plans_are_hidden_in_groups(scene: Scene, other: Person) -> None:
    (game,) = await scene.bot.store.games.list_for_person(1)
    assert "Planned: if b1-b2" in (await scene.say_alone(other, f"/plan #{game.id} if b1-b2 then b5-b4")).text
    shown = len(scene.shown)
    await scene.say(other, "/games")
    assert len(scene.shown) == shown, "what concerns one person comes to their own chat"
    assert game.id in scene.private(other)[-1].text
    assert "planned: if b1-b2" in (await scene.say_alone(other, "/games")).text


async def test_a_guess_typed_in_the_group_is_not_taken(scene: Scene) -> None:
    await scene.started("/play annuvin board:square")
    code = next(iter(await scene.bot.store.games.list_ids()))
    for name in ("Anna", "Bruno"):
        await scene.say_alone(scene.person(name), "/start")
        await scene.say(scene.person(name), f"/guess agree game:{code}")
    state = (await scene.bot.tavoliere.context.table(code)).playing.state
    await scene.say(scene.person("Carla"), f"/guess {state.legal_actions()[0].text} game:{code}")
    assert await scene.bot.store.guesses.list_in_game(code) == []
    assert any("Here everybody would read your guess" in each.text for each in scene.shown)
