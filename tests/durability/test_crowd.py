"""Many games at once on both fakes, without rate limits: all state stays consistent under any presses."""

import asyncio
from pathlib import Path

import pytest

from tests.durability.crowd import make_tables, play_tables
from tests.durability.matches import FOR_TWO
from tests.durability.outcome import check_boards, check_causes, wait_until_settled
from tests.durability.world import World


@pytest.mark.parametrize(
    ("count", "acts"), [(max(12, 2 * len(FOR_TWO)), 3), pytest.param(200, 12, marks=pytest.mark.full)]
)
@pytest.mark.timeout(1800)
async def test_crowd_of_players_causes_no_contradiction(tmp_path: Path, count: int, acts: int) -> None:
    async with World(tmp_path) as world:
        players = make_tables(world, count)
        world.start()
        await asyncio.gather(*(table.start() for table in players))
        played = await play_tables(players, most=acts)
        await wait_until_settled(world)
        await world.leave()
        assert played.actions > count
        world.ledger.check()
        check_causes(world, [player for table in players for player in table.players.values()])
        await check_boards(world, players)
        said = (tmp_path / "output.txt").read_text("utf-8")
        assert '"error"' not in said, said
        assert "Traceback" not in said, said
