"""Votes of a channel outlive a program that is killed, and count once among several processes."""

import asyncio
import random
import shutil
import time
from pathlib import Path
from typing import Final

import pytest

from storage import Store
from tests.bot.party import Party
from tests.durability import votes
from tests.durability.process import Life
from tests.durability.votes import PEOPLE, Votes, check_votes, count_rounds, do_one_thing, voting_game
from tests.support.postgres import Postgres

TIMEOUT_SECONDS: Final = 300.0


@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        ("sqlite", 1),
        pytest.param("sqlite", 20, marks=pytest.mark.full),
        pytest.param("postgresql", 10, marks=pytest.mark.full),
    ],
)
@pytest.mark.timeout(1800)
async def test_kills_lose_no_confirmed_vote(
    postgres: Postgres, tmp_path: Path, empty_database: Path, kind: str, kills: int
) -> None:
    address = f"sqlite+aiosqlite:///{shutil.copy(empty_database, tmp_path)}"
    if kind == "postgresql":
        address = postgres.address(await postgres.take_empty_database())
    confirmed = await _killed_again_and_again(address, kills)
    async with await Store.open(address) as store, Party(store) as party:
        # Another one comes up after the end of the round, and counts what there is.
        before = await count_rounds(store)
        for days in (5, 2):
            party.clock.turn(days=days)
            await party.front.jobs["teams"].run_until_idle()
        assert await check_votes(store, confirmed) == {}
        assert await count_rounds(store) > before


async def _killed_again_and_again(address: str, kills: int) -> Votes:
    """Have programs vote until they are killed, so often, and return the votes of which somebody was told."""
    rng, begun = random.Random(kills), time.time()
    confirmed: Votes = {}
    # Of an SQLite file there is one process; of a server there are two, of which the first comes a little earlier.
    count = 2 if address.startswith("postgres") else 1
    for life in range(1, kills + 1):
        alive = [await _started(address, life, number, begun) for number in range(count)]
        received = await asyncio.gather(*(_lines_of(process, rng.randrange(20, 60)) for process in alive))
        for process, lines in zip(alive, received, strict=True):
            rest = await process.killed()
            for line in [*lines, *rest.splitlines(keepends=True)]:
                match line.decode().split() if line.endswith(b"\n") else ():
                    case ["done", code, who, number, proposal]:
                        confirmed[code, who, int(number)] = int(proposal)
        async with await Store.open(address) as store:
            moved = await check_votes(store, confirmed)
        assert len(moved) <= count, "only what was under way at the end may have been done unreceived"
        confirmed |= moved
    assert confirmed
    return confirmed


async def _started(address: str, life: int, number: int, begun: float) -> Life:
    """Start a process, and return it once it votes."""
    process = await Life.start(votes.main, address, life, number, begun)
    await _lines_of(process, 2)
    return process


async def _lines_of(process: Life, count: int) -> list[bytes]:
    """Return the next lines that a process writes."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        return [await process.stdout.readline() for _ in range(count)]


async def test_several_processes_count_each_vote_once_and_end_each_round_once(two_stores: tuple[Store, Store]) -> None:
    async with Party(two_stores[0]) as here, Party(two_stores[1]) as there:
        there.numbers = 500_000
        code = await voting_game(here)
        rngs = random.Random(2), random.Random(3)
        for _ in range(25):
            await asyncio.gather(
                *(do_one_thing(party, rng, code) for party, rng in zip((here, there), rngs, strict=True))
            )
            there.clock.now = here.clock.now = max(here.clock.now, there.clock.now)
        # One person on two devices, each at a process of its own, in the same moment; and the round ends at both.
        table = await here.table(code)
        if table.row.status == "playing":
            await here.front.typed_text(here.request(PEOPLE[0]), f"/move {await here.legal(code)} game:{code}")
            vote = f"vote:{code}:{table.row.revision}=1"
            await asyncio.gather(*(party.front.press(party.request(PEOPLE[1]), vote) for party in (here, there)))
        there.clock.now = here.clock.now = max(here.clock.now, there.clock.now)
        for party in (here, there):
            party.clock.turn(days=2)
        await asyncio.gather(*(party.front.jobs["teams"].run_until_idle() for party in (here, there)))
        assert await check_votes(here.store, {}) == {}
        assert await count_rounds(here.store) > 0
