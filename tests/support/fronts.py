"""The program as tests start it: on a store, with a clock, an artist and adapters of their own."""

from collections.abc import Sequence
from typing import Any

from bot.kernel.context import Context
from bot.kernel.operations.clock import Clock, SystemTime
from bot.kernel.pictures import Animator, Artist, Renderer
from bot.kernel.requests import Adapter
from bot.platforms.app import Tavoliere
from storage import Store


def make_front(
    store: Store,
    *,
    clock: SystemTime | None = None,
    draw: Renderer | None = None,
    animate: Animator | None = None,
    adapters: Sequence[Adapter] = (),
    **fields: Any,
) -> Tavoliere:
    """Return the program on a store; `fields` are further ones of its context."""
    front = Tavoliere(Context(store, clock=Clock(clock), artist=Artist(draw, animate=animate), **fields))
    for adapter in adapters:
        front.add(adapter)
    return front
