"""Every game on Discord, by buttons, menus, completion and typed moves, with a restart in the middle."""

from typing import Final

import pytest

from engine import games
from tests.discord.harness import Scene
from tests.discord.players import Players
from tests.support.choosing import choose_cleverly

LONG_ENOUGH: Final = 60
"""Most games have come to their end by then; the others are played to it by the services' own tests."""
NAMES: Final = ("Anna", "Bruno", "Carla", "Dario", "Elena")
LOCALES: Final = ("en-US", "it")
TURN: Final = {"en-US": "it is your turn", "it": "tocca a te"}
WINS: Final = {"en-US": "wins!", "it": "Vince "}
DRAWN: Final = {"en-US": "a draw", "it": "patta"}


async def sit_down(scene: Scene, game: str, locale: str, *names: str) -> None:
    """Have people start a game in a channel that speaks a language."""
    owner = scene.owner
    await scene.command(owner, "settings", **{"language": "it" if locale == "it" else "en", "for": "channel"})
    first, *others = [scene.person(name, locale) for name in names]
    await scene.command(first, "play", game=game, seats=len(names))
    for other in others:
        await scene.press(other, scene.board, scene.board.labels[0])
    if len(names) > 2:
        # What is said goes on in the thread that a game of so many has.
        lobby = scene.board
        assert lobby.thread is not None
        scene.channel = lobby.thread
        for person in scene.people.values():
            person.here = lobby.thread
    assert scene.board.picture is not None
    assert TURN[locale] in scene.board.text


def check_quiet(scene: Scene) -> None:
    """Check that only turns, and the end, have called anybody, and that old boards have pictures and no buttons."""
    parent = scene.channel.parent
    before = scene.discord.shown(parent) if parent is not None else []
    lobby, *boards = [*before, *scene.shown]
    assert (lobby.thread is not None) is (parent is not None)
    assert all(len(message.pings) <= 1 for message in boards[:-1])
    assert [message for message in (lobby, *boards[:-1]) if message.labels] == []
    assert all(message.picture and message.alt for message in boards)


@pytest.mark.parametrize("game", games)
async def test_every_game_with_a_restart_in_the_middle(scene: Scene, game: str) -> None:
    locale, seats = LOCALES[list(games).index(game) % 2], games[game].seats
    await sit_down(scene, game, locale, *NAMES[: seats[len(seats) // 2]])
    watcher = scene.person("Fabio", locale)
    players = Players(scene, f"{game} {locale}", choose_cleverly)
    await players.play(12)
    await scene.bot.restart()
    await players.play(LONG_ENOUGH - 12)
    assert players.over or players.acts == LONG_ENOUGH
    # Chance depends on the code of the game, so it may end without a winner.
    ends = (WINS[locale], DRAWN[locale].capitalize(), DRAWN[locale], "1.")
    assert any(words in scene.board.text for words in ends) is players.over
    assert players.acts < 10 or (players.used & {"button", "menu"} and "typed" in players.used)
    check_quiet(scene)
    assert not any(watcher.account in message.pings for message in scene.shown)
