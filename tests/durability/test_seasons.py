"""Leagues and ladders in fast motion: by one process or three, killed at any moment, all follows from their events."""

import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from storage import Store
from tests.bot.party import Party
from tests.durability import seasons
from tests.durability.cups import see_that_all_is_whole
from tests.durability.ledger import Ledger
from tests.durability.seasons import Town


@dataclass(frozen=True)
class Span:
    """How long a league of so many and a ladder of so many are lived through, and how much happens on each day."""

    members: int
    climbers: int
    days: int
    season_days: int
    things: int


SHORT: Final = Span(members=5, climbers=5, days=15, season_days=14, things=2)
YEAR: Final = Span(members=40, climbers=200, days=365, season_days=30, things=10)
MANY_KILLS: Final = 40


@pytest.mark.full
@pytest.mark.timeout(7200)
async def test_a_year_of_a_league_of_40_and_a_ladder_of_200(store: Store) -> None:
    seasons, challenges = await _live(Town([Party(store)], random.Random(1)), YEAR)
    assert seasons >= 12
    assert challenges > 300


@pytest.mark.parametrize("span", [SHORT, pytest.param(YEAR, marks=pytest.mark.full)], ids=["short", "year"])
@pytest.mark.timeout(7200)
async def test_three_processes_that_run_both_open_each_game_once(three_stores: tuple[Store, ...], span: Span) -> None:
    parties = [Party(each) for each in three_stores]
    for number, each in enumerate(parties):
        each.numbers = number * 1_000_000
    seasons, challenges = await _live(Town(parties, random.Random(2)), span)
    assert seasons >= span.days // span.season_days
    assert challenges > 0


async def _live(town: Town, span: Span) -> tuple[int, int]:
    await town.found(span.members, span.climbers, span.season_days)
    await town.live(span.days, span.things)
    lived = await town.see_that_all_is_whole()
    for each in town.parties:
        await each.front.close()
    return lived


@pytest.mark.parametrize("kills", [1, pytest.param(MANY_KILLS, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_kills_open_each_league_game_exactly_once(tmp_path: Path, empty_database: Path, kills: int) -> None:
    path, chance = Path(shutil.copy(empty_database, tmp_path)), random.Random(kills)
    ledger = Ledger(path)
    for life in range(1, kills + 1):
        await ledger.live(chance.randrange(1, 40), seasons.main, path, life)
        async with await Store.open(path) as store:
            await see_that_all_is_whole(store)
    ledger.close()
