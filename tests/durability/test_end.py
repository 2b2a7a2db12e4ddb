"""The program is asked to end: it finishes what it has begun, and does not wait for those who never answer."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pytest

from bot.platforms.app import Tavoliere
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


def hurry() -> None:
    """Have the program wait for a moment only for those who never answer."""
    mock.patch.object(Tavoliere.close, "__defaults__", (0.5,)).start()


@asynccontextmanager
async def boards_under_way(world: World, matches: list[Match]) -> AsyncIterator[list[Any]]:
    """Have one action in each game, and each platform hold the board that is sent then; give what lets them go on."""
    async with world.discord.holding(BOARDS) as there, world.telegram.holding(PHOTO) as here:
        await asyncio.gather(*(match.act() for match in matches))
        await world.until(("", ""), lambda: there.waiting and here.waiting, "the boards")
        yield [there, here]


async def test_shutdown_finishes_what_is_under_way_or_leaves_it_to_the_next_time(tmp_path: Path) -> None:
    async with World(tmp_path) as world:
        matches = await two_games(world)
        async with boards_under_way(world, matches) as gates:
            present(world.program).terminate()
            for gate in gates:
                gate.open.set()
            await world.ended()
        assert present(world.program).exit_code == 0
        assert world.ledger.behind() == 0
        check_causes(world, [player for match in matches for player in match.players.values()])
        # Where nobody waits for it, it is left to the next time: old boards lose their buttons.
        world.prepare = hurry
        world.start()
        await wait_until_settled(world)
        await check_boards(world, matches)
        async with boards_under_way(world, matches):
            # By itself: what ends it by force after nine seconds says 1.
            await world.leave()
            assert world.ledger.undelivered() == 2
        world.start()
        await wait_until_settled(world)
        await world.leave()
        await check_boards(world, matches)
