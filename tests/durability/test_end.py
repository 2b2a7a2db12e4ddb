"""The program is asked to end: it finishes what it has begun, and does not wait for those who never answer."""

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from tests.durability.matches import Match
from tests.durability.outcome import check_boards, check_causes, wait_until_settled
from tests.durability.people import OnDiscord, OnTelegram
from tests.durability.world import World
from tests.support.present import present

pytestmark = pytest.mark.timeout(600)
BOARDS: Final = "POST /channels/{channel_id}/messages"
PHOTO: Final = "sendPhoto"


async def two_games(world: World) -> list[Match]:
    """Return a game on Discord and one on Telegram, both begun and shown."""
    rng = random.Random(1)
    channel, chat = world.guild.channels[0], world.telegram.group("Friends")
    world.start()
    matches = [
        Match(world, "annuvin", [OnDiscord(world, name, channel, rng) for name in ("Anna", "Bruno")], rng),
        Match(world, "fagocitare", [OnTelegram(world, name, chat, rng) for name in ("Carla", "Dario")], rng),
    ]
    for match in matches:
        await match.start()
    await wait_until_settled(world)
    return matches


async def one_act_each(matches: list[Match]) -> None:
    """Have somebody act in each game; return when that is stored."""
    await asyncio.gather(*(match.act() for match in matches))


async def test_shutdown_finishes_deliveries_under_way(tmp_path: Path) -> None:
    async with World(tmp_path) as world, AsyncExitStack() as stack:
        matches = await two_games(world)
        gates: list[Any] = [
            await stack.enter_async_context(world.discord.holding(BOARDS)),
            await stack.enter_async_context(world.telegram.holding(PHOTO)),
        ]
        await one_act_each(matches)
        await world.until(("", ""), lambda: all(gate.waiting for gate in gates), "the boards")
        program = present(world.program)
        program.terminate()
        for gate in gates:
            gate.open.set()
        await world.ended()
        assert program.exit_code == 0
        assert world.ledger.behind() == 0
        check_causes(world, [player for match in matches for player in match.players.values()])
        # Where nobody waits for it, it is left to the next time: old boards lose their buttons.
        world.start()
        await wait_until_settled(world)
        await check_boards(world, matches)


async def test_shutdown_completes_without_platform_answers_and_work_resumes_later(tmp_path: Path) -> None:
    async with World(tmp_path) as world:
        matches = await two_games(world)
        async with world.discord.holding(BOARDS) as there, world.telegram.holding(PHOTO) as here:
            await one_act_each(matches)
            await world.until(("", ""), lambda: there.waiting and here.waiting, "the boards")
            # By itself: what ends it by force after nine seconds says 1.
            await world.leave()
            assert world.ledger.undelivered() == 2
        world.start()
        await wait_until_settled(world)
        await world.leave()
        await check_boards(world, matches)
