"""Live games: nobody is charged more than they used, and none loses on a clock that did not run."""

import pytest

from storage import Store
from tests.durability.live_games import LiveWorld


@pytest.mark.parametrize(
    ("seed", "games"),
    [(1, 4), pytest.param(2, 500, marks=[pytest.mark.full, pytest.mark.timeout(1800)])],
)
async def test_one_process(store: Store, seed: int, games: int) -> None:
    world = LiveWorld([store], seed)
    for _ in range(games):
        await world.play()
    assert sum(world.ended.values()) == games


@pytest.mark.parametrize(
    ("seed", "games"),
    [(3, 2), pytest.param(4, 500, marks=[pytest.mark.full, pytest.mark.timeout(1800)])],
)
async def test_two_processes(two_stores: tuple[Store, Store], seed: int, games: int) -> None:
    world = LiveWorld(two_stores, seed)
    for _ in range(games):
        await world.play()
    assert sum(world.ended.values()) == games
