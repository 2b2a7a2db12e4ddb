"""Several processes share Discord's servers out among themselves: each shard is one's, and the dead are replaced."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from unittest.mock import AsyncMock

import pytest
from structlog.testing import capture_logs

from bot.platforms.discord import client as shards_module
from bot.platforms.discord.decode import PLATFORM
from storage import Store
from tests.discord.harness import Bot, held_by, list_pauses, wait_for_shards
from tests.fakes.discord.gateway import Session
from tests.fakes.discord.people import Person
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Guild
from tests.support.pauses import Pauses
from tests.support.postgres import Postgres
from tests.support.present import present
from tests.support.program import connection_state
from tests.support.stores import connected_event

SHARDS = 2
PRESS = "POST /interactions/{interaction_id}/{interaction_token}/callback"


class Shared:
    """A Discord in so many shards, and processes on one database."""

    def __init__(self, discord: FakeDiscord, address: str, stack: AsyncExitStack) -> None:
        self.discord = discord
        self.guilds = [discord.guild(f"Part {shard}", shard=shard) for shard in range(SHARDS)]
        self._address = address
        self._stack = stack
        self.running: list[Bot] = []

    async def process(self) -> Bot:
        """Return one more process, which wants its share."""
        store = await Store.open(self._address)
        store.start_sharing()
        bot = Bot(self.discord, store)
        bot.connecting["shards"] = SHARDS
        await bot.start()
        self.running.append(bot)
        self._stack.push_async_callback(self.end, bot)
        return bot

    async def end(self, bot: Bot) -> None:
        """End a process, if it runs."""
        if bot in self.running:
            self.running.remove(bot)
            await bot.stop()
            await bot.store.close()

    def person(self, name: str, guild: Guild) -> Person:
        return Person(self.discord, self.discord.account(name), guild.channels[0])

    def session(self, shard: int) -> Session:
        return present(self.discord.gateway.session_of(shard))


@pytest.fixture
async def shared(discord: FakeDiscord, postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Shared]:
    monkeypatch.setattr(shards_module, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(shards_module, "LEASE_GRACE_SECONDS", 0.2)
    discord.gateway.shards = SHARDS
    address = postgres.address(await postgres.take_empty_database())
    async with AsyncExitStack() as stack:
        yield Shared(discord, address, stack)


async def check_served(shared: Shared, guild: Guild, bot: Bot) -> None:
    """See that somebody in a server is answered by a process."""
    person = shared.person("Anna", guild)
    await person.command("help")
    await bot.settle()
    assert "/play" in person.newest_private.text


async def test_one_alone_serves_all_shards_another_takes_its_share_and_one_that_ends_is_replaced(
    shared: Shared,
) -> None:
    first = await shared.process()
    await wait_for_shards(shared.discord, [first])
    for guild in shared.guilds:
        await check_served(shared, guild, first)
    assert len(shared.discord.commands) > 20
    second = await shared.process()
    await wait_for_shards(shared.discord, [first, second])
    (given,) = held_by(second)
    await shared.end(second)
    await wait_for_shards(shared.discord, [first])
    await check_served(shared, shared.guilds[given], first)


async def test_interactions_of_a_released_shard_are_still_answered(shared: Shared) -> None:
    first = await shared.process()
    await wait_for_shards(shared.discord, [first])
    people = [shared.person(f"Anna{shard}", guild) for shard, guild in enumerate(shared.guilds)]
    async with shared.discord.holding(PRESS) as gate:
        asked = [await person.send_command("help") for person in people]
        await shared.discord.until(lambda: gate.waiting == SHARDS, "the first answers")
        second = await shared.process()
        await wait_for_shards(shared.discord, [first, second])
    await shared.discord.until(lambda: all(each.answer is not None for each in asked), "the answers")
    await first.settle()
    assert all("/play" in person.newest_private.text for person in people)


async def test_a_process_that_was_cut_off_from_the_database_keeps_its_shards(
    shared: Shared, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards_module, "LEASE_GRACE_SECONDS", 60.0)
    bots = [await shared.process(), await shared.process()]
    await wait_for_shards(shared.discord, bots)
    before = [(held_by(bot), shared.session(shard).id) for shard, bot in enumerate(bots)]
    assert [await bot.store.register_peer(PLATFORM) for bot in bots] == [2, 2]
    back = [connected_event(bot.store) for bot in bots]
    lost = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    await postgres.execute(f"{lost} AND datname LIKE 'tavoliere%'")
    async with asyncio.timeout(60):
        for event in back:
            await event.wait()
    for bot in bots:
        for shard in held_by(bot):
            assert await bot.store.acquire_lock(shards_module.shard_claim(shard))
    await wait_for_shards(shared.discord, bots)
    assert before == [(held_by(bot), shared.session(shard).id) for shard, bot in enumerate(bots)]


async def test_one_shard_that_stumbles_is_listened_to_again(shared: Shared) -> None:
    bot = await shared.process()
    await wait_for_shards(shared.discord, [bot])
    shards = present(bot.connection.shards)
    broken = present(shared.discord.gateway.session)
    pauses = list_pauses(shards._sessions[broken.shard])
    await shared.discord.gateway.garble("{")
    await pauses.begun()
    assert connection_state(bot) == (False, True)
    pauses.end()
    await shared.discord.until(lambda: shared.session(broken.shard) is not broken, "the new connection")
    await check_served(shared, shared.guilds[broken.shard], bot)
    assert connection_state(bot) == (True, False)


async def test_sharing_out_goes_on_after_a_mistake_of_ours(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = await shared.process()
    await wait_for_shards(shared.discord, [bot])
    shards, pauses = bot.connection.shards, Pauses()
    present(shards)._listener._rest = pauses

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(Store, "register_peer", AsyncMock(side_effect=ZeroDivisionError))
        await pauses.begun()
        assert connection_state(bot) == (False, True)
        pauses.end()
        await pauses.begun()
    assert [each["event"] for each in logs if each["log_level"] == "error"] == ["listener-failed"] * 2
    pauses.end()
    other = await shared.process()
    await wait_for_shards(shared.discord, [bot, other])
    assert connection_state(bot) == (True, False)
