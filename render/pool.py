"""Results shared by all who wait for them; drawing outside the event loop, with a cache of the newest pictures."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, Self, TypeVar, Unpack

from cachetools import LRUCache
from cachetools.keys import hashkey

from engine.core import State
from engine.turn import Turn
from render import Drawing, DrawOptions, draw
from render.animation import ContactSheet, Film, Look, animate, select_key_positions

DRAW_TIMEOUT_SECONDS: Final = 30.0
"""Seconds that a picture may take, waiting included."""
MAX_WAITING: Final = 8
CACHE_BYTES: Final = 12_000_000
"""Maximum bytes of cached films and sheets."""

T = TypeVar("T")


class SharedResults(Generic[T]):
    """Computes results, once for all who wait for the same result, and caches them."""

    def __init__(self, cache: MutableMapping[Hashable, T]) -> None:
        self._cache = cache
        self._under_way: dict[Hashable, asyncio.Future[T]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        """Return the result with a key, from `make` if it is not cached; all who wait get the errors of `make`."""
        cached = self._cache.get(key)
        if cached is not None:
            return cached
        task = self._under_way.get(key)
        # The callback of one that has failed may run only after a waiting caller asks again.
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._under_way[key] = asyncio.ensure_future(make())
            task.add_done_callback(partial(self._done, key))
        # Others may wait for the same result: a caller that gives up must not cancel it.
        return await asyncio.shield(task)

    def _done(self, key: Hashable, task: asyncio.Future[T]) -> None:
        if self._under_way.get(key) is task:
            del self._under_way[key]
        if not task.cancelled() and task.exception() is None:
            # What is larger than the whole cache is not kept.
            with suppress(ValueError):
                self._cache[key] = task.result()


class _Studio(SharedResults[T]):
    """Works in a thread of its own."""

    def __init__(self, name: str, cache: MutableMapping[Hashable, T]) -> None:
        super().__init__(cache)
        self._name = name
        self._worker = self._hire()

    def _hire(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix=self._name)

    def _work(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._worker, work)

    def close(self) -> None:
        """Stop after the work in progress; what is not begun is cancelled."""
        self._worker.shutdown(wait=True, cancel_futures=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await asyncio.to_thread(self.close)


class Painter(_Studio[Drawing]):
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
        super().__init__("painter", LRUCache(keep))
        self._paint = paint
        self._timeout_seconds = timeout_seconds

    async def draw(self, state: State, **options: Unpack[DrawOptions]) -> Drawing:
        """Return the result of `render.draw` for the same arguments without blocking the event loop.

        Raises the same errors, and TimeoutError for a picture that takes too long; the next ones get a new worker.
        """
        # The key keeps its hash: the caches look it up several times.
        key = hashkey(*_key(state, options))
        work = partial(self._work, partial(self._paint, state, **options))
        worker = self._worker
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self.get(key, work)
        except TimeoutError:
            self._give_up(worker)
            raise

    def _give_up(self, worker: ThreadPoolExecutor) -> None:
        """Abandon a hanging worker, once, however many callers wait for it."""
        if worker is self._worker:
            self._worker = self._hire()
            self._under_way.clear()
            # Pictures that wait behind it are not cancelled: that would end the tasks that wait for them.
            worker.shutdown(wait=False)


def _key(state: State, options: DrawOptions) -> tuple[Hashable, ...]:
    """Return a key that is equal for two pictures only if they are the same."""
    last, earlier = options.get("last_turn"), options.get("earlier", ())
    turns = (last and _turn_key(last), *map(_turn_key, earlier))
    rest = {**options, "last_turn": None, "earlier": (), "names": tuple(options.get("names", ()))}
    return state.game.key, state.turn, state, turns, frozenset(rest.items())


def _turn_key(turn: Turn) -> tuple[Hashable, ...]:
    return turn.number, turn.seat, turn.actions, turn.before


class TooBusy(Exception):
    """So many games are waiting to be animated that another one would wait for too long."""


@dataclass(frozen=True)
class Show:
    """A whole game: its animation, and its key positions on one sheet."""

    film: Film
    sheet: ContactSheet


class Projector(_Studio[Show]):
    """Animates games in a thread of its own, so that pictures of running games never wait for it.

    It holds the interpreter for a few milliseconds at a time: the steps of a frame are single calls of Pillow.
    """

    def __init__(self, make: Callable[..., Show] | None = None) -> None:
        super().__init__("projector", LRUCache(CACHE_BYTES, _weight))
        self._make = make or show

    async def show(self, key: str, start: State, turns: Sequence[Turn], **look: Unpack[Look]) -> Show:
        """Return the animation and the sheet of a game; TooBusy.

        `key` identifies the game and its state: with the same names, words, theme and viewer it is animated once.
        """
        whole = key, look.get("theme"), look.get("viewer"), look.get("words"), *look.get("names", ())

        def begin() -> asyncio.Future[Show]:
            if len(self._under_way) >= MAX_WAITING:
                raise TooBusy
            return self._work(partial(self._make, start, turns, **look))

        return await self.get(whole, begin)


def _weight(show: Show) -> int:
    return len(show.film.gif) + len(show.sheet.png)


def show(start: State, turns: Sequence[Turn], **look: Unpack[Look]) -> Show:
    """Return the animation and the sheet of a game."""
    return Show(animate(start, turns, **look), select_key_positions(start, turns, **look))
