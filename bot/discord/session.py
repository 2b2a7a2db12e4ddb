"""One client of discord.py: logging in, staying connected, going on without while Discord cannot be reached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Self

import discord
import structlog

from bot.discord.client import Client
from bot.discord.errors import CUT_OFF

FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0
FAREWELL: Final = 1.0
"""How many seconds leaving may take."""

log = structlog.get_logger(__name__)


class BadToken(Exception):
    """Discord does not know the token."""


class Unreachable(Exception):
    """Discord does not answer, or asks for patience."""


class Session:
    """A client that is logged in and, if it listens, connected; `client` is None while it is not logged in."""

    def __init__(
        self, make: Callable[[], Client], token: str, *, listens: bool = True, changed: Callable[[], None]
    ) -> None:
        """Prepare; `make` makes a client, `changed` is called when one has logged in."""
        self.client: Client | None = None
        self._make = make
        self._token = token
        self._listens = listens
        self._changed = changed
        self._staying: asyncio.Task[None] | None = None

    async def start(self) -> Self:
        """Log in and stay connected; BadToken. Where Discord cannot be reached it is tried again and again."""
        client: Client | None = None
        try:
            client = await self._log_in()
        except Unreachable as error:
            log.warning("discord-unreachable", reason=str(error))
        self._staying = asyncio.create_task(self._stay(client), name="discord")
        return self

    async def hush(self) -> None:
        """Listen no longer; what was heard can still be answered."""
        if self._staying is not None:
            self._staying.cancel()
            await asyncio.gather(self._staying, return_exceptions=True)
            self._staying = None
        # There is none before the client has connected the first time.
        socket = getattr(self.client, "ws", None)
        if socket is not None:
            with suppress(TimeoutError, *CUT_OFF):
                async with asyncio.timeout(FAREWELL):
                    await socket.close(code=1000)

    async def leave(self) -> None:
        """Log out."""
        await self.hush()
        await self._shut()

    async def _log_in(self) -> Client:
        client = self._make()
        try:
            await client.login(self._token)
        except BaseException as error:
            await client.close()
            if isinstance(error, discord.LoginFailure):
                raise BadToken from error
            if isinstance(error, (*CUT_OFF, discord.HTTPException, discord.RateLimited)):
                raise Unreachable(str(error) or repr(error)) from error
            raise
        self.client = client
        self._changed()
        return client

    async def _shut(self) -> None:
        client, self.client = self.client, None
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
                if not self._listens:
                    return
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
            await self._shut()
            client = None
