"""What only Discord has: mentions of commands, timestamps, jumps to messages, menus of people and of messages."""

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


async def test_my_games_tell_the_time_by_my_clock_and_lead_to_the_board(scene: Scene, mover: Person) -> None:
    scene.bot.clock.turn(hours=3)
    await scene.command(mover, "games")
    guild, board = scene.guild.id, scene.board
    assert (
        f"[To the board](https://discord.com/channels/{guild}/{board.channel.id}/{board.id})"
        in mover.newest_private.text
    )
    (second,) = re.findall(r"your turn came <t:(\d+):R>", mover.newest_private.text)
    assert int(second) == int(scene.bot.clock.now.timestamp()) - 3 * 3600


async def test_deadline_is_shown_as_a_local_timestamp(scene: Scene) -> None:
    await scene.started(clock="1d")
    (second, again) = re.findall(r"runs out <t:(\d+):R> \(<t:(\d+):f>\)", scene.board.text)[0]
    assert int(second) == int(again) == int(scene.bot.clock.now.timestamp()) + 86400


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
