"""The program is killed again and again while games are played: nothing that anybody was shown is ever lost."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.durability.days import Days
from tests.durability.matches import FOR_TWO, Match, in_turn
from tests.durability.outcome import check_boards, check_causes, wait_until_settled
from tests.durability.people import OnDiscord, OnTelegram, Player
from tests.durability.process import TIMEOUT_SECONDS
from tests.durability.world import World

SHORT: Final = 8
LONG: Final = 120


@pytest.mark.parametrize("kills", [SHORT, pytest.param(LONG, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_kills_lose_no_confirmed_action_and_repeat_none(tmp_path: Path, kills: int) -> None:
    rng = random.Random(kills)
    async with World(tmp_path) as world:
        tables = seating(world, rng)
        days = Days(world)
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            playing = [group.create_task(games(world, players, keys, stop, rng)) for players, keys in tables]
            for number in range(kills):
                await days.wanted(number)
                await life(world, rng, number)
                world.ledger.check()
                for code, revision in world.shown.items():
                    assert world.ledger.revision(code) >= revision, f"{code} was shown at {revision}"
            world.start()
            stop.set()
            for task in playing:
                await task
        await wait_until_settled(world)
        await days.posted()
        assert world.program is not None
        world.program.terminate()
        await world.ended()
        assert world.program.exit_code == 0
        world.ledger.check()
        matches = [match for task in playing for match in task.result()]
        check_causes(world, [player for players, _ in tables for player in players])
        await check_boards(world, matches)
        days.check()
        assert sum(match.acts for match in matches) >= kills


async def games(
    world: World, players: list[Player], keys: Iterator[str], stop: asyncio.Event, rng: random.Random
) -> list[Match]:
    """Have people play one game after the other."""
    matches = []
    while not stop.is_set():
        match = Match(world, next(keys), players, random.Random(rng.random()))
        matches.append(match)
        await match.start()
        await match.play(stop)
    return matches


def seating(world: World, rng: random.Random) -> list[tuple[list[Player], Iterator[str]]]:
    """Return who plays with whom, and what: on Discord, on Telegram, and between them."""
    discord, telegram = world.discord, world.telegram
    tables: list[tuple[list[Player], Iterator[str]]] = []
    for number in range(max(6, len(FOR_TWO))):
        channel = discord.text_channel(world.guild, f"table{number}")
        chat = telegram.group(f"Table {number}")
        here = [OnDiscord(world, f"{name}{number}", channel, rng) for name in ("Anna", "Bruno")]
        there = [OnTelegram(world, f"{name}{number}", chat, rng) for name in ("Carla", "Dario")]
        seated: list[list[Player]] = [[*here], [*there], [here[0], there[0]]]
        tables.append((seated[number % 3], in_turn(number)))
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
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await done.wait()
    world.on_call = lambda _: None
    await world.ended()
    world.tell()
