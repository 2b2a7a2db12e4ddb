"""Drawing beside the event loop: same pictures, drawn once, errors and cancellations kept apart."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pytest

from engine import State, Turn, games
from render import Choices, Drawing, Target, draw
from render.pool import Painter
from tests.engine.tiny import TINY

START = TINY.start()
T = TypeVar("T")


def sketched(state: State, **named: Any) -> Drawing:
    """Return what stands for a picture: another one for everything that shows."""
    return Drawing(repr((state, sorted(named.items()))).encode(), (1, 1), {})


class Counting(Generic[T]):
    """Draws or animates with a function, counts, and can be held."""

    def __init__(self, paint: Callable[..., T], *, held: bool = False) -> None:
        self.paint = paint
        self.count = 0
        self.go = threading.Event()
        if not held:
            self.go.set()
        self.threads: set[int] = set()

    def __call__(self, *arguments: Any, **named: Any) -> T:
        self.go.wait(10)
        self.count += 1
        self.threads.add(threading.get_ident())
        return self.paint(*arguments, **named)


@pytest.mark.parametrize("key", games)
async def test_it_draws_what_draw_draws_off_the_loops_thread(key: str) -> None:
    counting = Counting(draw)
    state = games[key].start(games[key].seats[0])
    async with Painter(paint=counting) as painter:
        drawing = await painter.draw(state, names=["Anna", "Bruno"], theme="dark", viewer=1)
    assert drawing == draw(state, names=["Anna", "Bruno"], theme="dark", viewer=1)
    assert threading.get_ident() not in counting.threads


async def test_the_same_picture_is_drawn_once() -> None:
    counting = Counting(sketched)
    async with Painter(paint=counting) as painter:
        first = await asyncio.gather(*(painter.draw(START, names=["Anna"]) for _ in range(5)))
        await painter.draw(START, names=["Anna"])
    assert (counting.count, len({id(drawing) for drawing in first})) == (1, 1)


async def test_everything_that_shows_makes_another_picture() -> None:
    counting = Counting(sketched)
    action = START.parse("a1-a2")[0]
    after = START.play(action)
    async with Painter(paint=counting) as painter:
        drawn = [
            await painter.draw(START),
            await painter.draw(TINY.start(2, {"board": "large"})),
            await painter.draw(START, viewer=1),
            await painter.draw(START, names=["Anna"]),
            await painter.draw(START, theme="contrast"),
            await painter.draw(START, choices=Choices(("a1",))),
            await painter.draw(START, choices=Choices(("a1",), "a1", (Target("a2"),))),
            await painter.draw(after),
            await painter.draw(after, last_turn=Turn(1, 0, (action,), START)),
            await painter.draw(after, last_turn=Turn(3, 0, (action,), START)),
        ]
    assert (counting.count, len({drawing.png for drawing in drawn})) == (len(drawn), len(drawn))


async def test_only_the_newest_are_kept() -> None:
    counting = Counting(sketched)
    async with Painter(keep=2, paint=counting) as painter:
        for name in ("a", "b", "a", "c", "a", "b"):
            await painter.draw(START, names=[name])
    assert counting.count == 4


async def test_who_gives_up_does_not_take_the_picture_from_others() -> None:
    counting = Counting(sketched, held=True)
    async with Painter(paint=counting) as painter:
        impatient = asyncio.create_task(painter.draw(START))
        patient = asyncio.create_task(painter.draw(START))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.gather(impatient, return_exceptions=True)
        counting.go.set()
        assert (await patient).png
    assert counting.count == 1
    assert impatient.cancelled()


async def test_drawing_failure_is_raised_and_not_cached() -> None:
    failing = True

    def sometimes(*arguments: Any, **named: Any) -> Drawing:
        if failing:
            raise MemoryError
        return sketched(*arguments, **named)

    async with Painter(paint=sometimes) as painter:
        with pytest.raises(MemoryError):
            await painter.draw(START)
        failing = False
        assert (await painter.draw(START)).png


async def test_a_picture_that_hangs_is_given_up_and_holds_nothing_else_up() -> None:
    counting = Counting(sketched, held=True)
    async with Painter(paint=counting, timeout_seconds=0.0) as painter:
        results = await asyncio.gather(*(painter.draw(START) for _ in range(3)), return_exceptions=True)
        assert all(isinstance(result, TimeoutError) for result in results)
        counting.go.set()
    async with Painter(paint=counting) as painter:
        assert (await painter.draw(START)).png


async def test_who_waits_behind_a_picture_that_hangs_is_not_cancelled_with_it() -> None:
    counting = Counting(sketched, held=True)
    async with Painter(paint=counting, timeout_seconds=0.01) as painter:
        hanging = asyncio.create_task(painter.draw(START))
        await asyncio.sleep(0)
        painter._timeout_seconds = 60.0
        waiting = asyncio.create_task(painter.draw(START, theme="dark"))
        with pytest.raises(TimeoutError):
            await hanging
        counting.go.set()
        assert (await waiting).png


async def test_after_a_hanging_picture_the_same_one_can_be_drawn() -> None:
    counting = Counting(sketched, held=True)
    async with Painter(paint=counting, timeout_seconds=0.0) as painter:
        with pytest.raises(TimeoutError):
            await painter.draw(START)
        counting.go.set()
        painter._timeout_seconds = 60.0
        assert (await painter.draw(START)).png
