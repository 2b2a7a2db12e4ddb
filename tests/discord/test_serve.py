"""`tavoliere serve` as a process that connects to Discord: the fake one, to which a small script directs it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from bot.discord.decode import REQUIRED_PERMISSIONS
from tests.fakes.discord.server import FakeDiscord

ROOT: Final = Path(__file__).parents[2]
TIMEOUT_SECONDS: Final = 60
SCRIPT: Final = """
import sys
import discord.gateway, discord.http, yarl
discord.http.Route.BASE = sys.argv.pop(1)
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(sys.argv.pop(1))
from bot.__main__ import main
sys.exit(main())
"""


@asynccontextmanager
async def program(
    folder: Path, api: str, gateway: str, **environment: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the program in a folder; it is ended with the block."""
    clean = {name: value for name, value in os.environ.items() if not name.endswith(("TOKEN", "_URL"))}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "ignore", "-c", SCRIPT, api, gateway, "serve", "--port", "0"),
        cwd=folder,
        env=clean | {"LANG": "en_GB.UTF-8", "PYTHONPATH": str(ROOT)} | environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def greeting(process: asyncio.subprocess.Process) -> str:
    """Return what is printed until the line about Discord."""
    assert process.stdout is not None
    lines: list[str] = []
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not (lines and lines[-1].startswith("Discord")):
            line = (await process.stdout.readline()).decode()
            assert line, (await process.communicate())[1].decode()
            lines.append(line)
    return "".join(lines)


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord() as running:
        yield running


async def test_it_connects_says_as_whom_and_leaves(fake: FakeDiscord, tmp_path: Path) -> None:
    fake.guild("Friends")
    async with program(tmp_path, fake.api_url, fake.gateway_url, DISCORD_TOKEN=fake.token) as process:
        said = await greeting(process)
        assert "connected as tavoliere" in said
        assert f"client_id={fake.application_id}&scope=bot&permissions={REQUIRED_PERMISSIONS.value}" in said
        await fake.until(lambda: fake.gateway.connected, "the bot")
        assert "play" in fake.commands
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(TIMEOUT_SECONDS):
            out, err = await process.communicate()
        assert process.returncode == 0
        assert "stopped" in out.decode()
        assert fake.token not in err.decode()
        assert "Traceback" not in err.decode()
    assert not fake.gateway.connected
    assert fake.refused == []


async def test_a_wrong_token_is_one_sentence(fake: FakeDiscord, tmp_path: Path) -> None:
    async with program(tmp_path, fake.api_url, fake.gateway_url, DISCORD_TOKEN="wrong-token") as process:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            _, err = await process.communicate()
        assert process.returncode == 3
        (said,) = err.decode().splitlines()
        assert "DISCORD_TOKEN" in said
        assert "wrong-token" not in err.decode()


async def test_without_a_token_it_says_how_to_connect(fake: FakeDiscord, tmp_path: Path) -> None:
    async with program(tmp_path, fake.api_url, fake.gateway_url) as process:
        assert "docs/discord.md" in await greeting(process)
    assert fake.calls == []


async def test_while_discord_cannot_be_reached_the_page_is_there(fake: FakeDiscord, tmp_path: Path) -> None:
    unreachable = "http://127.0.0.1:9/api/v10"
    async with program(tmp_path, unreachable, fake.gateway_url, DISCORD_TOKEN=fake.token) as process:
        said = await greeting(process)
        assert "http://127.0.0.1:" in said
        assert "cannot be reached now" in said
