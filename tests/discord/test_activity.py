"""The ways into the Activity: the button under boards, and the entry point command, which registering keeps."""

import pytest

from storage import Store
from tests.discord.harness import Bot, Scene
from tests.fakes.discord.people import Person
from tests.fakes.discord.server import FakeDiscord
from tests.support.present import present

LABEL = "Open the board"


@pytest.fixture
async def started(scene: Scene) -> Scene:
    """A game on a server whose bot has an Activity."""
    scene.discord.has_activity = True
    scene.bot.connection.adapter.opens_activity = True
    await scene.started()
    return scene


async def test_the_button_launches_the_activity_and_notes_the_game(started: Scene, anna: Person, store: Store) -> None:
    assert LABEL in started.board.labels
    await started.command(anna, "help")
    assert LABEL in anna.newest_private.text
    carla = started.person("Carla")
    await started.press(carla, started.board, LABEL)
    ((instance, who),) = started.discord.launched
    assert who == carla.account.id
    launch = present(await store.key_values.get("discord", f"launch.{instance}.{who}"))
    (game,) = [each.id for each in await store.games.list_in_place(1)]
    assert launch["game"] == game


async def test_without_activities_the_press_says_so(started: Scene, anna: Person) -> None:
    started.discord.has_activity = False
    pressed = await started.press(anna, started.board, LABEL)
    assert pressed.original is not None
    assert pressed.original.private
    assert "not switched on" in str(pressed.original.to_json())
    (refused,) = started.discord.refused
    assert "callback" in refused[0]
    started.discord.refused.clear()


async def test_without_a_public_address_there_is_no_button(scene: Scene, anna: Person) -> None:
    await scene.started()
    assert LABEL not in scene.board.labels
    await scene.command(anna, "help")
    assert LABEL not in anna.newest_private.text


async def test_registering_commands_keeps_the_entry_point(discord: FakeDiscord, store: Store) -> None:
    entry = {"id": discord.ids.new(), "type": 4, "name": "launch", "description": "", "handler": 2, "version": "1"}
    discord.commands["launch"] = entry | {"application_id": discord.application_id}
    async with Bot(discord, store):
        pass
    assert (discord.commands["launch"]["handler"], discord.commands["launch"]["id"]) == (2, entry["id"])
    assert "play" in discord.commands
