"""`tavoliere serve` with Discord and Telegram: what it says of each, and what keeps it from starting."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest

from bot.platforms.discord.decode import REQUIRED_PERMISSIONS
from tests.bot.party import Clock
from tests.cli.test_serve import Program, one_sentence
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.platform import TIMEOUT_SECONDS
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.server import FakeTelegram
from tests.support.comparing import missing_from
from tests.support.ports import free_port

NOWHERE: Final = "http://127.0.0.1:9"


@pytest.fixture
async def discord() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord() as running:
        yield running


@pytest.fixture
async def telegram() -> AsyncIterator[FakeTelegram]:
    async with FakeTelegram(Clock()) as running:
        yield running
        assert running.refused == []


def program(
    folder: Path, discord: FakeDiscord, telegram: FakeTelegram, *, discord_api: str = "", **environment: str
) -> Program:
    """Run the program with the fakes in place of what it connects to."""

    class Directed(Program):
        fakes = (discord_api or discord.api_url, discord.gateway_url)

    environment = {"TELEGRAM_API": f"http://127.0.0.1:{telegram.port}", **environment}
    return Directed(folder, "--port", "0", **environment)


async def greeting(running: Program, platform: str) -> str:
    """Return the next line that a program says of a platform when it starts; Discord's is the first."""
    out = running.process.stdout
    while line := await asyncio.to_thread(out.readline):
        if platform in line:
            return line
    raise AssertionError(running.process.communicate(timeout=60)[1])


async def ended(running: Program) -> tuple[int, str, str]:
    """Stop a program; return its exit code and all it said."""
    running.process.send_signal(signal.SIGTERM)
    out, err = await asyncio.to_thread(running.process.communicate, timeout=60)
    return running.process.wait(), out, err


async def healthy(port: int, status: int) -> dict[str, Any]:
    """Return what a program says of its health as soon as it says so with this status."""
    async with aiohttp.ClientSession() as session, asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            async with session.get(f"http://127.0.0.1:{port}/healthz") as answer:
                said: dict[str, Any] = await answer.json()
                if answer.status == status:
                    return said


async def test_it_says_as_whom_it_is_connected_plays_and_tells_in_its_health_where_it_does_not_listen_any_more(
    discord: FakeDiscord, telegram: FakeTelegram, tmp_path: Path
) -> None:
    discord.guild("Friends")
    anna, port = telegram.account("Anna"), str(free_port())
    group, token = telegram.group("Friends", anna), telegram.token
    tokens = {"DISCORD_TOKEN": discord.token, "TELEGRAM_TOKEN": token}
    running = program(tmp_path, discord, telegram, TAVOLIERE_OPERATIONS_PORT=port, **tokens)
    try:
        # The first address is that of its health itself.
        _, page = [await asyncio.to_thread(running.address) for _ in range(2)]
        invitation = f"client_id={discord.application_id}&scope=bot&permissions={REQUIRED_PERMISSIONS.value}"
        assert missing_from(await greeting(running, "Discord"), "connected as tavoliere", invitation) == []
        assert await greeting(running, "Telegram") == "Telegram: connected as @tavoliere_bot.\n"
        assert "inline mode is off" in await greeting(running, "Telegram")
        assert "guest mode is off" in await greeting(running, "Telegram")
        await discord.until(lambda: discord.gateway.connected, "the bot")
        assert "play" in discord.commands
        await Person(telegram, anna, group).say("/play annuvin")
        await telegram.until(lambda: telegram.shown(group), "the lobby")
        await telegram.until(lambda: telegram.listening, "the bot's listening")
        assert (await healthy(int(port), 200))["platforms"] == {"discord": True, "telegram": True}
        telegram.token = "4839574812:" + "y" * 35
        await Person(telegram, anna, group).say("/help")
        said = await healthy(int(port), 503)
        assert (said["reason"], said["failing"], said["platforms"]) == (
            "not-listening",
            ["telegram"],
            {"discord": True, "telegram": False},
        )
        async with aiohttp.ClientSession() as session, session.get(f"{page}healthz") as answer:
            assert (answer.status, await answer.text()) == (503, "not-listening telegram\n")
    finally:
        code, out, err = await ended(running)
    assert code == 0
    assert "stopped" in out
    assert (discord.gateway.connected, discord.refused) == (False, [])
    assert [word for word in (discord.token, token, "Traceback") if word in out + err] == []


async def test_the_page_and_telegram_are_there_while_discord_cannot_be_reached(
    discord: FakeDiscord, telegram: FakeTelegram, tmp_path: Path
) -> None:
    telegram.lists = True
    tokens = {"DISCORD_TOKEN": discord.token, "TELEGRAM_TOKEN": telegram.token}
    running = program(tmp_path, discord, telegram, discord_api=f"{NOWHERE}/api/v10", **tokens)
    try:
        assert await asyncio.to_thread(running.address)
        assert "cannot be reached now" in await greeting(running, "Discord")
        assert "connected" in await greeting(running, "Telegram")
    finally:
        code, out, _ = await ended(running)
    assert code == 0
    assert "is off" not in out, "what is enabled is not reported as off"


async def test_it_goes_on_where_telegram_cannot_be_reached_and_says_how_to_connect_to_discord(
    discord: FakeDiscord, telegram: FakeTelegram, tmp_path: Path
) -> None:
    running = program(tmp_path, discord, telegram, TELEGRAM_TOKEN=telegram.token, TELEGRAM_API=NOWHERE)
    assert "docs/discord.md" in await greeting(running, "Discord")
    assert "cannot be reached" in await greeting(running, "Telegram")
    code, out, err = await ended(running)
    assert code == 0
    assert telegram.token not in out + err
    assert discord.calls == []


async def test_without_a_token_it_says_how_to_connect_to_telegram(tmp_path: Path) -> None:
    running = Program(tmp_path, "--port", "0")
    assert "docs/telegram.md" in await greeting(running, "Telegram")
    assert (await ended(running))[0] == 0


@pytest.mark.parametrize(
    ("setting", "token"), [("DISCORD_TOKEN", "wrong-token"), ("TELEGRAM_TOKEN", "4839574812:wrong")]
)
async def test_a_wrong_token_is_said_in_one_sentence(
    discord: FakeDiscord, telegram: FakeTelegram, tmp_path: Path, setting: str, token: str
) -> None:
    failure = await asyncio.to_thread(program(tmp_path, discord, telegram, **{setting: token}).failure)
    one_sentence(failure, setting)
    assert token not in failure[1]


async def test_a_taken_port_for_the_calls_of_telegram_is_said(
    discord: FakeDiscord, telegram: FakeTelegram, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        webhook = {"TELEGRAM_WEBHOOK_URL": "https://games.example.org/telegram", "TELEGRAM_WEBHOOK_PORT": port}
        running = program(tmp_path, discord, telegram, TELEGRAM_TOKEN=telegram.token, **webhook)
        one_sentence(await asyncio.to_thread(running.failure), port)
