"""Guessing the next turn on Telegram: offered in the group, guessed in a chat with the bot, kept over a kill."""

from __future__ import annotations

import re

from tests.telegram.harness import Scene


async def test_a_turn_is_guessed_in_ones_own_chat_and_kept_when_the_program_is_killed(scene: Scene) -> None:
    mover, _ = await scene.started("/play annuvin board:square")
    anna, bruno, carla = (scene.person(name) for name in ("Anna", "Bruno", "Carla"))
    alone = scene.alone(carla)
    code = next(iter(await scene.bot.store.games.list_ids()))
    await scene.say(alone, "/start")
    await scene.say(carla, f"/guess offer game:{code}")
    offer = scene.shown[-1]
    assert "Carla suggests that those who watch guess" in offer.text
    assert not offer.marked.called
    for each in (anna, bruno):
        await scene.tap(each, offer, "I play and agree")
    before = [(each.id, each.text) for each in scene.shown]
    await scene.tap(carla, offer, "Guess the next turn")
    board = scene.telegram.shown(alone.here)[-1]
    assert board.photo
    for _ in range(6):
        if "Guess this turn" in board.labels:
            break
        cell = next(each for each in board.labels if re.fullmatch("×?[a-d][1-4]…?", each))
        await scene.tap(alone, board, cell)
    await scene.tap(alone, board, "Guess this turn")
    (guess,) = await scene.bot.store.guesses.list_in_game(code)
    assert any(
        "Nobody else sees it before the turn is played" in each.text for each in scene.telegram.shown(alone.here)
    )
    assert [(each.id, each.text) for each in scene.shown] == before, "the group sees nothing of it"
    await scene.bot.kill()
    await scene.bot.start()
    await scene.say(mover, f"/move {' '.join(guess.actions)}")
    await scene.say(bruno, f"/guess table game:{code}")
    assert any("1. Carla: 2 points; 1 guess, hits 1" in each.text for each in scene.shown)


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
