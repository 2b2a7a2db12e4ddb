"""Drawing outside the event loop, with a cache of the newest pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Unpack

from cachetools import LRUCache

from engine.core import State
from engine.turn import Turn
from render import Drawing, DrawOptions, draw
from render.animation import ContactSheet, Film, animate, select_key_positions
from render.scene import NotationWords

DRAW_TIMEOUT_SECONDS = 30.0
"""Seconds that a picture may take, waiting included."""


class _Key:
    """The arguments of a picture, hashed once: the caches look each up several times."""

    __slots__ = ("_hash", "_parts")

    def __init__(self, parts: tuple[Hashable, ...]) -> None:
        self._parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._parts == other._parts


class Painter:
    """Draws pictures outside the event loop; equal pictures are drawn once and kept while they are among the newest.

    Threads, not processes: zlib works without the interpreter's lock, the rest of a picture takes it for well under
    a millisecond at a time, and the caches of tiles and bands are shared. Measured with 300 Annuvin pictures in one
    run, while a task slept for a millisecond again and again: one thread 460 pictures a second, two 465, two
    processes 150 (the position has to be packed, read and checked again, and each process warms its own caches);
    the longest the task waited too long was 4, 7 and 8 ms, from cold 12, 17 and 23 ms. So one thread it is.
    """

    def __init__(
        self, keep: int = 128, paint: Callable[..., Drawing] = draw, timeout_seconds: float = DRAW_TIMEOUT_SECONDS
    ) -> None:
        self._paint = paint
        self._timeout_seconds = timeout_seconds
        self._closed = False
        self._worker = _worker()
        self._pictures: LRUCache[Hashable, Drawing] = LRUCache(keep)
        self._under_way: dict[Hashable, asyncio.Future[Drawing]] = {}

    async def draw(self, state: State, **options: Unpack[DrawOptions]) -> Drawing:
        """Return the result of `render.draw` for the same arguments without blocking the event loop.

        Raises the same errors, and TimeoutError for a picture that takes too long; the next ones get a new worker.
        """
        key = _Key(_key(state, options))
        cached = self._pictures.get(key)
        if cached is not None:
            return cached
        task = self._under_way.get(key)
        if task is None or has_failed(task):
            task = self._begun(partial(self._paint, state, **options))
            self._under_way[key] = task
            task.add_done_callback(partial(self._done, key))
        # Others may wait for the same picture: a caller that gives up must not cancel it.
        worker = self._worker
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await asyncio.shield(task)
        except TimeoutError:
            self._give_up(worker)
            raise

    def _begun(self, work: Callable[[], Drawing]) -> asyncio.Future[Drawing]:
        """Submit work to the worker, or to a new one if it is gone."""
        loop = asyncio.get_running_loop()
        try:
            return loop.run_in_executor(self._worker, work)
        except RuntimeError:
            if self._closed:
                raise
            self._worker = _worker()
            return loop.run_in_executor(self._worker, work)

    def _give_up(self, worker: ThreadPoolExecutor) -> None:
        """Abandon a hanging worker, once, however many callers wait for it."""
        if worker is self._worker:
            self._worker = _worker()
            self._under_way.clear()
            worker.shutdown(wait=False, cancel_futures=True)

    def _done(self, key: Hashable, task: asyncio.Future[Drawing]) -> None:
        if self._under_way.get(key) is task:
            del self._under_way[key]
        if not task.cancelled() and task.exception() is None:
            self._pictures[key] = task.result()

    def close(self) -> None:
        """Stop after the pictures in progress; those not begun are cancelled."""
        self._closed = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    async def __aenter__(self) -> Painter:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)


def has_failed(task: asyncio.Future[Any]) -> bool:
    """Return whether work has failed: its callback may run only after a waiting caller asks again."""
    return task.done() and (task.cancelled() or task.exception() is not None)


def _worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="painter")


def _key(state: State, options: DrawOptions) -> tuple[Hashable, ...]:
    """Return a key that is equal for two pictures only if they are the same."""
    last, earlier = options.get("last_turn"), options.get("earlier", ())
    turns = (last and _turn_key(last), *map(_turn_key, earlier))
    rest = {**options, "last_turn": None, "earlier": (), "names": tuple(options.get("names", ()))}
    return state.game.key, state.turn, state, turns, frozenset(rest.items())


def _turn_key(turn: Turn) -> tuple[Hashable, ...]:
    return turn.number, turn.seat, turn.actions, turn.before


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
