"""Games among people where the bot is no member: everything happens through what they press."""

from __future__ import annotations

import pytest

from tests.discord.harness import Scene
from tests.discord.players import Players, greedily
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import Channel


@pytest.fixture
def chat(scene: Scene) -> Channel:
    """A private chat of two, one of whom has installed the bot."""
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    bruno.account.installed = False
    return among(scene, anna, bruno)


def among(scene: Scene, *friends: Person) -> Channel:
    """Have friends look at a conversation that the bot is not part of."""
    scene.channel = scene.discord.chat(*(each.account for each in friends))
    for each in friends:
        each.here = scene.channel
    return scene.channel


class Pressing(Players):
    """Plays by buttons alone."""

    def by_button(self) -> bool:
        return True


async def test_a_whole_game_of_two_in_a_private_chat(scene: Scene, chat: Channel) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(anna, "play", game="annuvin")
    assert anna.private == []
    lobby = scene.board
    assert "Join" in lobby.labels
    await scene.press(bruno, lobby, "Join")
    assert scene.board.pings in ((anna.account,), (bruno.account,))
    assert lobby.pressable == []
    players = Pressing(scene, "two in a private chat", greedily)
    await players.play()
    assert players.over
    assert "wins" in scene.board.text
    assert "Leaderboard" not in scene.board.labels
