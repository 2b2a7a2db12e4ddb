"""Being connected to Discord: logging in, staying in, going on without while it cannot be reached."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final, Self

import discord
import structlog

from bot.app import Tavoliere
from bot.discord.adapter import DiscordAdapter
from bot.discord.client import Client
from bot.discord.desk import Desk
from bot.discord.errors import CUT_OFF
from bot.discord.permissions import NEEDED
from bot.texts import Texts
from storage import Store

FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0
FAREWELL: Final = 1.0
"""How many seconds leaving may take."""

log = structlog.get_logger(__name__)


class BadToken(Exception):
    """Discord does not know the token."""


class Unreachable(Exception):
    """Discord does not answer, or asks for patience."""


class Discord:
    """The connection of a program to Discord; `name` is as whom it is logged in, None while it is not."""

    def __init__(
        self,
        tavoliere: Tavoliere,
        store: Store,
        texts: Texts,
        *,
        token: str,
        language: str,
        **options: Any,
    ) -> None:
        """Prepare; `options` are further ones of discord.py's client."""
        self._store = store
        self._texts = texts
        self._token = token
        self._language = language
        self._options = options
        self._client: Client | None = None
        self._staying: asyncio.Task[None] | None = None
        self._tavoliere = tavoliere
        self.adapter = DiscordAdapter(store, texts, lambda: self._client, language=language)
        self.desk = Desk(tavoliere, self.adapter, texts, language=language)

    @property
    def name(self) -> str | None:
        """As whom the program is logged in."""
        user = self._client.user if self._client is not None else None
        return None if user is None else str(user)

    @property
    def invitation(self) -> str:
        """The address by which the bot is added to a server, empty while it is not logged in."""
        application = self._client.application_id if self._client is not None else None
        if application is None:
            return ""
        return discord.utils.oauth_url(application, permissions=NEEDED, scopes=("bot", "applications.commands"))

    async def start(self) -> Self:
        """Log in and stay connected; BadToken. Where Discord cannot be reached it is tried again and again."""
        client: Client | None = None
        try:
            client = await self._log_in()
        except Unreachable as error:
            log.warning("discord-unreachable", reason=str(error))
        self._tavoliere.add(self.adapter)
        self._staying = asyncio.create_task(self._stay(client), name="discord")
        return self

    async def finish(self) -> None:
        """Return when everything that was begun is answered."""
        await self.desk.idle()

    async def stop(self, patience: float = 5.0) -> None:
        """Finish what was begun if it takes no longer than `patience` seconds, and leave."""
        try:
            async with asyncio.timeout(patience):
                await self.desk.idle()
        except TimeoutError:
            log.warning("discord-left-unanswered")
        if self._staying is not None:
            self._staying.cancel()
            await asyncio.gather(self._staying, return_exceptions=True)
        await self._leave()

    async def _log_in(self) -> Client:
        client = Client(self.desk, self.adapter, self._store, self._texts, language=self._language, **self._options)
        try:
            await client.login(self._token)
        except discord.LoginFailure as error:
            await client.close()
            raise BadToken from error
        except (*CUT_OFF, discord.HTTPException, discord.RateLimited) as error:
            await client.close()
            raise Unreachable(str(error) or repr(error)) from error
        self._client = client
        log.info("discord-connected", name=self.name)
        self._tavoliere.delivery.wake()
        return client

    async def _leave(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            # Discord's answer to our leaving is not worth waiting for.
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL):
                    await client.close()

    async def _stay(self, client: Client | None) -> None:
        """Stay connected; discord.py reconnects by itself, and where it gives up, everything begins anew."""
        pause = FIRST_PAUSE
        while True:
            try:
                if client is None:
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, LONGEST_PAUSE)
                    client = await self._log_in()
                begun = asyncio.get_running_loop().time()
                try:
                    await client.connect()
                finally:
                    if asyncio.get_running_loop().time() - begun > LONGEST_PAUSE:
                        pause = FIRST_PAUSE
            except BadToken:
                log.error("discord-token-refused")
                return
            except Unreachable as error:
                log.warning("discord-unreachable", reason=str(error))
            except discord.ConnectionClosed as error:
                log.error("discord-closed", code=error.code)
            except (*CUT_OFF, discord.DiscordException) as error:
                log.warning("discord-lost", reason=repr(error))
            await self._leave()
            client = None
