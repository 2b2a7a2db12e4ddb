"""Every game on Telegram, by taps and typed moves, with a restart and a kill in the middle."""

from typing import Final

import pytest

from engine import games
from tests.support.choosing import choose_cleverly
from tests.telegram.harness import Scene
from tests.telegram.players import Players

TURN: Final = {"en": "it is your turn", "it": "tocca a te"}
WINS: Final = {"en": "wins!", "it": "Vince "}
DRAWN: Final = {"en": "a draw", "it": "patta"}
LONG_ENOUGH: Final = 20
"""Games are played to their end by the services' own tests."""
NAMES: Final = ("Anna", "Bruno", "Carla", "Dario", "Elena")


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


@pytest.mark.parametrize("game", games)
async def test_every_game_with_a_restart_and_a_kill_in_the_middle(scene: Scene, game: str) -> None:
    language = "it" if list(games).index(game) % 2 else "en"
    seats = games[game].seats
    await sit_down(scene, game, language, *NAMES[: seats[len(seats) // 2]])
    watcher = scene.person("Fabio", language)
    players = Players(scene, f"{game} {language}", choose_cleverly)
    await players.play(8)
    # A new process does not know how much was written in the last minute.
    scene.bot.clock.turn(minutes=1)
    await scene.bot.restart()
    await players.play(6)
    scene.bot.clock.turn(minutes=1)
    await scene.bot.kill()
    await scene.bot.start()
    await players.play(LONG_ENOUGH - 14)
    assert players.over or players.acts == LONG_ENOUGH
    # Chance depends on the code of the game, so it may end without a winner.
    ends = (WINS[language], DRAWN[language].capitalize(), DRAWN[language], "1.")
    assert any(words in scene.board.text for words in ends) is players.over
    assert players.acts < 10 or players.used == {"tap", "typed"}
    assert not any(watcher.id in message.pings for message in scene.shown)
