"""One discord.py client: logging in, staying connected, retrying while Discord is unreachable."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Self

import discord

from bot.discord.client import Client
from bot.discord.decode import PLATFORM
from bot.discord.errors import CONNECTION_ERRORS, read_responses
from bot.operations.listening import CannotConnect, ConnectionLost, Listener

MIN_BACKOFF_SECONDS: Final = 5.0
MAX_BACKOFF_SECONDS: Final = 300.0
SHUTDOWN_TIMEOUT_SECONDS: Final = 1.0
"""Maximum seconds for closing."""

_DISCONNECTED_ERRORS: Final = (*CONNECTION_ERRORS, discord.HTTPException, discord.RateLimited)


class DiscordTokenRefused(CannotConnect):
    """Discord rejects the token."""

    event = "discord-token-refused"
    final = True


class GatewayClosed(CannotConnect):
    """Discord has closed the gateway connection for good; `code` is the close code."""

    event = "discord-closed"

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code

    @property
    def details(self) -> Mapping[str, Any]:
        """The close code."""
        return {"code": self.code}


class DiscordSession:
    """A client that is logged in and, if it listens, connected; `client` is None while it is not logged in."""

    def __init__(
        self, make: Callable[[Listener], Client], token: str, *, listens: bool = True, changed: Callable[[], None]
    ) -> None:
        """Create the session; `make` creates a client that reports to a listener, `changed` is called at each login."""
        self.client: Client | None = None
        self.listener = Listener(
            PLATFORM, self._listen, self._log_in, first=MIN_BACKOFF_SECONDS, longest=MAX_BACKOFF_SECONDS
        )
        self._make = make
        self._token = token
        self._listens = listens
        self._changed = changed

    async def start(self) -> Self:
        """Log in and stay connected, retrying while Discord is unreachable; raises DiscordTokenRefused."""
        await self.listener.start()
        return self

    async def stop_listening(self) -> None:
        """Stop listening; events received so far can still be answered."""
        await self.listener.stop()
        # It is missing before the first connection.
        socket = getattr(self.client, "ws", None)
        if socket is not None:
            with suppress(TimeoutError, *CONNECTION_ERRORS):
                async with asyncio.timeout(SHUTDOWN_TIMEOUT_SECONDS):
                    await socket.close(code=1000)

    async def log_out(self) -> None:
        """Log out."""
        await self.stop_listening()
        await self._close_client()

    async def _log_in(self) -> None:
        """Log in unless that is done; raises ConnectionLost, DiscordTokenRefused."""
        if self.client is not None:
            return
        client = self._make(self.listener)
        try:
            with read_responses():
                await client.login(self._token)
        except BaseException as error:
            await client.close()
            if isinstance(error, discord.LoginFailure):
                raise DiscordTokenRefused from error
            if isinstance(error, _DISCONNECTED_ERRORS):
                raise ConnectionLost(str(error) or repr(error)) from error
            raise
        self.client = client
        self._changed()

    async def _close_client(self) -> None:
        client, self.client = self.client, None
        if client is not None:
            # Discord's answer to our closing is not worth waiting for.
            with suppress(TimeoutError):
                async with asyncio.timeout(SHUTDOWN_TIMEOUT_SECONDS):
                    await client.close()

    async def _listen(self) -> None:
        """Stay connected; discord.py reconnects by itself, and if it gives up, log in again."""
        client = self.client
        if not self._listens or client is None:
            self.listener.connected()
            return
        try:
            await client.connect()
        except Exception as error:
            await self._close_client()
            if isinstance(error, discord.ConnectionClosed):
                raise GatewayClosed(error.code) from error
            if isinstance(error, _DISCONNECTED_ERRORS):
                raise ConnectionLost(str(error) or repr(error)) from error
            raise
        await self._close_client()
        raise ConnectionLost("closed")
