"""What operators are told of the running program: figures and health."""

import asyncio
import json
import logging
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path

import aiohttp
import pytest
from structlog.testing import capture_logs

from bot.cli.installed_games import DamageWatch
from bot.kernel.operations.health import WRITE_CHECK_INTERVAL_SECONDS, HealthWatch, Operations
from bot.kernel.operations.logs import is_own_logger
from bot.kernel.operations.metrics import SEARCHES_WAITING
from storage import DiskFull, GameChange, NewEvent, Store, utc_now
from tests.bot.party import Party
from tests.support.faults import full_disk
from tests.support.stores import make_place, some_people, store_game


@pytest.fixture
async def address(store: Store) -> AsyncIterator[str]:
    """Where the operations of a program answer that is connected to Discord and not to Telegram."""
    operations = Operations(store, lambda: {"discord": True, "telegram": False}, lambda: {SEARCHES_WAITING: 3})
    port = await operations.start("127.0.0.1", 0)
    yield f"http://127.0.0.1:{port}"
    await operations.stop()


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


async def read(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.text()


async def test_health_is_good_while_the_database_answers(address: str, store: Store) -> None:
    status, text = await read(f"{address}/healthz")
    assert status == 200
    assert '"telegram": false' in text
    await store.close()
    assert (await read(f"{address}/healthz"))[0] == 503


async def test_health_fails_from_a_failed_write_until_a_successful_one(address: str, store: Store) -> None:
    await store.room.add_message(utc_now(), text="x" * FREE_BYTES)
    with full_disk() as disk:
        with pytest.raises(DiskFull):
            await store.room.add_message(utc_now(), text="x" * 100_000, key="k")
        for _ in range(2):
            status, text = await read(f"{address}/healthz")
            assert (status, json.loads(text)["reason"]) == (503, "disk-full")
        disk.has_room = True
        status, text = await read(f"{address}/healthz")
        assert (status, json.loads(text)["reason"]) == (200, None)
    assert await store.key_values.get_with_prefix("trial", "") == {}


async def test_health_check_tries_a_write_at_intervals(store: Store) -> None:
    now = 1000.0
    watch = HealthWatch(store, clock=lambda: now)
    await store.room.add_message(utc_now(), text="x" * FREE_BYTES)
    with full_disk() as disk:
        assert (await watch.look()).reason == "disk-full"
        disk.has_room = True
        assert (await watch.look()).reason is None
        # What the trial took away has left room in the file.
        await store.room.add_message(utc_now(), text="x" * 100_000, key="k")
        disk.has_room = False
        assert (await watch.look()).reason is None, "it was tried a moment ago"
        now += WRITE_CHECK_INTERVAL_SECONDS
        assert (await watch.look()).reason == "disk-full"


async def test_failure_between_health_checks_counts_despite_a_successful_write(store: Store) -> None:
    watches = [HealthWatch(store), HealthWatch(store)]
    assert [(await watch.look()).reason for watch in watches] == [None, None]
    await store.room.add_message(utc_now(), text="x" * FREE_BYTES)
    with full_disk() as disk:
        with pytest.raises(DiskFull):
            await store.room.add_message(utc_now(), text="x" * 100_000, key="k")
        disk.has_room = True
        assert [(await watch.look()).reason for watch in watches] == ["disk-full"] * 2
        assert [(await watch.look()).reason for watch in watches] == [None] * 2


async def test_figures_of_games_boards_and_connections(address: str, store: Store) -> None:
    place = await make_place(store)
    await store_game(store, place, await some_people(store, "Ada", "Bob"))
    status, text = await read(f"{address}/metrics")
    lines = text.splitlines()
    assert status == 200
    assert 'tavoliere_games{status="lobby"} 1.0' in lines
    assert 'tavoliere_games{status="playing"} 0.0' in lines
    assert 'tavoliere_connected{platform="discord"} 1.0' in lines
    assert 'tavoliere_connected{platform="telegram"} 0.0' in lines
    assert "tavoliere_searches_waiting 3.0" in lines
    assert f'tavoliere_build_info{{version="{version("tavoliere")}"}} 1.0' in lines
    assert any(line.startswith("tavoliere_database_bytes ") and float(line.split()[1]) > 10_000 for line in lines)
    assert any(line.startswith("tavoliere_event_loop_stall_seconds ") for line in lines)
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)


async def test_metrics_count_games_waiting_for_a_computer(address: str, store: Store) -> None:
    place, people = await make_place(store), await some_people(store, "Ada", "Bob")
    for _ in range(3):
        game = await store_game(store, place, people)
        waits = replace(game, status="playing", thinking=True)
        await store.games.commit(GameChange(game=waits, events=(NewEvent("a"),), at=utc_now() - timedelta(minutes=2)))
    _, text = await read(f"{address}/metrics")
    assert figure(text, "tavoliere_computer_games_due") == 3
    assert figure(text, "tavoliere_computer_games_due_people") == 1
    assert figure(text, "tavoliere_computer_games_due_seconds") >= 120
    assert "Ada" not in text


async def test_a_platform_that_we_fail_to_listen_to_makes_it_ill_and_one_that_is_away_does_not(store: Store) -> None:
    listening, failing = {"discord": True, "telegram": False}, dict[str, str]()
    operations = Operations(store, lambda: listening, failing=lambda: failing)
    address = f"http://127.0.0.1:{await operations.start('127.0.0.1', 0)}"
    status, text = await read(f"{address}/healthz")
    assert (status, json.loads(text)["platforms"], json.loads(text)["failing"]) == (200, listening, [])
    failing["telegram"] = "not-listening"
    status, text = await read(f"{address}/healthz")
    said = json.loads(text)
    assert (status, said["well"], said["database"], said["reason"]) == (503, False, True, "not-listening")
    assert (said["platforms"], said["failing"]) == (listening, ["telegram"])
    failing["telegram"] = "token-in-use"
    assert json.loads((await read(f"{address}/healthz"))[1])["reason"] == "token-in-use"
    failing.clear()
    listening["telegram"] = True
    assert (await read(f"{address}/healthz"))[0] == 200
    failing["discord"] = "not-listening"
    await store.close()
    status, text = await read(f"{address}/healthz")
    said = json.loads(text)
    assert (status, said["database"], said["failing"]) == (503, False, ["discord"])
    assert said["reason"] not in (None, "not-listening")
    await operations.stop()


def figure(text: str, name: str) -> float:
    return next((float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} ")), 0.0)


async def test_requests_and_deliveries_are_counted_without_names(address: str, party: Party) -> None:
    answered = 'tavoliere_requests_total{ended="answered",platform="web"}'
    refused = 'tavoliere_requests_total{ended="refused",platform="web"}'
    shown = 'tavoliere_deliveries_total{ended="shown",platform="web"}'
    before = (await read(f"{address}/metrics"))[1]
    code = await party.started()
    await party.press("anna", "nonsense")
    after = (await read(f"{address}/metrics"))[1]
    for name in (answered, refused, shown):
        assert figure(after, name) > figure(before, name), name
    # No ids of games or people are among the figures.
    assert not [each for each in (code.lower(), "anna") if each in after.lower()]


async def test_taken_port_is_reported(address: str, store: Store) -> None:
    with pytest.raises(OSError, match="address"):
        await Operations(store, dict).start("127.0.0.1", port_of(address))


async def test_a_file_of_the_database_that_is_deleted_while_in_use_is_noticed_and_its_contents_are_saved(
    tmp_path: Path, empty_database: Path
) -> None:
    path, copy = Path(shutil.copy(empty_database, tmp_path)), tmp_path / "copy.db"
    async with await Store.open(path) as store:
        health, watch = HealthWatch(store), DamageWatch(store, time.monotonic)
        await store.room.add_message(utc_now(), text="before")
        assert (await health.look()).reason is None
        path.with_name("tavoliere.db-wal").unlink()
        await store.room.add_message(utc_now(), text="after")
        assert (await health.look()).reason == "file-removed"
        with capture_logs() as logs:
            await watch.scan()
            await watch.scan()
        assert [(entry["event"], entry["files"]) for entry in logs] == [("database-file-removed", ["tavoliere.db-wal"])]
        # What a kill would leave now.
        shutil.copy(path, copy)
    async with await Store.open(copy) as store:
        assert [message.text for message in await store.room.list_messages(None)] == ["before", "after"]


FREE_BYTES = 400_000
"""More than the pages that the migrations have left free in a new file."""
NONSENSE = {
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a header that is none": b"GET /healthz HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n",
    "two lengths": b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "a long line": b"GET /" + b"x" * 10_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.mark.parametrize("what", NONSENSE)
async def test_malformed_request_is_not_logged_as_an_error(
    address: str, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("aiohttp.server")
    logger.addFilter(is_own_logger)
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(address))
        writer.write(NONSENSE[what])
        answer = await reader.read()
        writer.close()
    finally:
        logger.removeFilter(is_own_logger)
    assert answer.startswith((b"HTTP/1.0 400", b"HTTP/1.1 400"))
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []


def test_error_in_a_handler_is_logged_as_an_error() -> None:
    def record(error: Exception) -> logging.LogRecord:
        return logging.LogRecord("aiohttp.server", logging.ERROR, "", 1, "?", (), (type(error), error, None))

    assert is_own_logger(record(KeyError("x")))
    assert not is_own_logger(record(ConnectionResetError()))
