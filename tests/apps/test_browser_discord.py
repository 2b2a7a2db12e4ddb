"""The Activity in a real browser: Discord's own SDK in a frame of another origin, behind its proxy."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import discord.http
import pytest
from playwright.async_api import Browser, expect

from bot.kernel.requests import Place, Request, User
from bot.platforms.apps.launches import DiscordLauncher
from bot.platforms.discord.activity import remember_launch
from engine import Action, games
from storage import Store, utc_now
from tests.apps.player import Player
from tests.apps.world import MAX_BYTES_BEFORE_THE_FIRST_BOARD, SHORT, World, open_world
from tests.bot.party import Recorder
from tests.fakes.discord.activity import ActivityApi, DiscordClient
from tests.support.present import present
from tests.web.accessibility import violations

APPLICATION = "123456789012345678"
CHANNEL = "555555555555555555"
INSTANCE = f"i-1-gc-9-{CHANNEL}"
PLACE = Place("discord", CHANNEL, None, "9", title="games", threads=True)


@dataclass
class Channel:
    """A channel of Discord with people in it, and the program behind its proxy."""

    world: World
    api: ActivityApi
    adapter: Recorder

    def person(self, name: str) -> str:
        """Return the id of somebody's account."""
        user = str(700000000000000000 + self.world.apps.number(name))
        self.api.people[user] = {"username": name.lower(), "global_name": name, "locale": "en-US"}
        return user

    def request(self, name: str) -> Request:
        """Return a request of somebody in the channel."""
        return replace(self.world.apps.in_chat(name, PLACE), user=User("discord", self.person(name), name, "en"))

    async def game(self, *people: str, play: str = "/play annuvin") -> str:
        """Have people begin a game in the channel."""
        front = self.world.front
        code = present((await front.typed_text(self.request(people[0]), play)).opens)
        for other in people[1:]:
            await front.press(self.request(other), f"join:{code}:1")
        return code

    async def opens(
        self, name: str, game: str = "", *, consents: bool = True, **options: Any
    ) -> tuple[Player, DiscordClient]:
        """Have somebody open the Activity, by the button of a game if one is named."""
        user = self.person(name)
        if game:
            await remember_launch(self.world.store, INSTANCE, user, game, utc_now())
        self.api.join(INSTANCE, user, CHANNEL)
        page = await self.world.new_page(f"https://{APPLICATION}.discordsays.com", "/app/discord", **options)
        client = DiscordClient(page, APPLICATION)
        code = self.api.code_for(user) if consents else None
        frame = await client.open(INSTANCE, CHANNEL, code, {"id": user, "username": name.lower()})
        return Player(name, page, frame), client


@pytest.fixture
async def channel(browser: Browser, store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Channel]:
    """The program, with its Activity."""
    async with ActivityApi(APPLICATION, "bot-token", "client-secret") as api:
        monkeypatch.setattr(discord.http.Route, "BASE", api.url)
        api.channels[CHANNEL] = {"id": CHANNEL, "type": 0, "guild_id": "9", "name": "games"}
        launcher = DiscordLauncher("bot-token", "client-secret", store, utc_now)
        async with open_world(browser, store, launcher) as world:
            adapter = Recorder("discord")
            world.front.add(adapter)
            yield Channel(world, api, adapter)
            assert world.errors == []


async def test_one_plays_in_the_app_and_the_other_in_the_chat(channel: Channel) -> None:
    code = await channel.game("Anna", "Bruno", play=f"/play annuvin {SHORT['annuvin']}")
    anna, client = await channel.opens("Anna", code)
    await anna.is_ready()
    assert channel.world.networks[0].received < MAX_BYTES_BEFORE_THE_FIRST_BOARD
    assert [name for name, _ in await client.calls()][:2] == ["HANDSHAKE", "AUTHORIZE"]
    asked = dict(await client.calls())["AUTHORIZE"]
    assert (asked["client_id"], asked["scope"], asked["prompt"]) == (APPLICATION, ["identify"], "none")

    async def plays_in_chat(action: Action) -> None:
        now = await channel.world.row(code)
        reply = await channel.world.front.press(channel.request("Bruno"), f"text:{code}:{now.revision}={action}")
        assert not reply.failed

    in_app = {person: anna for person, name in (await channel.world.names(code)).items() if name == "Anna"}
    assert await channel.world.play_to_the_end(code, in_app, in_chat=plays_in_chat, most=4) == 4
    given_up = f"resign!:{code}:{(await channel.world.row(code)).revision}"
    assert not (await channel.world.front.press(channel.request("Bruno"), given_up)).failed
    await anna.shows((await channel.world.row(code)).revision)
    # The chat's board says so, too.
    await channel.world.front.delivery.run_until_idle()
    shown = [each.card.headline for each in channel.adapter.messages.values()]
    assert (code, "over") in [(each.code, each.status) for each in shown if each is not None]


@pytest.mark.full
@pytest.mark.parametrize("key", list(games))
async def test_two_people_of_a_channel_play_a_whole_game_by_touch(channel: Channel, key: str) -> None:
    code = await channel.game("Anna", "Bruno", play=f"/play {key} seats:2 {SHORT.get(key, '')}".strip())
    anna, _ = await channel.opens("Anna", code)
    bruno, _ = await channel.opens("Bruno")
    await anna.is_ready()
    await bruno.is_ready()
    # Opened without a board, it shows whose turn it is, and leads there.
    await bruno.frame.locator(f'#home-games [data-code="{code}"]').tap()
    players, names = {"Anna": anna, "Bruno": bruno}, await channel.world.names(code)
    await channel.world.play_to_the_end(code, {person: players[name] for person, name in names.items()})
    row = await channel.world.row(code)
    for player in (anna, bruno):
        await player.shows(row.revision)


async def test_others_of_the_channel_watch_sit_down_and_see_it_small(channel: Channel) -> None:
    code = await channel.game("Anna")
    carla, client = await channel.opens("Carla")
    await carla.is_ready()
    await expect(carla.frame.locator("#home-here-title")).to_be_visible()
    assert await violations(carla.frame) == []
    await carla.frame.locator(f'#home-here [data-code="{code}"]').tap()
    await carla.stage.get_by_role("button", name="Join").tap()
    await expect(carla.stage.locator(".board img")).to_be_visible()
    assert await violations(carla.frame) == []
    await expect(carla.root).not_to_have_attribute("data-layout", "small")
    await client.dispatch("ACTIVITY_LAYOUT_MODE_UPDATE", {"layout_mode": 1})
    await expect(carla.root).to_have_attribute("data-layout", "small")
    await expect(carla.stage.locator("#stage-side")).to_be_hidden()
    await client.dispatch("ACTIVITY_LAYOUT_MODE_UPDATE", {"layout_mode": 0})
    await expect(carla.stage.locator("#stage-side")).to_be_visible()
    await carla.frame.get_by_role("button", name="Close the table").tap()
    await expect(carla.frame.locator(f'#home-games [data-code="{code}"]')).to_be_visible()


async def test_the_button_of_another_board_switches_the_open_page(channel: Channel) -> None:
    first, second = await channel.game("Anna", "Bruno"), await channel.game("Anna", "Carla")
    anna, _ = await channel.opens("Anna", first)
    bruno, _ = await channel.opens("Bruno", first)
    for player in (anna, bruno):
        await player.is_ready()
        await expect(player.stage).to_have_attribute("data-game", first)
    await remember_launch(channel.world.store, INSTANCE, channel.person("Anna"), second, utc_now())
    await expect(anna.stage).to_have_attribute("data-game", second)
    # What moves on there is heard, too; another person's page stays as it is.
    row = await channel.world.row(second)
    state = await channel.world.state(second)
    mover = (await channel.world.names(second))[row.to_move or 0]
    press = f"text:{second}:{row.revision}={state.legal_actions()[0]}"
    await channel.world.front.press(channel.request(mover), press)
    await anna.shows((await channel.world.until_revision(second, row.revision)).revision)
    await expect(bruno.stage).to_have_attribute("data-game", first)


async def test_an_activity_without_a_stream_switches_too(channel: Channel) -> None:
    first, second = await channel.game("Anna", "Bruno"), await channel.game("Anna", "Carla")
    anna, _ = await channel.opens("Anna", first, streams=False, clock=True)
    await expect(anna.stage).to_have_attribute("data-game", first)
    await remember_launch(channel.world.store, INSTANCE, channel.person("Anna"), second, utc_now())
    await anna.page.clock.fast_forward(4000)
    await expect(anna.stage).to_have_attribute("data-game", second)
    # Once: she goes on to the first one, and stays there.
    await anna.frame.get_by_role("button", name="Close the table").tap()
    await anna.frame.locator(f'#home-games [data-code="{first}"]').tap()
    for _ in range(2):
        async with anna.page.expect_response("**/api/live?*"):
            await anna.page.clock.fast_forward(4000)
    await expect(anna.stage).to_have_attribute("data-game", first)


async def test_without_consent_or_elsewhere_nothing_is_shown(channel: Channel) -> None:
    eve, _ = await channel.opens("Eve", consents=False)
    await expect(eve.frame.locator("#out")).to_contain_text("Without your consent")
    post = channel.world.apps.post
    origin = f"https://{APPLICATION}.discordsays.com"

    async def launch(code: str, instance: str = INSTANCE) -> tuple[int, str]:
        answer = await post("session", {"code": code, "instance": instance}, "discord", Origin=origin)
        return answer.status, "" if answer.status == 200 else answer.refusal

    anna = channel.person("Anna")
    assert await launch("made-up") == (403, "launch-forged")
    assert await launch(channel.api.code_for(anna)) == (403, "launch-elsewhere")
    channel.api.join(INSTANCE, anna, CHANNEL)
    assert await launch(channel.api.code_for(anna), "another") == (403, "launch-forged")
    assert await launch(channel.api.code_for(anna), "../../users/@me") == (403, "launch-forged")
    good = channel.api.code_for(anna)
    assert await launch(good) == (200, "")
    assert await launch(good) == (403, "launch-forged")
    channel.api.broken = True
    assert await launch(channel.api.code_for(anna)) == (503, "launch-unanswered")
