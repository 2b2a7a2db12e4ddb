"""Competitions always end, however people behave; killed, or run by several processes, nothing is done twice."""

import asyncio
import random
import shutil
from pathlib import Path
from typing import Final

import pytest

from storage import Store
from tests.bot.party import Party
from tests.durability import cups
from tests.durability.cups import FORMATS, begin_cup, one_thing, see_that_all_is_whole, state_of, to_the_end
from tests.durability.ledger import Ledger

SHORT: Final = 1
LONG: Final = 60


@pytest.mark.parametrize(("first", "count"), [(3, 1), (5, 1), pytest.param(100, 60, marks=pytest.mark.full)])
@pytest.mark.timeout(1800)
async def test_competitions_end_whoever_comes_goes_and_falls_silent(store: Store, first: int, count: int) -> None:
    async with Party(store) as party:
        for number in range(first, first + count):
            rng = random.Random(number)
            code = await begin_cup(party, rng, FORMATS[number % len(FORMATS)])
            await to_the_end(party, rng, code)
    await see_that_all_is_whole(store)


@pytest.mark.full
@pytest.mark.timeout(1800)
async def test_competitions_end_on_postgresql(two_stores: tuple[Store, Store]) -> None:
    await test_competitions_end_whoever_comes_goes_and_falls_silent(two_stores[0], 200, 30)


@pytest.mark.parametrize("kills", [SHORT, pytest.param(LONG, marks=pytest.mark.full)])
@pytest.mark.timeout(1800)
async def test_kills_begin_no_round_twice_and_pair_no_game_twice(
    tmp_path: Path, empty_database: Path, kills: int
) -> None:
    path, rng = Path(shutil.copy(empty_database, tmp_path)), random.Random(kills)
    ledger = Ledger(path)
    for life in range(1, kills + 1):
        await ledger.live(rng.randrange(30, 90), cups.main, path, life)
        async with await Store.open(path) as store:
            games = await see_that_all_is_whole(store)
    assert games > 0
    ledger.close()


async def test_processes_that_run_the_same_competition_pair_each_game_once(two_stores: tuple[Store, Store]) -> None:
    async with Party(two_stores[0]) as here, Party(two_stores[1]) as there:
        there.numbers = 500_000
        code = await begin_cup(here, random.Random(1), "all")
        for who in ("anna", "bruno", "cora", "dino"):
            await here.press(who, f"cup=join.{code}")
        there.clock.now = here.clock.now
        await asyncio.gather(here.press("anna", f"cup=start.{code}"), there.front.jobs["cups"].run_until_idle())
        rngs = random.Random(2), random.Random(3)
        for _ in range(6):
            await asyncio.gather(*(one_thing(party, rng, code) for party, rng in zip((here, there), rngs, strict=True)))
            there.clock.now = here.clock.now = max(here.clock.now, there.clock.now)
        state = await state_of(here.store, code)
        assert len(state.rounds) >= 1
        assert await see_that_all_is_whole(here.store) == sum(game.id is not None for *_, game in state.games())
