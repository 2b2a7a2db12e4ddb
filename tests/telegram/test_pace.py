"""Groups at the pace of people: nobody who taps once in three seconds waits for a board or for its buttons."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

import pytest

from bot.entry.choices import path_to
from engine import CHANCE, games
from tests.fakes.telegram.world import Message
from tests.support.choosing import cleverly
from tests.telegram.harness import Scene
from tests.telegram.players import Players, carried, skipped
from tests.telegram.test_games import NAMES, sit_down

PACE: Final = 3.0
"""Every how many seconds somebody taps."""
PATIENCE: Final = 2.0
"""How many seconds a tap may have to wait for."""
TAPS: Final = 45
"""More than two minutes of play: the window of a minute is full and goes on."""


@pytest.mark.parametrize("game", games)
async def test_no_tap_waits_in_any_game(scene: Scene, game: str) -> None:
    seats = games[game].seats
    await sit_down(scene, game, "en", *NAMES[: seats[len(seats) // 2]])
    await scene.bot.wait(60)
    players = Players(scene, f"{game} at one tap in three seconds")
    rng, clock, telegram = random.Random(game), scene.bot.clock, scene.telegram
    taps, longest = 0, 0.0

    async def waited(ready: Callable[[], Awaitable[object]]) -> float:
        begun = clock.now
        while not await ready():
            assert clock.now - begun < timedelta(minutes=1), scene.board.labels
            await scene.bot.wait(0.5)
        return (clock.now - begun).total_seconds()

    async def shown() -> bool:
        surfaces = await scene.bot.store.surfaces.list_for_game(players.code)
        return all(each.shown_revision == each.revision for each in surfaces)

    while taps < TAPS and not players.over:
        state = await players.state()
        if state.to_move in (None, CHANCE):
            break
        action = cleverly(state, rng)
        path = path_to(state.game.facts, state.legal_actions(), action)
        mover, board = scene.mover, scene.board
        for depth in range(1, len(path) + 1):
            if skipped(board, path, depth):
                continue
            here = path[:depth]

            async def there(board: Message = board, here: tuple[str, ...] = here) -> bool:
                return carried(board, here) is not None

            longest = max(longest, await waited(there))
            tap = await mover.tap_data(board, carried(board, here) or "")
            await tap.answered.wait()
            assert not tap.alert, (tap.text, here)
            await scene.bot.settle()
            taps += 1
            clock.turn(seconds=PACE)
            await scene.bot.settle()
        longest = max(longest, await waited(shown))
        assert await players.state() != state
    assert taps >= TAPS or players.over
    assert longest <= PATIENCE
    assert telegram.refused == []
