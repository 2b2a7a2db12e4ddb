"""Has something happen between two steps of work in progress: before or after one call to the store or an adapter."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable
from contextvars import Context
from typing import Any, Final

import pytest

from storage import Store

READERS: Final = ("posts", "games", "notices", "people", "places", "passes", "competitions", "daily", "puzzles")
"""The parts of a store whose calls are interrupted."""


class Interruptions:
    """Counts the points at which work in progress can be interrupted, and runs `happening` once, at the point `at`.

    Points are the moments before and after each call outside a transaction, where others may write, in tasks whose
    names begin with `within`. After one call and before the next of the same task is one moment, if nothing asks the
    database between them.
    """

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch, within: str = "") -> None:
        self._store = store
        self._monkeypatch = monkeypatch
        self._within = within
        self.points = 0
        self._just_after: asyncio.Task[Any] | None = None
        """The task that has passed the point after a call, since when nothing was asked of the database."""
        self.at: int | None = None
        self.happening: Callable[[], Awaitable[Any]] | None = None
        current_transaction = store._database._get_current_transaction

        def note_use() -> Any:
            self._just_after = None
            return current_transaction()

        monkeypatch.setattr(store._database, "_get_current_transaction", note_use)
        for name in READERS:
            part = getattr(store, name)
            self.watch(part, (each for each in dir(part) if not each.startswith("_")))

    def watch(self, part: Any, names: Iterable[str]) -> None:
        """Count the calls of these methods, too, if they can be awaited."""
        for name in names:
            method = getattr(part, name)
            if inspect.iscoroutinefunction(method):
                self._monkeypatch.setattr(part, name, self._interruptible(method))

    def arm(self, at: int, happening: Callable[[], Awaitable[Any]]) -> None:
        """Have something happen at one of the points to come."""
        self.points, self.at, self.happening = 0, at, happening

    def disarm(self) -> bool:
        """Have nothing happen any more; return whether the point was reached."""
        was_reached, self.happening, self.at = self.happening is None, None, None
        return was_reached

    def _interruptible(self, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def interruptible(*arguments: Any, **options: Any) -> Any:
            if self._just_after is not asyncio.current_task():
                await self._pass_point()
            self._just_after = None
            result = await method(*arguments, **options)
            await self._pass_point()
            self._just_after = None if self._is_in_transaction() else asyncio.current_task()
            return result

        return interruptible

    def _is_in_transaction(self) -> bool:
        return self._store._database.readable_cache is not self._store.cache

    async def _pass_point(self) -> None:
        task = asyncio.current_task()
        if task is None or not task.get_name().startswith(self._within) or self._is_in_transaction():
            return
        self.points += 1
        if self.points - 1 == self.at and self.happening is not None:
            happening, self.happening = self.happening, None

            async def happen() -> None:
                await happening()

            # As another task: nothing of what this one has begun is known there.
            await asyncio.create_task(happen(), context=Context())
