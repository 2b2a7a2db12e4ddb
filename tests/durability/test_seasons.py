"""A ladder in fast motion, run by two processes at once: no game is opened twice, and its events say all."""

from __future__ import annotations

import asyncio
import random

import pytest

from bot.matches.check import check_seasons
from bot.play.clocks import HEARTBEAT_NAME
from storage import Store
from tests.bot.ladders import a_ladder, ladder_of
from tests.bot.party import Party

PEOPLE = ("anna", "bruno", "cora", "dino", "elsa", "fido")


@pytest.mark.parametrize("days", [10, pytest.param(365, marks=pytest.mark.full)])
@pytest.mark.timeout(1800)
async def test_processes_that_run_the_same_ladder_open_each_game_once(
    two_stores: tuple[Store, Store], days: int
) -> None:
    here, there = (Party(store) for store in two_stores)
    there.numbers = 500_000
    rng = random.Random(days)
    code = await a_ladder(here, "/ladder annuvin clock:1d days:1", *PEOPLE)
    for _ in range(days):
        there.clock.now = here.clock.now = max(here.clock.now, there.clock.now)
        who, other = rng.sample(range(len(PEOPLE)), 2)
        await here.press(PEOPLE[who], f"ladder=challenge.{code}.{other}")
        for each in (await ladder_of(here, code)).stands.open.values():
            ladder = await ladder_of(here, code)
            name = ladder.name(each.challenged).lower()
            row = await here.store.games.get(each.game) if each.game is not None else None
            if row is not None and row.to_move is not None:
                (mover,) = (await here.store.people.get_many([row.to_move])).values()
                await there.press(mover.name.lower(), f"resign!:{row.id}:{row.revision}")
            elif rng.random() < 0.7:
                presses = (party.press(name, f"ladder=accept.{code}.{each.number}") for party in (here, there))
                await asyncio.gather(*presses)
        here.clock.turn(hours=24)
        there.clock.turn(hours=24)
        await here.store.alarms.record_heartbeat(HEARTBEAT_NAME, here.clock())
        await asyncio.gather(*(party.front.jobs["ladders"].run_until_idle() for party in (here, there)))
    assert [findings async for _, findings in check_seasons(here.store)] == [()]
    assert (await ladder_of(here, code)).stands.made > 0
    await here.front.close()
    await there.front.close()
