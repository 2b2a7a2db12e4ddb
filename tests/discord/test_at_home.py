"""What only Discord has: mentions of commands, timestamps, jumps to messages, its menus, and Activities."""

import asyncio
import re
from functools import partial

import pytest

from bot.kernel.operations import COMMANDS_REFUSED
from bot.kernel.operations.clock import FIRST_RETRY_SECONDS, MAX_HURRIED_SECONDS, BackgroundRetry
from storage import Store
from tests.discord.harness import Bot, Scene
from tests.fakes.discord.messages import ApiError
from tests.fakes.discord.people import Person
from tests.fakes.discord.server import FakeDiscord
from tests.support.comparing import missing_from
from tests.support.pauses import TIMEOUT_SECONDS, Pauses
from tests.support.present import present


async def test_commands_can_be_pressed_where_they_are_named_also_after_a_restart(scene: Scene) -> None:
    anna = scene.person("Anna", "it")
    for _ in range(2):
        await scene.command(anna, "help")
        for name in ("menu", "play", "settings"):
            assert f"</{name}:{scene.discord.commands[name]['id']}>" in anna.newest_private.text
        # What is to be typed behind a command no mention can hold.
        assert "`/play annuvin computer`" in anna.newest_private.text
        await scene.bot.restart()
    assert scene.discord.count("PUT /applications/{application_id}/commands") == 1


async def test_refused_commands_come_later_and_soon_after_permissions_have_changed(
    discord: FakeDiscord, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = Pauses()
    monkeypatch.setattr("bot.platforms.discord.client.BackgroundRetry", partial(BackgroundRetry, rest=pauses))
    scene, overwriting = Scene(discord, Bot(discord, store)), "PUT /applications/{application_id}/commands"
    discord.fail(overwriting, *[ApiError(403, 50001, "Missing Access")] * 6)
    async with scene.bot:
        connection = scene.bot.connection
        for _ in range(5):
            await pauses.begun()
            assert connection.problem == COMMANDS_REFUSED
            pauses.end()
            await discord.gateway.dispatch("GUILD_MEMBER_UPDATE", scene.guild.own_member_json())
        assert await pauses.begun() > MAX_HURRIED_SECONDS
        assert pauses.asked == [FIRST_RETRY_SECONDS * 2**times for times in range(6)]
        await discord.gateway.dispatch("GUILD_MEMBER_UPDATE", scene.guild.own_member_json())
        assert await pauses.begun() == FIRST_RETRY_SECONDS
        pauses.end()
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await present(present(connection._session.client).registration._task)
        assert (connection.problem, discord.count(overwriting)) == (None, 7)
        await scene.command(scene.person("Anna"), "help")
        assert f"</play:{discord.commands['play']['id']}>" in scene.person("Anna").newest_private.text
    discord.refused.clear()


async def test_games_and_boards_tell_the_time_by_the_readers_clock_and_lead_to_the_board(scene: Scene) -> None:
    mover, _ = await scene.started(clock="1d")
    begun, guild, board = int(scene.bot.clock.now.timestamp()), scene.guild.id, scene.board
    ((second, again),) = re.findall(r"runs out <t:(\d+):R> \(<t:(\d+):f>\)", board.text)
    assert int(second) == int(again) == begun + 86400
    scene.bot.clock.turn(hours=3)
    await scene.command(mover, "games")
    link = f"[To the board](https://discord.com/channels/{guild}/{board.channel.id}/{board.id})"
    assert missing_from(mover.newest_private.text, link, f"your turn came <t:{begun}:R>") == []


async def test_user_menu_challenges_a_person(scene: Scene) -> None:
    anna, bruno = scene.person("Anna", "it"), scene.person("Bruno")
    await menu(scene, anna, "Challenge to a game", scene.discord.account("Robot", bot=True))
    assert "Altri bot qui non giocano" in anna.newest_private.text
    await menu(scene, anna, "Challenge to a game", bruno.account)
    assert anna.newest_private.private
    assert scene.shown == []
    await scene.press(anna, anna.newest_private, "La Vedova Nera")
    assert scene.board.pings == (bruno.account,)
    await scene.press(bruno, scene.board, "Accetto")
    assert scene.mover in (anna, bruno)
    shown = scene.shown
    await menu(scene, anna, "Challenge to a game", anna.account)
    assert "contro se stessi" in anna.newest_private.text
    assert scene.shown == shown


async def test_message_menu_shows_its_board_privately(scene: Scene, mover: Person, other: Person) -> None:
    board, carla = scene.board, scene.person("Carla")
    await scene.command(other, "play", game="vedova-nera")
    await menu(scene, mover, "Show the board", board)
    assert mover.newest_private.private
    assert mover.newest_private.picture is not None
    await scene.press(mover, mover.newest_private, mover.newest_private.labels[0])
    await menu(scene, carla, "Show the board", board)
    assert carla.newest_private.picture is not None
    # A message that shows no board: the game that is played here is meant.
    await scene.command(mover, "leaderboard")
    await menu(scene, other, "Show the board", scene.board)
    assert other.newest_private.picture is not None
    assert scene.board.pings == ()


async def menu(scene: Scene, person: Person, name: str, target: object) -> None:
    """Choose what is offered for a person or a message, and wait until all is shown."""
    await person.menu(name, target)  # type: ignore[arg-type]
    await scene.bot.settle()


LABEL = "Open the board"


async def test_the_button_launches_the_activity_and_notes_the_game(
    scene: Scene, anna: Person, carla: Person, mover: Person, store: Store
) -> None:
    await scene.command(anna, "help")
    assert LABEL not in [*scene.board.labels, *anna.newest_private.labels], "without a public address"
    scene.discord.has_activity = scene.bot.connection.adapter.opens_activity = True
    await scene.command(mover, "board")
    await scene.command(anna, "help")
    assert LABEL in anna.newest_private.text
    await scene.press(carla, scene.board, LABEL)
    ((instance, who),) = scene.discord.launched
    assert who == carla.account.id
    launch = present(await store.key_values.get("discord", f"launch.{instance}.{who}"))
    (game,) = [each.id for each in await store.games.list_in_place(1)]
    assert launch["game"] == game
    # Where activities are not switched on the press says so.
    scene.discord.has_activity = False
    with scene.discord.refusing(50035):
        pressed = await scene.press(anna, scene.board, LABEL)
    assert present(pressed.original).private
    assert "not switched on" in str(present(pressed.original).to_json())
    await scene.command(anna, "play", game="fagocitare")
    assert LABEL not in scene.board.labels, "a game that has not begun has no board"


async def test_registering_commands_keeps_the_entry_point(discord: FakeDiscord, store: Store) -> None:
    entry = {"id": discord.ids.new(), "type": 4, "name": "launch", "description": "", "handler": 2, "version": "1"}
    discord.commands["launch"] = entry | {"application_id": discord.application_id}
    async with Bot(discord, store):
        pass
    assert (discord.commands["launch"]["handler"], discord.commands["launch"]["id"]) == (2, entry["id"])
    assert "play" in discord.commands
