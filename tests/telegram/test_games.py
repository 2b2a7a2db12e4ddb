"""Whole games on Telegram, by taps and typed moves, in both languages, with a restart and a kill in the middle."""

from __future__ import annotations

from typing import Final

import pytest

from tests.telegram.harness import Scene
from tests.telegram.players import Players

TURN: Final = {"en": "it is your turn", "it": "tocca a te"}
WINS: Final = {"en": "wins!", "it": "Vince "}
DRAWN: Final = {"en": "a draw", "it": "patta"}
JOIN: Final = {"en": "Join", "it": "Partecipo"}


async def sit_down(scene: Scene, game: str, language: str, *names: str) -> None:
    """Have people start a game in a group that speaks a language."""
    first, *others = [scene.person(name, language) for name in names]
    scene.group.status[first.id] = "administrator"
    await scene.say(first, f"/settings language:{language} for:channel")
    await scene.say(first, f"/play {game} seats:{len(names)}")
    for other in others:
        await scene.tap(other, scene.board, scene.board.labels[0])
    assert scene.board.photo is not None
    assert TURN[language] in scene.board.text


@pytest.mark.parametrize("language", ["en", "it"])
async def test_a_whole_game_of_annuvin_for_two(scene: Scene, language: str) -> None:
    await sit_down(scene, "annuvin", language, "Anna", "Bruno")
    players = Players(scene, f"annuvin {language}")
    await players.play(8)
    # A new process does not know how much was written in the last minute.
    scene.bot.clock.turn(minutes=1)
    await scene.bot.restart()
    await players.play(6)
    scene.bot.clock.turn(minutes=1)
    await scene.bot.kill()
    await scene.bot.start()
    await players.play()
    assert WINS[language] in scene.board.text or DRAWN[language] in scene.board.text.lower()
    assert players.used == {"tap", "typed"}


@pytest.mark.parametrize("language", ["en", "it"])
async def test_a_whole_game_of_uomo_nero_for_three(scene: Scene, language: str) -> None:
    await sit_down(scene, "uomo-nero", language, "Anna", "Bruno", "Carla")
    players = Players(scene, f"uomo-nero {language}")
    await players.play(20)
    scene.bot.clock.turn(minutes=1)
    await scene.bot.kill()
    await scene.bot.start()
    await players.play()
    # Chance depends on the code of the game, so even this may end without a winner.
    ends = (WINS[language], DRAWN[language].capitalize(), DRAWN[language], "1.")
    assert any(words in scene.board.text for words in ends)
    assert players.used == {"tap", "typed"}


@pytest.mark.parametrize("game", ["real-queen", "fagocitare", "vedova-nera"])
async def test_every_other_game_is_playable(scene: Scene, game: str) -> None:
    await sit_down(scene, game, "en", "Anna", "Bruno")
    players = Players(scene, game)
    await players.play(20)
    assert players.used == {"tap", "typed"}
