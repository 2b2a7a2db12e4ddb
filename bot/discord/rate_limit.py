"""How many requests Discord takes in a second from one bot, whatever they are about: never one too many."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

import aiohttp
import yarl

RATE_LIMIT_REQUESTS: Final = 48
"""Discord's limit is 50 a second; what somebody waits for (answers to interactions) does not count."""
RATE_LIMIT_WINDOW_SECONDS: Final = 1.0
UNLIMITED_ROUTES: Final = ("interactions", "webhooks")


class GlobalRateLimiter:
    """Lets at most MOST requests be on their way or answered within the last second, in the order of their coming.

    Counted so it does not matter how long any of them is on its way. `processes` says how many share the bot.
    """

    def __init__(self, processes: Callable[[], int] = lambda: 1) -> None:
        self._processes = processes
        self._under_way = 0
        self._answered: deque[float] = deque()
        self._turn = asyncio.Lock()
        self._room = asyncio.Event()

    def trace_config(self) -> aiohttp.TraceConfig:
        """Return what an HTTP client must be made with to keep to it."""
        trace = aiohttp.TraceConfig()
        trace.on_request_start.append(self._begins)
        trace.on_request_end.append(self._ends)
        trace.on_request_exception.append(self._ends)
        return trace

    async def acquire(self) -> None:
        """Return when one more request may be made."""
        async with self._turn:
            while (wait := self._wait()) > 0:
                self._room.clear()
                try:
                    async with asyncio.timeout(wait):
                        await self._room.wait()
                except TimeoutError:
                    continue
            self._under_way += 1

    def release(self) -> None:
        """Note that a request was answered, or was cut off."""
        self._under_way -= 1
        self._answered.append(time.monotonic())
        self._room.set()

    def _wait(self) -> float:
        """Return for how many seconds there is surely no room, 0 if there is."""
        now = time.monotonic()
        while self._answered and self._answered[0] <= now - RATE_LIMIT_WINDOW_SECONDS:
            self._answered.popleft()
        if self._under_way + len(self._answered) < max(1, RATE_LIMIT_REQUESTS // self._processes()):
            return 0.0
        return self._answered[0] + RATE_LIMIT_WINDOW_SECONDS - now if self._answered else RATE_LIMIT_WINDOW_SECONDS

    async def _begins(self, _: Any, context: SimpleNamespace, begun: aiohttp.TraceRequestStartParams) -> None:
        context.counted = False
        if is_rate_limited(begun.url):
            await self.acquire()
            context.counted = True

    async def _ends(self, _: Any, context: SimpleNamespace, __: Any) -> None:
        if context.counted:
            context.counted = False
            self.release()


def is_rate_limited(url: yarl.URL) -> bool:
    """Say whether a request to an address counts."""
    # /api/v10/channels/...
    parts = url.parts[1:4]
    return len(parts) == 3 and parts[0] == "api" and parts[2] not in UNLIMITED_ROUTES
