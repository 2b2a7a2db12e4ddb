"""The program is killed again and again while games are played: nothing that anybody was shown is ever lost."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.durability.days import Days
from tests.durability.matches import FOR_TWO, Match, Series
from tests.durability.outcome import check_boards, check_causes, wait_until_settled
from tests.durability.people import Player, on_discord, on_telegram
from tests.durability.process import TIMEOUT_SECONDS
from tests.durability.world import World
from tests.support.tiny import draw_tiny_pictures

SHORT: Final = 4
"""One kill of each kind."""
LONG: Final = 120


@pytest.mark.parametrize("kills", [SHORT, pytest.param(LONG, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_kills_lose_no_confirmed_action_and_repeat_none(tmp_path: Path, kills: int) -> None:
    rng = random.Random(kills)
    async with World(tmp_path) as world:
        world.prepare = draw_tiny_pictures
        tables = seating(world, rng)
        days = Days(world)
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            playing = [group.create_task(table.play(stop)) for table in tables]
            for number in range(kills):
                await days.wanted(number)
                await life(world, rng, number)
                world.ledger.check()
                for code, revision in world.shown.items():
                    assert world.ledger.revision(code) >= revision, f"{code} was shown at {revision}"
            world.start()
            await world.until(("", ""), lambda: sum(table.acts for table in tables) >= kills, "what people do")
            stop.set()
            await asyncio.gather(*playing)
        await wait_until_settled(world)
        await days.posted()
        await world.leave()
        world.ledger.check()
        check_causes(world, [player for table in tables for player in table.players])
        await check_boards(world, [match for table in tables for match in table.matches])
        days.check()


def seating(world: World, rng: random.Random) -> list[Series]:
    """Return who plays with whom: on Discord, on Telegram, and between them."""
    tables = []
    for number in range(max(6, len(FOR_TWO))):
        here = on_discord(world, world.guild, number, rng, "Anna", "Bruno")
        there = on_telegram(world, number, rng, "Carla", "Dario")
        seated: list[Sequence[Player]] = [here, there, [here[0], there[0]]]
        tables.append(Series(world, Match, seated[number % 3], number, rng))
    return tables


async def life(world: World, rng: random.Random, number: int) -> None:
    """Let the program live for a while: until some time, some call of a platform's, or some change of the database."""
    world.start()
    done = asyncio.Event()

    def kill() -> None:
        world.kill()
        done.set()

    kind = number % 4
    at_call = rng.randrange(1, 40) if kind in (1, 2) else 0

    def on_call(finished: bool) -> None:
        if at_call and world.calls >= 2 * at_call and finished == (kind == 2) and not done.is_set():
            kill()

    world.on_call = on_call
    if kind == 0:
        await asyncio.sleep(rng.random() * 2)
        kill()
    elif kind == 3:
        await world.ledger.written(rng.randrange(1, 60))
        kill()
    else:
        await asyncio.wait_for(done.wait(), TIMEOUT_SECONDS)
    world.on_call = lambda _: None
    await world.ended()
    world.tell()
