"""What was sent is freed at once: it leaves no cycles of references for Python's garbage collector."""

import gc
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import discord
from discord import ui

from tests.discord.harness import Scene
from tests.fakes.discord.people import Person
from tests.support.tiny import Tiny


@contextmanager
def collecting_garbage() -> Iterator[list[Any]]:
    """Give a list that contains afterwards what only the garbage collector would have freed."""
    found: list[Any] = []
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield found
        gc.collect()
        found += gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def test_boards_and_their_pictures_are_freed_once_they_are_sent(scene: Scene, mover: Person) -> None:
    with collecting_garbage() as found:
        await scene.press(mover, scene.board, scene.board.labels[0])
        await scene.press(mover, mover.newest_private, mover.newest_private.labels[0])
        assert scene.board.picture == Tiny.png
    ours = io.BytesIO | discord.File | ui.LayoutView | discord.Component
    assert [each for each in found if isinstance(each, ours)] == []
