"""A database that fails while people play: they are told so, nothing is lost, and everything goes on afterwards."""

import asyncio
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs
from structlog.typing import EventDict

from bot.kernel.operations.listening import log_outage
from storage import Conflict, GameChange, GameRow, Store, Unreachable
from storage.games import StoredGames
from tests.bot.party import Party, words
from tests.support.faults import with_pragma
from tests.support.present import present

TIMEOUT_SECONDS = 0.05
UNAVAILABLE = "cannot be reached right now"


@pytest.fixture
def path(tmp_path: Path, empty_database: Path) -> Path:
    (tmp_path / "data").mkdir()
    return Path(shutil.copy(empty_database, tmp_path / "data"))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Have another program hold the database."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def test_a_locked_database_refuses_a_move_and_takes_it_afterwards(path: Path) -> None:
    async with await Store.open(path, timeout_seconds=TIMEOUT_SECONDS) as store, Party(store) as party:
        code = await party.started()
        before, mover = await party.load_row(code), party.mover
        with locked(path):
            reply = await party.front.typed_text(party.request(mover, event="the-move"), "b1-b2")
            assert UNAVAILABLE in words(reply)
            assert reply.private
            assert await store.games.get(code) == before
        await party.front.typed_text(party.request(mover, event="the-move"), "b1-b2")
        after = await party.load_row(code)
    assert after.turn == before.turn + 1


async def test_a_database_that_becomes_read_only_changes_nothing(path: Path) -> None:
    async with await Store.open(path) as store, Party(store) as party:
        code = await party.started()
        before, mover = await party.load_row(code), party.mover
    with with_pragma("query_only = ON"):
        async with await Store.open(path) as store, party:
            party.store = store
            assert UNAVAILABLE in words(await party.restarted().typed_text(party.request(mover), "b1-b2"))
            assert await store.games.get(code) == before
    async with await Store.open(path) as store, party:
        party.store = store
        party.restarted()
        await party.say(mover, "b1-b2")
        after = await party.load_row(code)
    assert after.turn == before.turn + 1


async def test_a_disk_that_runs_full_in_the_middle_keeps_every_move_that_was_confirmed(path: Path) -> None:
    async with await Store.open(path) as store, Party(store) as party:
        code = await party.started("/play vedova-nera @bruno")
    with closing(sqlite3.connect(path)) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    rng = random.Random(5)
    with with_pragma(f"max_page_count = {pages + 3}"):
        async with await Store.open(path) as store, party:
            party.store = store
            front = party.restarted()
            confirmed = (await front.context.table(code)).playing.state
            for _ in range(400):
                table = await front.context.table(code)
                action = confirmed.random_action(rng)
                person = table.person_at(confirmed.to_move)
                who = next(identity.user_id for identity in await store.people.identities(person or 0))
                request = party.request(who)
                reply = await front.typed_text(request, action.text)
                if UNAVAILABLE in words(reply):
                    break
                confirmed = (await front.context.table(code)).playing.state
            else:
                raise AssertionError("the disk never ran full")
    async with await Store.open(path) as store, party:
        party.store = store
        front = party.restarted()
        assert (await front.context.table(code)).playing.state == confirmed
        assert len(await store.games.events(code)) == (await party.load_row(code)).revision
        # What did not fit was not taken as handled.
        await front.typed_text(request, action.text)
        assert (await front.context.table(code)).playing.state != confirmed


async def test_failure_after_a_stored_move_does_not_claim_that_nothing_was_done(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = Party(store)
    await party.started("/play real-queen @bruno")
    for move in ("e3", "a2", "e4", "b3", "e5", "a3"):
        await party.say(party.mover, move)
    code, commit = party.code, StoredGames.commit
    before = present(await store.games.get(code))

    async def fail(*_: object) -> None:
        raise Unreachable

    async def last(subject: Any, change: GameChange) -> GameRow:
        stored = await commit(subject, change)
        monkeypatch.setattr("storage.games.StoredGames.get_with_people", fail)
        return stored

    monkeypatch.setattr("storage.games.StoredGames.commit", last)
    reply = await party.front.typed_text(party.request(party.mover), "e2")
    after = present(await store.games.get(code))
    await party.front.close()
    assert after.revision == before.revision + 1
    assert UNAVAILABLE not in words(reply)
    assert "Which enemy piece do you capture?" in words(reply)


async def test_an_outage_is_one_line_in_the_log_without_a_traceback(path: Path) -> None:
    waits = asyncio.Event()

    def record_entry(_: object, __: str, entry: EventDict) -> EventDict:
        if entry["event"] == "alarms-waits-for-the-database":
            waits.set()
        return entry

    async with await Store.open(path, timeout_seconds=TIMEOUT_SECONDS) as store:
        party = Party(store)
        with capture_logs([record_entry]) as logs, locked(path):
            await party.front.start()
            async with asyncio.timeout(60):
                await waits.wait()
            await party.front.close()
    (entry, *_) = [entry for entry in logs if entry["event"] == "alarms-waits-for-the-database"]
    assert (entry["log_level"], entry["code"], entry["reason"]) == ("error", "locked", "database is locked")
    assert not [entry for entry in logs if entry.get("exc_info")]


def test_errors_other_than_outages_keep_their_traceback() -> None:
    with capture_logs() as logs:
        log_outage(structlog.get_logger(), "waits", Conflict(game="K7QF22", revision=3))
    assert logs[0]["exc_info"]
