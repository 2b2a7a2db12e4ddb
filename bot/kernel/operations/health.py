"""Health: whether the database accepts writes, and the program listens to its platforms."""

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from bot.kernel.operations import PLATFORM_REASONS
from bot.kernel.operations.clock import Clock, Times
from bot.kernel.operations.limits import ConnectionLimiter, serve_app
from bot.kernel.operations.metrics import (
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
from bot.kernel.operations.process import read_version
from bot.kernel.operations.tasks import cancel_tasks
from storage import StorageError, Store

DATABASE_TIMEOUT_SECONDS: Final = 3.0
"""Maximum seconds for the database to answer; after that, the program is unhealthy."""

WRITE_CHECK_INTERVAL_SECONDS: Final = 10.0
"""Seconds for which a successful write check stays valid."""

FILE_REMOVED: Final = "file-removed"
"""The reason for failed health if a database file in use was deleted."""

Failing = Callable[[], Mapping[str, str]]
"""Returns the reachable platforms whose updates do not all reach us, each with the reason's code."""


@dataclass(frozen=True, slots=True)
class Health:
    """The program's health: the database's error code, if any, and the failing platforms, each with the reason."""

    database: str | None
    failing: Mapping[str, str] = field(default_factory=dict)

    @property
    def reason(self) -> str | None:
        """The code of the worst failure, None if there is none."""
        return self.database or min(self.failing.values(), key=PLATFORM_REASONS.index, default=None)

    @property
    def platforms(self) -> list[str]:
        """The platforms that the reason concerns, none if it concerns the database."""
        return [name for name, reason in self.failing.items() if self.database is None and reason == self.reason]


class HealthWatch:
    """Checks the program's health on each request.

    Unreachable platforms do not count: a restart would not help, and the other platforms are served meanwhile.
    """

    def __init__(self, store: Store, failing: Failing = dict, clock: Callable[[], float] = time.monotonic) -> None:
        """Create the watch; `clock` returns seconds."""
        self._store = store
        self._failing = failing
        self._clock = clock
        self._tried = -math.inf
        self._failures, _ = store.key_values.write_failures

    async def look(self) -> Health:
        """Return the program's health."""
        return Health(await self._check_database(), self._failing())

    async def _check_database(self) -> str | None:
        """Return the code of the database's error, None if there is none.

        It writes a change: at intervals while writes succeed, and at each request after a failed one. A disk that is
        nearly full accepts some changes and not others, so failures since the last check count, too.
        """
        failures, code = self._store.key_values.write_failures
        failed = failures > self._failures
        if self._store.removed_files():
            return FILE_REMOVED
        try:
            async with asyncio.timeout(DATABASE_TIMEOUT_SECONDS):
                if (
                    self._store.key_values.write_error is not None
                    or self._clock() - self._tried >= WRITE_CHECK_INTERVAL_SECONDS
                ):
                    self._tried = self._clock()
                    await self._store.key_values.check_writable()
                else:
                    await self._store.posts.next_due_at()
        except StorageError as error:
            return error.code
        except TimeoutError:
            return "slow"
        finally:
            self._failures, _ = self._store.key_values.write_failures
        return code if failed else None


HEARTBEAT_SECONDS: Final = 0.05
"""Seconds between two wake-ups of the loop."""


class LoopMonitor:
    """Measures the longest stall of the loop, and how much of it the loop itself was busy.

    The rest of a stall is due to the machine or another thread.
    """

    def __init__(self) -> None:
        self._longest = 0.0
        self._busiest = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start."""
        self._task = asyncio.create_task(self._measure(), name="pulse")

    async def stop(self) -> None:
        """Stop."""
        await cancel_tasks(self._task)
        self._task = None

    def take(self) -> tuple[float, float]:
        """Return the seconds of the longest stall since the last call, and the most that the loop was busy in one."""
        taken, self._longest, self._busiest = (self._longest, self._busiest), 0.0, 0.0
        return taken

    async def _measure(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due, used = loop.time() + HEARTBEAT_SECONDS, time.thread_time()
            await asyncio.sleep(HEARTBEAT_SECONDS)
            late = loop.time() - due
            self._longest = max(self._longest, late)
            self._busiest = max(self._busiest, min(late, time.thread_time() - used))


CACHE_SECONDS: Final = 10.0
"""Seconds for which figures from the database are cached."""


class Operations:
    """The operations server; `connected` returns for every platform whether it is connected."""

    def __init__(
        self,
        store: Store,
        connected: Callable[[], Mapping[str, bool]],
        figures: Callable[[], Mapping[Gauge, float]] = dict,
        failing: Failing = dict,
        clock: Times | None = None,
    ) -> None:
        """Create the server; `figures` returns gauges that other modules keep in memory, `clock` is the program's."""
        self._store = store
        self._clock: Times = clock or Clock()
        self._connected = connected
        self._figures = figures
        self._watch = HealthWatch(store, failing)
        self._loop_monitor = LoopMonitor()
        self._runner: web.AppRunner | None = None
        self._counted = 0.0

    async def start(self, host: str, port: int) -> int:
        """Listen and return the port, which the system chooses for 0; may raise OSError."""
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
            "platforms": self._connected(),
            "failing": list(health.failing),
        }
        return web.json_response(said, status=200 if health.reason is None else 503)

    async def _metrics(self, _: web.Request) -> web.Response:
        longest, busiest = self._loop_monitor.take()
        EVENT_LOOP_STALL_SECONDS.set(longest)
        EVENT_LOOP_BUSY_SECONDS.set(busiest)
        for gauge, figure in self._figures().items():
            gauge.set(figure)
        for name, is_up in self._connected().items():
            PLATFORM_CONNECTED.labels(name).set(is_up)
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
