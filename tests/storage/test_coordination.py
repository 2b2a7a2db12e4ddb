"""Several processes on one database: they hear of each other's changes, and no work is two processes'."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import make_url

from storage import MISSED_NEWS, DuePost, News, Store, Unreachable, coordination
from tests.support.postgres import Postgres
from tests.support.stores import START, connect, make_place, one_step, some_people, store_game

TIMEOUT_SECONDS = 60


class Changed(Exception):
    """Somebody's mind has changed in the middle of a transaction."""


class Ear:
    """What a store's listeners received from other processes."""

    def __init__(self, store: Store) -> None:
        self.received: list[Any] = []
        self._news = asyncio.Event()
        store.add_listener(self._hear)

    def _hear(self, news: News) -> None:
        if news.is_remote:
            self.received.append(None if news is MISSED_NEWS else [news.kind, news.details])
            self._news.set()

    async def until(self, *wanted: Any) -> None:
        """Wait until all of this was received."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not all(each in self.received for each in wanted):
                self._news.clear()
                await self._news.wait()


@pytest.fixture
async def address(postgres: Postgres) -> str:
    return postgres.address(await postgres.take_empty_database())


async def cut_off(postgres: Postgres, address: str, *ears: Ear) -> None:
    """End all connections to a database, as if the server had, and wait until these ears have noticed."""
    for ear in ears:
        ear.received.clear()
    lost = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    await postgres.execute(f"{lost} AND datname = current_database()", make_url(address).database or "")
    for ear in ears:
        await ear.until(None)


@pytest.fixture
async def two(address: str) -> AsyncIterator[tuple[Store, Ear, Store, Ear]]:
    """Two processes' stores on one database, connected."""
    async with await Store.open(address) as here, await Store.open(address) as there:
        mine, theirs = Ear(here), Ear(there)
        await connect(here)
        await connect(there)
        yield here, mine, there, theirs


async def test_changes_are_published_to_other_processes_when_they_are_committed(
    two: tuple[Store, Ear, Store, Ear],
) -> None:
    here, mine, _, theirs = two
    place, people = await make_place(here), await some_people(here, "Ada", "Bob")
    with suppress(Changed):
        async with here.transaction():
            await store_game(here, place, people)
            raise Changed
    game = await store_game(here, place, people)
    await theirs.until(["game", game.id])
    await here.games.commit(one_step(replace(game, turn=1)))
    await here.room.add_message(START, text="hello")
    await theirs.until(["room", None])
    assert [each for each in theirs.received if each is not None and each[0] == "game"] == [["game", game.id]] * 2
    # Too many due posts are left out, but no other details.
    due = tuple(DuePost(number, "web", "room", START) for number in range(300))
    async with here.transaction():
        await here.tell_peers("due", due)
        game = await store_game(here, place, people)
    await theirs.until(["due", None], ["game", game.id], ["shown", [place.id, game.id]])
    assert mine.received == [None]


async def test_lock_is_exclusive_until_released(two: tuple[Store, Ear, Store, Ear]) -> None:
    here, _, there, _ = two
    async with here.lock("chat web room") as ours:
        assert ours
        async with there.lock("chat web room") as theirs, there.lock("chat web hall") as other:
            assert (theirs, other) == (False, True)
    async with there.lock("chat web room") as theirs:
        assert theirs


async def test_locks_of_a_lost_process_are_released(two: tuple[Store, Ear, Store, Ear], address: str) -> None:
    _, _, there, _ = two
    gone = await Store.open(address)
    await connect(gone)
    held = gone.lock("chat web room")
    assert await held.__aenter__()
    async with there.lock("chat web room") as theirs:
        assert not theirs
    await gone.close()
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while True:
            async with there.lock("chat web room") as theirs:
                if theirs:
                    break
    await held.__aexit__(None, None, None)


async def test_a_claim_is_held_until_it_is_released_or_lost(
    two: tuple[Store, Ear, Store, Ear], postgres: Postgres, address: str
) -> None:
    here, mine, there, _ = two
    assert await here.acquire_lock("shard 1")
    assert await here.acquire_lock("shard 1")
    assert not await there.acquire_lock("shard 1")
    await here.release_lock("shard 1")
    assert await there.acquire_lock("shard 1")
    assert not await here.acquire_lock("shard 1")
    await here.acquire_lock("shard 2")
    epoch = here.lock_epoch
    await cut_off(postgres, address, mine)
    assert here.lock_epoch != epoch


async def test_no_lock_stays_of_somebody_who_is_cancelled_while_acquiring_it(
    two: tuple[Store, Ear, Store, Ear], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, mine, there, _ = two
    granted = asyncio.Event()
    connection = here._driver
    ask = connection.fetchval

    async def answered_late(*arguments: Any) -> None:
        await ask(*arguments)
        granted.set()
        await asyncio.Event().wait()

    mine.received.clear()
    with monkeypatch.context() as patched:
        patched.setattr(here, "_driver", SimpleNamespace(fetchval=answered_late))
        claim = asyncio.create_task(here.acquire_lock("shard 1"))
        await granted.wait()
        assert not await there.acquire_lock("shard 1")
        claim.cancel()
        with pytest.raises(asyncio.CancelledError):
            await claim
    await mine.until(None)
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not await there.acquire_lock("shard 1"):
            continue


async def test_peers_are_counted(two: tuple[Store, Ear, Store, Ear], postgres: Postgres, address: str) -> None:
    here, mine, there, theirs = two
    assert await here.register_peer("discord") == 1
    assert await there.register_peer("discord") == 2
    assert await there.register_peer("something else") == 1
    await cut_off(postgres, address, mine, theirs)
    # They are counted again without asking for it, each after it has connected.
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while await here.register_peer("discord") < 2:
            continue
    await there.close()
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while await here.register_peer("discord") > 1:
            continue


async def test_peers_are_counted_again_periodically(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordination, "HEARTBEAT_SECONDS", 0.05)
    async with await Store.open(address) as here, await Store.open(address) as there:
        for store in (here, there):
            store.start_sharing()
            assert store.peer_count("discord") == 1
        assert [here.peer_count(name) for name in ("telegram", "web")] == [1, 1]
        assert there.peer_count("web") == 1
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while (here.peer_count("discord"), there.peer_count("discord")) != (2, 2):
                await here.posts.next_due_at()
            while here.peer_count("web") != 2:
                await here.posts.next_due_at()
        assert here.peer_count("telegram") == 1


async def test_a_connection_that_is_lost_comes_back_and_says_that_something_may_be_missed(
    two: tuple[Store, Ear, Store, Ear], postgres: Postgres, address: str
) -> None:
    here, mine, there, theirs = two
    old = here.lock("chat web room")
    assert await old.__aenter__()
    await cut_off(postgres, address, mine, theirs)
    game = await store_game(here, await make_place(here), await some_people(here, "Ada", "Bob"))
    await theirs.until(["game", game.id])
    # To release a lock from before keeps the one from after it.
    async with here.lock("chat web room") as ours:
        assert ours
        await old.__aexit__(None, None, None)
        async with there.lock("chat web room") as stolen:
            assert not stolen


async def test_no_lock_is_acquired_without_a_connection(address: str) -> None:
    store = await Store.open(address)
    store.start_sharing()
    with pytest.raises(Unreachable):
        async with store.lock("before it is connected"):
            raise AssertionError
    await store.close()


async def test_a_file_has_no_other_processes(tmp_path: Path, empty_database: Path) -> None:
    async with await Store.open(Path(shutil.copy(empty_database, tmp_path))) as store:
        store.start_sharing()
        async with store.lock("anything") as ours:
            assert ours
        assert await store.acquire_lock("anything")
        assert await store.register_peer("anything") == 1
        assert store.peer_count("anything") == 1
        await store.release_lock("anything")
