"""`tavoliere serve` as a process that connects to Discord: the fake one, to which it is directed."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from bot.platforms.discord.decode import REQUIRED_PERMISSIONS
from tests.fakes.discord.server import FakeDiscord
from tests.support.comparing import missing_from
from tests.support.forked import Forked

TIMEOUT_SECONDS: Final = 60


@contextmanager
def program(folder: Path, api: str, gateway: str, **environment: str) -> Iterator[Forked]:
    """Run the program in a folder; it is ended with the block."""
    clean = {name: value for name, value in os.environ.items() if not name.endswith(("TOKEN", "_URL"))}
    clean |= {"LANG": "en_GB.UTF-8"} | environment
    process = Forked(("serve", "--port", "0"), folder, clean, fakes=(api, gateway))
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            process.communicate(TIMEOUT_SECONDS)


async def greeting(process: Forked) -> str:
    """Return what is printed until the line about Discord."""
    lines: list[str] = []
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not (lines and lines[-1].startswith("Discord")):
            line = await asyncio.to_thread(process.stdout.readline)
            assert line, (await asyncio.to_thread(process.communicate))[1]
            lines.append(line)
    return "".join(lines)


@pytest.fixture
async def fake() -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord() as running:
        yield running


async def test_it_connects_says_as_whom_and_leaves(fake: FakeDiscord, tmp_path: Path) -> None:
    fake.guild("Friends")
    with program(tmp_path, fake.api_url, fake.gateway_url, DISCORD_TOKEN=fake.token) as process:
        said = await greeting(process)
        assert "connected as tavoliere" in said
        assert f"client_id={fake.application_id}&scope=bot&permissions={REQUIRED_PERMISSIONS.value}" in said
        await fake.until(lambda: fake.gateway.connected, "the bot")
        assert "play" in fake.commands
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.to_thread(process.communicate, TIMEOUT_SECONDS)
        assert process.returncode == 0
        assert "stopped" in out
        assert fake.token not in err
        assert "Traceback" not in err
    assert not fake.gateway.connected
    assert fake.refused == []


async def test_a_wrong_token_is_one_sentence(fake: FakeDiscord, tmp_path: Path) -> None:
    with program(tmp_path, fake.api_url, fake.gateway_url, DISCORD_TOKEN="wrong-token") as process:
        _, err = await asyncio.to_thread(process.communicate, TIMEOUT_SECONDS)
        assert process.returncode == 3
        (said,) = err.splitlines()
        assert "DISCORD_TOKEN" in said
        assert "wrong-token" not in err


async def test_without_a_token_it_says_how_to_connect(fake: FakeDiscord, tmp_path: Path) -> None:
    with program(tmp_path, fake.api_url, fake.gateway_url) as process:
        assert "docs/discord.md" in await greeting(process)
    assert fake.calls == []


async def test_while_discord_cannot_be_reached_the_page_is_there(fake: FakeDiscord, tmp_path: Path) -> None:
    unreachable = "http://127.0.0.1:9/api/v10"
    with program(tmp_path, unreachable, fake.gateway_url, DISCORD_TOKEN=fake.token) as process:
        assert missing_from(await greeting(process), "http://127.0.0.1:", "cannot be reached now") == []
