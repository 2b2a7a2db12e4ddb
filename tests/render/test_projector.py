"""Animating beside the event loop: once for everybody, one at a time, and not too many."""

import asyncio
import threading
from random import Random

import pytest

from engine import games
from engine.turn import group_turns as grouped
from render.animation import ContactSheet, Film
from render.pool import CACHE_BYTES, MAX_WAITING, Projector, Show, TooBusy, show
from tests.engine.tiny import TINY
from tests.render.test_pool import Counting

START = TINY.start()
TURNS = list(grouped(START, START.parse("a1-a2")))


def film(weight: int = 10, *, held: bool = False) -> Counting[Show]:
    """Return what animates nothing, and counts."""
    return Counting(lambda *_, **__: Show(Film(b"g" * weight, (1, 1)), ContactSheet(b"", (1, 1), (0,))), held=held)


async def ask(projector: Projector, key: str = "a", theme: str = "light", viewer: int | None = None) -> Show:
    return await projector.show(key, START, TURNS, names=["Anna"], theme=theme, viewer=viewer)


async def test_a_game_is_animated_once_for_all_who_ask() -> None:
    counting = film()
    async with Projector(counting) as projector:
        shows = await asyncio.gather(*(ask(projector) for _ in range(20)))
        shows.append(await ask(projector))
    assert (counting.count, len({id(each) for each in shows})) == (1, 1)
    assert threading.get_ident() not in counting.threads


async def test_another_theme_viewer_or_revision_is_another_film() -> None:
    counting = film()
    async with Projector(counting) as projector:
        for asked in (("a", "light", None), ("a", "dark", None), ("a", "light", 1), ("b", "light", None)):
            await ask(projector, *asked)
    assert (counting.count, len(counting.threads)) == (4, 1)


async def test_full_projector_queue_raises_too_busy() -> None:
    counting = film(held=True)
    async with Projector(counting) as projector:
        waiting = [asyncio.create_task(ask(projector, str(number))) for number in range(MAX_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(TooBusy):
            await ask(projector, "one too many")
        counting.go.set()
        await asyncio.gather(*waiting)
        assert (await ask(projector, "one too many")).film.size == (1, 1)


async def test_old_films_are_let_go() -> None:
    counting = film(CACHE_BYTES // 2)
    async with Projector(counting) as projector:
        for key in ("a", "b", "c", "c", "a"):
            await ask(projector, key)
    assert counting.count == 4


async def test_a_film_that_is_too_heavy_is_shown_and_not_kept() -> None:
    counting, heavy = film(), film(CACHE_BYTES + 1)
    async with Projector(counting) as projector:
        await ask(projector, "light one")
        counting.paint = heavy
        for _ in range(2):
            assert len((await ask(projector, "heavy one")).film.gif) > CACHE_BYTES
        await ask(projector, "light one")
    assert counting.count == 3


async def test_a_real_game_comes_out() -> None:
    key = next(iter(games))
    start = games[key].start(games[key].seats[0])
    turns = list(grouped(start, [start.random_action(Random(1))]))
    async with Projector() as projector:
        made = await projector.show(key, start, turns, names=["Anna"], theme="light", viewer=None)
    assert made == show(start, turns, names=["Anna"], theme="light", viewer=None)
    assert made.film.gif.startswith(b"GIF89a")
    assert made.sheet.png.startswith(b"\x89PNG")
