"""Guessing the next turn on Telegram: never in the group, where everybody would read it."""

from tests.telegram.harness import Scene


async def test_a_guess_typed_in_the_group_is_not_taken(scene: Scene) -> None:
    await scene.started("/play annuvin board:square")
    code = next(iter(await scene.bot.store.games.list_ids()))
    for name in ("Anna", "Bruno"):
        await scene.say(scene.person(name), f"/guess agree game:{code}")
    state = (await scene.bot.tavoliere.context.table(code)).playing.state
    text = state.legal_actions()[0].text
    carla = scene.person("Carla")
    await scene.say(carla, f"/guess {text} game:{code}")
    assert await scene.bot.store.guesses.list_in_game(code) == []
    assert any("Here everybody would read your guess" in each.text for each in scene.shown)
