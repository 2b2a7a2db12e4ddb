"""`tavoliere serve` with Telegram: what it says, and what keeps it from starting."""

import asyncio
import signal
import socket
from pathlib import Path
from typing import Any

import aiohttp

from tests.cli.test_serve import Program, one_sentence
from tests.fakes.platform import TIMEOUT_SECONDS
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.server import FakeTelegram
from tests.support.ports import free_port


def program(telegram: FakeTelegram, folder: Path, **environment: str) -> Program:
    api = f"http://127.0.0.1:{telegram.port}"
    return Program(folder, "--port", "0", TELEGRAM_API=api, **{"TELEGRAM_TOKEN": telegram.token, **environment})


async def greeting(running: Program) -> str:
    """Return the next line that a program says of Telegram when it starts."""
    out = running.process.stdout
    while line := await asyncio.to_thread(out.readline):
        if "Telegram" in line:
            return line
    raise AssertionError(running.process.communicate(timeout=60)[1])


async def ended(running: Program) -> tuple[int, str, str]:
    """Stop a program; return its exit code and all it said."""
    running.process.send_signal(signal.SIGTERM)
    out, err = await asyncio.to_thread(running.process.communicate, timeout=60)
    return running.process.wait(), out, err


async def test_it_says_as_whom_it_is_connected_plays_and_tells_in_its_health_that_it_does_not_listen_any_more(
    telegram: FakeTelegram, tmp_path: Path
) -> None:
    anna, port = telegram.account("Anna"), free_port()
    group, token = telegram.group("Friends", anna), telegram.token
    running = program(telegram, tmp_path, TAVOLIERE_OPERATIONS_PORT=str(port))
    try:
        # The first address is that of its health itself.
        _, page = [await asyncio.to_thread(running.address) for _ in range(2)]
        assert await greeting(running) == "Telegram: connected as @tavoliere_bot.\n"
        assert "inline mode is off" in await greeting(running)
        assert "guest mode is off" in await greeting(running)
        await Person(telegram, anna, group).say("/play annuvin")
        await telegram.until(lambda: telegram.shown(group), "the lobby")
        await telegram.until(lambda: telegram.listening, "the bot's listening")
        assert (await healthy(port, 200))["platforms"] == {"telegram": True}
        telegram.token = "4839574812:" + "y" * 35
        await Person(telegram, anna, group).say("/help")
        said = await healthy(port, 503)
        assert (said["reason"], said["failing"], said["platforms"]) == (
            "not-listening",
            ["telegram"],
            {"telegram": False},
        )
        async with aiohttp.ClientSession() as session, session.get(f"{page}healthz") as answer:
            assert (answer.status, await answer.text()) == (503, "not-listening telegram\n")
    finally:
        code, out, err = await ended(running)
    assert code == 0
    assert token not in out + err
    assert "Traceback" not in err


async def test_enabled_feature_is_not_reported_as_off(telegram: FakeTelegram, tmp_path: Path) -> None:
    telegram.lists = True
    running = program(telegram, tmp_path)
    try:
        await greeting(running)
    finally:
        code, out, _ = await ended(running)
    assert code == 0
    assert "is off" not in out


async def healthy(port: int, status: int) -> dict[str, Any]:
    """Return what a program says of its health as soon as it says so with this status."""
    async with aiohttp.ClientSession() as session, asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            async with session.get(f"http://127.0.0.1:{port}/healthz") as answer:
                said: dict[str, Any] = await answer.json()
                if answer.status == status:
                    return said


async def test_a_wrong_token_is_said_in_one_sentence(telegram: FakeTelegram, tmp_path: Path) -> None:
    wrong = program(telegram, tmp_path, TELEGRAM_TOKEN="4839574812:wrong")
    one_sentence(await asyncio.to_thread(wrong.failure), "TELEGRAM_TOKEN")


async def test_a_taken_port_for_calls_is_said(telegram: FakeTelegram, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        url = "https://games.example.org/telegram"
        running = program(telegram, tmp_path, TELEGRAM_WEBHOOK_URL=url, TELEGRAM_WEBHOOK_PORT=port)
        one_sentence(await asyncio.to_thread(running.failure), port)


async def test_it_goes_on_where_telegram_cannot_be_reached(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    token = "4839574812:" + "x" * 35
    running = Program(tmp_path, "--port", "0", TELEGRAM_TOKEN=token, TELEGRAM_API=f"http://127.0.0.1:{port}")
    assert "cannot be reached" in await greeting(running)
    code, out, err = await ended(running)
    assert code == 0
    assert token not in out + err


async def test_without_a_token_it_says_how_to_connect(tmp_path: Path) -> None:
    running = Program(tmp_path, "--port", "0")
    assert "docs/telegram.md" in await greeting(running)
    assert (await ended(running))[0] == 0
