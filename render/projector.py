"""Animating games outside the event loop: one at a time, with a short queue and a cache of the newest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import TracebackType

from cachetools import LRUCache

from engine.core import State
from engine.turn import Turn
from render.animation import ContactSheet, Film, animate, select_key_positions
from render.pool import has_failed
from render.scene import NotationWords

MAX_WAITING = 8
CACHE_BYTES = 12_000_000
"""Maximum bytes of cached films and sheets."""


class TooBusy(Exception):
    """So many games are waiting to be animated that another one would wait for too long."""


@dataclass(frozen=True)
class Show:
    """A whole game: its animation, and its key positions on one sheet."""

    film: Film
    sheet: ContactSheet


class Projector:
    """Animates games in a thread of its own, so that pictures of running games never wait for it.

    It holds the interpreter for a few milliseconds at a time: the steps of a frame are single calls of Pillow.
    """

    def __init__(self, make: Callable[..., Show] | None = None) -> None:
        self._make = make or show
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="projector")
        self._cache: LRUCache[str, Show] = LRUCache(CACHE_BYTES, _weight)
        self._under_way: dict[str, asyncio.Future[Show]] = {}

    async def show(
        self,
        key: str,
        start: State,
        turns: Sequence[Turn],
        *,
        names: Sequence[str],
        theme: str,
        viewer: int | None,
        words: NotationWords = (),
    ) -> Show:
        """Return the animation and the sheet of a game; TooBusy.

        `key` identifies the game and its state: with the same names, words, theme and viewer it is animated once.
        """
        whole = "\n".join([key, theme, str(viewer), str(words), *names])
        cached = self._cache.get(whole)
        if cached is not None:
            return cached
        task = self._under_way.get(whole)
        if task is None or has_failed(task):
            if len(self._under_way) >= MAX_WAITING:
                raise TooBusy
            work = partial(self._make, start, turns, names=names, theme=theme, viewer=viewer, words=words)
            task = asyncio.get_running_loop().run_in_executor(self._worker, work)
            self._under_way[whole] = task
            task.add_done_callback(partial(self._done, whole))
        # Others may wait for the same game: a caller that gives up must not cancel it.
        return await asyncio.shield(task)

    def _done(self, key: str, task: asyncio.Future[Show]) -> None:
        if self._under_way.get(key) is task:
            del self._under_way[key]
        if not task.cancelled() and task.exception() is None:
            show = task.result()
            if _weight(show) <= self._cache.maxsize:
                self._cache[key] = show

    def close(self) -> None:
        """Stop after the game in progress; waiting ones are cancelled."""
        self._worker.shutdown(wait=True, cancel_futures=True)

    async def __aenter__(self) -> Projector:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)


def _weight(show: Show) -> int:
    return len(show.film.gif) + len(show.sheet.png)


def show(
    start: State,
    turns: Sequence[Turn],
    *,
    names: Sequence[str],
    theme: str,
    viewer: int | None,
    words: NotationWords = (),
) -> Show:
    """Return the animation and the sheet of a game."""
    return Show(
        animate(start, turns, names=names, theme=theme, viewer=viewer, words=words),
        select_key_positions(start, turns, names=names, theme=theme, viewer=viewer, words=words),
    )
