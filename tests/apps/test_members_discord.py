"""What the Activity may do in a channel of Discord is for those who are in it now, by whatever way somebody tries."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.kernel.app_sessions import AppSession, new_session_times
from bot.kernel.requests import Place
from bot.platforms.apps.launches import DiscordLauncher
from bot.platforms.web.room import ChatRoom
from storage import Store
from tests.apps.hosts import PUBLIC, App, serve_apps
from tests.apps.test_members import OUTSIDE, check_attempts_are_refused
from tests.discord.harness import Bot, Scene, direct_to
from tests.fakes.discord.server import FakeDiscord


@pytest.fixture
async def scene(store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    async with FakeDiscord() as discord:
        direct_to(discord, monkeypatch)
        made = Scene(discord, Bot(discord, store, web_address=f"https://{PUBLIC}"))
        async with made.bot:
            yield made
        # Only the questions who is there were refused.
        assert {error.code for _, error in discord.refused} <= {10007}


@pytest.mark.parametrize(("way", "step"), [("left the server", 1), ("may not see the channel", 20)])
async def test_who_was_thrown_out_does_nothing_in_the_activity_that_is_still_open(
    scene: Scene, store: Store, way: str, step: int
) -> None:
    carla = scene.person("Carla")
    await scene.started()
    await scene.command(carla, "rules", game="annuvin")
    (game,) = [each.id for each in await store.games.list_in_place(1)]
    front, room = scene.bot.tavoliere, ChatRoom(store, scene.bot.clock)
    launcher = DiscordLauncher("bot-token", "secret", store, scene.bot.clock)
    async with serve_apps(front, room, scene.bot.clock, launcher) as apps:
        launched, expires = new_session_times(scene.bot.clock(), scene.bot.clock())
        here = Place("discord", str(scene.channel.id), None, str(scene.guild.id))
        session = AppSession(
            "discord", str(carla.account.id), "Carla", "en", None, launched, expires,
            here.channel, None, here.group, "group", present=True, game=game, instance="i-1",
        )  # fmt: skip
        app = App(apps, apps.signer.sign_session(session), {}, "discord")
        for path in (f"board?game={game}", f"turns?game={game}"):
            assert (await app.get(path)).status == 200
        assert (await app.get("home")).data["chat"] is True
        assert (await app.get(f"live?game={game}")).data[0]["games"]
        if way == "left the server":
            scene.guild.roles.departed.add(carla.account)
        else:
            scene.channel.hidden_from.add(carla.account)
            await scene.discord.gateway.dispatch("CHANNEL_UPDATE", scene.channel.to_json())
            async with asyncio.timeout(60):
                while await scene.bot.connection.adapter.find_membership(here, session.user) is not None:
                    pass  # the bot is about to be sent it
        scene.bot.clock.turn(seconds=61)
        shown = len(scene.shown)
        games = await store.games.list_ids()
        await check_attempts_are_refused(app, game, OUTSIDE, step)
        assert (await app.get(f"live?game={game}")).data[0]["games"] == []
        await scene.bot.settle()
        assert (len(scene.shown), await store.games.list_ids()) == (shown, games)
