"""The connection to Discord: one client, or one for each shard of this process, under one global rate limit."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, Self

import aiohttp
import structlog
import yarl

from bot.app import Tavoliere
from bot.discord.adapter import DiscordAdapter
from bot.discord.client import Client
from bot.discord.decode import PLATFORM
from bot.discord.dispatcher import DiscordDispatcher
from bot.discord.session import DiscordSession
from bot.discord.shards import ShardManager
from bot.language.texts import Texts
from bot.operations.listening import Listener
from storage import Store

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


log = structlog.get_logger(__name__)


class DiscordConnection:
    """The connection of a program to Discord; `name` is as whom it is logged in, None while it is not.

    `shards` says which it listens to, None where it serves all of them.
    """

    def __init__(
        self,
        tavoliere: Tavoliere,
        store: Store,
        texts: Texts,
        *,
        token: str,
        language: str,
        shards: int | None = None,
        **options: Any,
    ) -> None:
        """Prepare; `options` are further ones of discord.py's client.

        `shards` is in how many parts Discord's servers are split, which processes on the same database share out
        among themselves; None if this process serves all of them.
        """
        self._store = store
        self._texts = texts
        self._token = token
        self._language = language
        # One for all our clients: Discord counts what the bot does.
        self._options = {"http_trace": GlobalRateLimiter(partial(store.peer_count, PLATFORM)).trace_config(), **options}
        self._tavoliere = tavoliere
        self.adapter = DiscordAdapter(
            store, texts, lambda: self._session.client, language=language, clock=tavoliere.context.clock
        )
        self.dispatcher = DiscordDispatcher(
            tavoliere, self.adapter, texts, language=language, reopened=partial(tavoliere.is_reopened, PLATFORM)
        )
        # Where shards are shared out, this one only sends: it is there whether or not we have a shard.
        self._session = self._opened(listens=shards is None, **self._options)
        self.shards = (
            None
            if shards is None
            else ShardManager(store, shards, partial(self._shard, shards), self.dispatcher.wait_until_idle)
        )

    @property
    def name(self) -> str | None:
        """As whom the program is logged in."""
        client = self._session.client
        return None if client is None or client.user is None else str(client.user)

    @property
    def is_listening(self) -> bool:
        """Whether Discord can tell us something now, of every shard that is ours."""
        return all(listener.listening for listener in self._listeners)

    @property
    def is_failing(self) -> bool:
        """Whether it cannot for another reason than its being away."""
        return any(listener.failing for listener in self._listeners)

    @property
    def _listeners(self) -> list[Listener]:
        return [self._session.listener, *(self.shards.listeners if self.shards is not None else ())]

    @property
    def invitation(self) -> str:
        """The address by which the bot is added to a server, empty while it is not logged in."""
        return self.adapter.invitation

    async def start(self) -> Self:
        """Log in and stay connected; BadToken. Where Discord cannot be reached it is tried again and again."""
        await self._session.start()
        self._tavoliere.add(self.adapter)
        if self.shards is not None:
            await self.shards.start()
        return self

    async def drain(self) -> None:
        """Return when everything that was begun is answered."""
        await self.dispatcher.wait_until_idle()

    async def stop(self, timeout_seconds: float = 5.0) -> None:
        """Finish what was begun if it takes no longer than `timeout_seconds` seconds, and leave."""
        try:
            async with asyncio.timeout(timeout_seconds):
                await self.dispatcher.wait_until_idle()
        except TimeoutError:
            log.warning("discord-shutdown-timed-out")
        if self.shards is not None:
            await self.shards.stop()
        await self._session.log_out()

    def _shard(self, count: int, shard: int) -> DiscordSession:
        return self._opened(registers=False, shard_id=shard, shard_count=count, **self._options)

    def _opened(self, *, listens: bool = True, **options: Any) -> DiscordSession:
        def make(listener: Listener) -> Client:
            return Client(
                self.dispatcher, self.adapter, self._store, self._texts, listener, language=self._language, **options
            )

        return DiscordSession(make, self._token, listens=listens, changed=self._logged_in)

    def _logged_in(self) -> None:
        log.info("discord-connected", name=self.name)
        self._tavoliere.delivery.wake()
