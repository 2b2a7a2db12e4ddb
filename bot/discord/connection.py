"""Being connected to Discord: by one client, or by one for each shard that this process listens to."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Self

import structlog

from bot.app import Tavoliere
from bot.discord.adapter import DiscordAdapter
from bot.discord.client import Client
from bot.discord.decode import PLATFORM
from bot.discord.dispatcher import DiscordDispatcher
from bot.discord.rate_limit import GlobalRateLimiter
from bot.discord.session import DiscordSession
from bot.discord.shards import ShardManager
from bot.language.texts import Texts
from bot.operations.listening import Listener
from storage import Store

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
            log.warning("discord-left-unanswered")
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
