"""The connection to Discord: one client, or one for each shard of this process, under one global rate limit."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, Final, Self

import aiohttp
import discord
import structlog
import yarl

from bot.kernel.advice import SearchFollower
from bot.kernel.operations import COMMANDS_REFUSED, NOT_LISTENING
from bot.kernel.operations.listening import Listener
from bot.kernel.operations.settings import find_proxy
from bot.kernel.operations.tasks import is_set_within
from bot.platforms.app import Tavoliere
from bot.platforms.discord.adapter import DiscordAdapter
from bot.platforms.discord.client import Client, DiscordSession, ShardManager
from bot.platforms.discord.decode import PLATFORM
from bot.platforms.discord.dispatcher import DiscordDispatcher

RATE_LIMIT_REQUESTS: Final = 48
"""Discord's limit is 50 per second; responses to interactions do not count."""
RATE_LIMIT_WINDOW_SECONDS: Final = 1.0
UNLIMITED_ROUTES: Final = ("interactions", "webhooks")


class GlobalRateLimiter:
    """Lets at most `RATE_LIMIT_REQUESTS` be in flight or answered within the last second, in FIFO order.

    So the limit holds for any duration of requests. `processes` returns the number of processes that share the bot.
    """

    def __init__(self, processes: Callable[[], int] = lambda: 1) -> None:
        self._processes = processes
        self._under_way = 0
        self._answered: deque[float] = deque()
        self._turn = asyncio.Lock()
        self._room = asyncio.Event()

    def trace_config(self) -> aiohttp.TraceConfig:
        """Return the trace config that makes an HTTP client obey the limit."""
        trace = aiohttp.TraceConfig()
        trace.on_request_start.append(self._on_request_start)
        trace.on_request_end.append(self._on_request_end)
        trace.on_request_exception.append(self._on_request_end)
        return trace

    async def acquire(self) -> None:
        """Wait until one more request may be made."""
        async with self._turn:
            while (wait := self._wait()) > 0:
                self._room.clear()
                await is_set_within(self._room, wait)
            self._under_way += 1

    def release(self) -> None:
        """Record that a request was answered or aborted."""
        self._under_way -= 1
        self._answered.append(time.monotonic())
        self._room.set()

    def _wait(self) -> float:
        """Return the seconds until there may be room for a request, 0 if there is room now."""
        now = time.monotonic()
        while self._answered and self._answered[0] <= now - RATE_LIMIT_WINDOW_SECONDS:
            self._answered.popleft()
        if self._under_way + len(self._answered) < max(1, RATE_LIMIT_REQUESTS // self._processes()):
            return 0.0
        return self._answered[0] + RATE_LIMIT_WINDOW_SECONDS - now if self._answered else RATE_LIMIT_WINDOW_SECONDS

    async def _on_request_start(self, _: Any, context: SimpleNamespace, begun: aiohttp.TraceRequestStartParams) -> None:
        context.counted = False
        if is_rate_limited(begun.url):
            await self.acquire()
            context.counted = True

    async def _on_request_end(self, _: Any, context: SimpleNamespace, __: Any) -> None:
        if context.counted:
            context.counted = False
            self.release()


def is_rate_limited(url: yarl.URL) -> bool:
    """Return True if a request to an address counts towards the limit."""
    # /api/v10/channels/...
    parts = url.parts[1:4]
    return len(parts) == 3 and parts[0] == "api" and parts[2] not in UNLIMITED_ROUTES


log = structlog.get_logger(__name__)


class DiscordConnection:
    """The program's connection to Discord; `name` is the account it is logged in as, None while it is not.

    `shards` manages the shards it listens to, None if it serves all of them.
    """

    def __init__(
        self,
        tavoliere: Tavoliere,
        *,
        token: str,
        shards: int | None = None,
        **options: Any,
    ) -> None:
        """Create the connection; `options` are further options of discord.py's client.

        `shards` is the number of shards, which processes on the same database share among themselves; None if this
        process serves all of them.
        """
        store = tavoliere.context.store
        self._token = token
        # One limiter for all our clients: Discord counts requests per bot.
        limiter = GlobalRateLimiter(partial(store.peer_count, PLATFORM))
        # Requests, answers to interactions and the gateway's websocket all use the client's proxy.
        proxy = find_proxy(discord.http.Route.BASE)
        self._options = {"http_trace": limiter.trace_config(), "proxy": proxy, **options}
        self._tavoliere = tavoliere
        self.adapter = DiscordAdapter(tavoliere.context, lambda: self._session.client)
        self._searches = SearchFollower(tavoliere.press, tavoliere.context.advice.wait)
        self.dispatcher = DiscordDispatcher(
            tavoliere, self.adapter, self._searches, reopened=self._on_permissions_changed
        )
        # With shared shards, this session only sends: it exists even without a shard of ours.
        self._session = self._open_session(listens=shards is None, **self._options)
        self.shards = (
            None
            if shards is None
            else ShardManager(store, shards, partial(self._open_shard, shards), self.dispatcher.wait_until_idle)
        )

    @property
    def name(self) -> str | None:
        """The account that the program is logged in as."""
        client = self._session.client
        return None if client is None or client.user is None else str(client.user)

    @property
    def is_listening(self) -> bool:
        """True if Discord's events can reach us now, for each of our shards."""
        return all(listener.listening for listener in self._listeners)

    @property
    def problem(self) -> str | None:
        """The code of the reason why not all events reach us although Discord is reachable, None if there is none."""
        if any(listener.failing for listener in self._listeners):
            return NOT_LISTENING
        client = self._session.client
        return COMMANDS_REFUSED if client is not None and client.registration.is_failing else None

    @property
    def _listeners(self) -> list[Listener]:
        return [self._session.listener, *(self.shards.listeners if self.shards is not None else ())]

    async def start(self) -> Self:
        """Log in and stay connected, retrying while Discord is unreachable; raises DiscordTokenRefused."""
        await self._session.listener.start()
        self._tavoliere.add(self.adapter)
        if self.shards is not None:
            await self.shards.start()
        return self

    async def drain(self) -> None:
        """Wait until all events being handled are answered."""
        await self.dispatcher.wait_until_idle()

    async def stop(self, timeout_seconds: float = 5.0) -> None:
        """Finish the events being handled, within `timeout_seconds` seconds, and disconnect."""
        await self._searches.close()
        try:
            async with asyncio.timeout(timeout_seconds):
                await self.drain()
        except TimeoutError:
            log.warning("discord-shutdown-timed-out")
        if self.shards is not None:
            await self.shards.stop()
        await self._session.log_out()

    def _open_shard(self, count: int, shard: int) -> DiscordSession:
        return self._open_session(shard_id=shard, shard_count=count, **self._options)

    def _open_session(self, *, listens: bool = True, **options: Any) -> DiscordSession:
        make = partial(Client, self.dispatcher, self.adapter, **options)
        return DiscordSession(make, self._token, listens=listens, changed=self._on_login)

    async def _on_permissions_changed(self, guild: str) -> None:
        if self._session.client is not None:
            self._session.client.registration.hurry()
        await self._tavoliere.is_reopened(PLATFORM, guild)

    def _on_login(self) -> None:
        log.info("discord-connected", name=self.name)
        self._tavoliere.delivery.wake()
