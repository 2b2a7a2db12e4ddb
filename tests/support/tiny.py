"""Pictures of one pixel, for tests in which nobody looks at a board."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from unittest import mock

from bot.kernel.pictures import Renderer
from render.animation import ContactSheet, Film
from render.pool import Painter, Show


async def draw_tiny(*_: Any, **__: Any) -> Any:
    """Draw nothing worth looking at, at once."""
    return Tiny()


class Tiny:
    """A picture of one pixel."""

    png = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
        "0000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
    )
    size = (1, 1)
    spots: Mapping[str, tuple[int, int, int]] = MappingProxyType({})


DRAW: Renderer = draw_tiny


def make_tiny_show(*_: object, **__: object) -> Show:
    """Animate nothing worth looking at, at once."""
    return Show(Film(Tiny.png, Tiny.size), ContactSheet(Tiny.png, Tiny.size, (1,)))


def draw_tiny_pictures() -> None:
    """Have a process of the program draw these for the rest of its life: what it sends and stores stays the same."""
    mock.patch.object(Painter, "draw", draw_tiny).start()
