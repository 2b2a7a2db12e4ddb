"""Whole games on Discord, by buttons, menus, completion and typed moves, with a restart in the middle."""

from __future__ import annotations

from typing import Final

import pytest

from tests.discord.harness import Scene
from tests.discord.players import Players, greedily, homeward
from tests.fakes.discord.people import Person

LOCALES: Final = ("en-US", "it")
TURN: Final = {"en-US": "it is your turn", "it": "tocca a te"}
WINS: Final = {"en-US": "wins!", "it": "Vince "}
DRAWN: Final = {"en-US": "a draw", "it": "patta"}


async def sit_down(scene: Scene, game: str, locale: str, *names: str) -> None:
    """Have people start a game in a channel that speaks a language."""
    owner = Person(scene.discord, scene.discord.owner, scene.channel)
    await scene.command(owner, "settings")
    await scene.press(owner, owner.told, "This channel's settings")
    await scene.press(owner, owner.told, "Italiano" if locale == "it" else "English")
    first, *others = [scene.person(name, locale) for name in names]
    await scene.command(first, "play", game=game, seats=len(names))
    for other in others:
        await scene.press(other, scene.board, scene.board.labels[0])
    assert scene.board.picture is not None
    assert TURN[locale] in scene.board.text


def check_quiet(scene: Scene) -> None:
    """Check that nothing but turns has called anybody, and that old boards have pictures and nothing to press."""
    lobby, *boards = scene.shown
    assert all(len(message.pings) <= 1 for message in boards)
    assert [message for message in (lobby, *boards[:-1]) if message.labels] == []
    assert all(message.picture and message.alt for message in boards)


@pytest.mark.parametrize("locale", LOCALES)
async def test_a_whole_game_of_annuvin(scene: Scene, locale: str) -> None:
    await sit_down(scene, "annuvin", locale, "Anna", "Bruno")
    players = Players(scene, f"annuvin {locale}", greedily)
    await players.play(12)
    await scene.bot.restart()
    await players.play()
    assert players.over
    # Chance depends on the code of the game, so even this may end without a winner.
    assert WINS[locale] in scene.board.text or DRAWN[locale] in scene.board.text.lower()
    assert {"button", "typed"} <= players.used
    check_quiet(scene)


@pytest.mark.parametrize("locale", LOCALES)
async def test_a_whole_game_of_la_vedova_nera_for_four(scene: Scene, locale: str) -> None:
    await sit_down(scene, "vedova-nera", locale, "Anna", "Bruno", "Carla", "Dario")
    players = Players(scene, f"vedova-nera {locale}", homeward)
    await players.play(20)
    await scene.bot.restart()
    await players.play()
    assert players.over
    # Chance depends on the code of the game, so even this may end without a winner.
    assert WINS[locale] in scene.board.text or DRAWN[locale] in scene.board.text.lower()
    assert {"button", "typed"} <= players.used
    check_quiet(scene)


@pytest.mark.parametrize(
    ("game", "used"), [("real-queen", {"menu"}), ("fagocitare", {"button"}), ("uomo-nero", {"menu", "edit"})]
)
async def test_every_other_game_is_playable(scene: Scene, game: str, used: set[str]) -> None:
    await sit_down(scene, game, "en-US", "Anna", "Bruno")
    players = Players(scene, game)
    await players.play(25)
    assert players.over or players.acts == 25
    assert used <= players.used
    check_quiet(scene)
