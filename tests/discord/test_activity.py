"""The ways into the Activity: the button under boards, and the entry point command, which registering keeps."""

import pytest

from storage import Store
from tests.discord.harness import DRAW, Bot, Scene
from tests.fakes.discord.server import FakeDiscord
from tests.support.present import present

LABEL = "Open the board"


@pytest.fixture
def scene_with_activity(scene: Scene) -> Scene:
    """A server whose bot has an Activity."""
    scene.discord.has_activity = True
    scene.bot.connection.adapter.opens_activity = True
    return scene


async def _started(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(anna, "play", game="annuvin")
    await scene.press(bruno, scene.board, "Join")


async def test_the_button_launches_the_activity_and_notes_the_game(scene_with_activity: Scene, store: Store) -> None:
    scene = scene_with_activity
    await _started(scene)
    assert LABEL in scene.board.labels
    await scene.command(scene.person("Anna"), "help")
    assert LABEL in scene.person("Anna").newest_private.text
    carla = scene.person("Carla")
    await scene.press(carla, scene.board, LABEL)
    ((instance, who),) = scene.discord.launched
    assert who == carla.account.id
    launch = present(await store.key_values.get("discord", f"launch.{instance}.{who}"))
    (game,) = [each.id for each in await store.games.list_in_place(1)]
    assert launch["game"] == game


async def test_without_activities_the_press_says_so(scene_with_activity: Scene) -> None:
    scene = scene_with_activity
    await _started(scene)
    scene.discord.has_activity = False
    pressed = await scene.press(scene.person("Anna"), scene.board, LABEL)
    assert pressed.original is not None
    assert pressed.original.private
    assert "not switched on" in str(pressed.original.to_json())
    (refused,) = scene.discord.refused
    assert "callback" in refused[0]
    scene.discord.refused.clear()


async def test_without_a_public_address_there_is_no_button(scene: Scene) -> None:
    await _started(scene)
    assert LABEL not in scene.board.labels
    await scene.command(scene.person("Anna"), "help")
    assert LABEL not in scene.person("Anna").newest_private.text


async def test_registering_commands_keeps_the_entry_point(discord: FakeDiscord, store: Store) -> None:
    entry = {"id": discord.ids.new(), "type": 4, "name": "launch", "description": "", "handler": 2, "version": "1"}
    discord.commands["launch"] = entry | {"application_id": discord.application_id}
    bot = Bot(discord, store, draw=DRAW)
    await bot.start()
    await bot.stop()
    assert (discord.commands["launch"]["handler"], discord.commands["launch"]["id"]) == (2, entry["id"])
    assert "play" in discord.commands
