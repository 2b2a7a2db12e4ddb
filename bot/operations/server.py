"""`/healthz` and `/metrics`, on a port of their own that need not be public."""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Final

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from bot.operations.clock import Clock, Times
from bot.operations.connection_limits import ConnectionLimiter, serve_app
from bot.operations.health import DATABASE_TIMEOUT_SECONDS, Failing, HealthWatch, nothing_fails
from bot.operations.loop_monitor import LoopMonitor
from bot.operations.metrics import (
    BOARDS_DUE,
    BUILD_INFO,
    COMPUTER_GAMES_DUE,
    COMPUTER_GAMES_DUE_PEOPLE,
    COMPUTER_GAMES_DUE_SECONDS,
    DATABASE_BYTES,
    EVENT_LOOP_BUSY_SECONDS,
    EVENT_LOOP_STALL_SECONDS,
    GAME_COUNT,
    PLATFORM_CONNECTED,
    REGISTRY,
)
from bot.operations.version import read_version
from storage import StorageError, Store

CACHE_SECONDS: Final = 10.0
"""Seconds for which figures from the database are cached: asking more often costs nothing."""


class Operations:
    """The operations server; `connected` tells for every platform whether it is connected."""

    def __init__(
        self,
        store: Store,
        connected: Mapping[str, Callable[[], bool]],
        figures: Callable[[], Mapping[Gauge, float]] = dict,
        failing: Failing = nothing_fails,
        clock: Times | None = None,
    ) -> None:
        """Create the server; `figures` returns those that others keep in memory, `clock` is the program's."""
        self._store = store
        self._clock: Times = clock or Clock()
        self._connected = connected
        self._figures = figures
        self._watch = HealthWatch(store, failing)
        self._loop_monitor = LoopMonitor()
        self._runner: web.AppRunner | None = None
        self._counted = 0.0

    async def start(self, host: str, port: int) -> int:
        """Listen and return the port, which the system chooses for 0; OSError."""
        BUILD_INFO.info({"version": read_version()})
        app = web.Application()
        app.add_routes([web.get("/healthz", self._health), web.get("/metrics", self._metrics)])
        self._runner, port = await serve_app(app, ConnectionLimiter(), host, port, shutdown_timeout=1.0)
        self._loop_monitor.start()
        return port

    async def stop(self) -> None:
        """Stop listening."""
        await self._loop_monitor.stop()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _health(self, _: web.Request) -> web.Response:
        """Answer whether the program is healthy, and if not, why."""
        health = await self._watch.look()
        said = {
            "well": health.reason is None,
            "database": health.database is None,
            "reason": health.reason,
            "platforms": {name: is_up() for name, is_up in self._connected.items()},
            "failing": list(health.failing),
        }
        return web.json_response(said, status=200 if health.reason is None else 503)

    async def _metrics(self, _: web.Request) -> web.Response:
        EVENT_LOOP_STALL_SECONDS.set(self._loop_monitor.longest_stall_seconds())
        EVENT_LOOP_BUSY_SECONDS.set(self._loop_monitor.busy_seconds())
        for gauge, figure in self._figures().items():
            gauge.set(figure)
        for name, is_up in self._connected.items():
            PLATFORM_CONNECTED.labels(name).set(is_up())
        if time.monotonic() - self._counted > CACHE_SECONDS:
            await self._count()
        return web.Response(body=generate_latest(REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def _count(self) -> None:
        try:
            async with asyncio.timeout(DATABASE_TIMEOUT_SECONDS):
                live = {"lobby": 0, "playing": 0, **await self._store.games.count_live("status")}
                for status, number in live.items():
                    GAME_COUNT.labels(status).set(number)
                now = self._clock()
                BOARDS_DUE.set(await self._store.posts.count_due(now))
                waiting, people, since = await self._store.games.count_thinking()
                COMPUTER_GAMES_DUE.set(waiting)
                COMPUTER_GAMES_DUE_PEOPLE.set(people)
                COMPUTER_GAMES_DUE_SECONDS.set(0 if since is None else max(0.0, (now - since).total_seconds()))
                DATABASE_BYTES.set(await self._store.size())
        except (StorageError, TimeoutError):
            return  # the figures stay as they were: /healthz shows the error
        self._counted = time.monotonic()
