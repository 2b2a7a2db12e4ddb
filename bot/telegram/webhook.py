"""Updates that Telegram sends to a webhook, behind a proxy of the operator."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import structlog
from aiohttp import ClientError, web
from aiohttp.http_exceptions import HttpProcessingError
from cachetools import FIFOCache
from telegram import Bot

from bot.operations.connection_limits import MAX_CONNECTIONS, ConnectionLimiter, serve_app
from bot.operations.listening import CannotConnect
from bot.operations.urls import split_url
from bot.telegram.updates import ALLOWED_UPDATES, UpdateLanes, read_update, update_number

SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a name, no secret
MAX_BODY_BYTES: Final = 1024 * 1024
MAX_UPDATES_REMEMBERED: Final = 2000

log = structlog.get_logger(__name__)


class WebhookCannotListen(CannotConnect):
    """The webhook's address cannot be used; `host`, `port`."""

    event = "telegram-cannot-listen"

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port)
        self.host = host
        self.port = port

    @property
    def details(self) -> Mapping[str, Any]:
        """The address."""
        return {"host": self.host, "port": self.port}


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """The webhook's public address (`url`), the address to listen on, and the shared secret.

    Without a secret, one is derived from the bot's token.
    """

    url: str
    host: str = "127.0.0.1"
    port: int = 8081
    secret: str | None = None

    def secret_for(self, token: str) -> str:
        """Return the secret that Telegram sends with each call."""
        return self.secret or hmac.new(token.encode(), b"tavoliere webhook", hashlib.sha256).hexdigest()


class Webhook:
    """Receives Telegram's calls; a call is answered once its update is handled, otherwise Telegram repeats it."""

    def __init__(self, settings: WebhookSettings, bot: Bot, lanes: UpdateLanes) -> None:
        self._settings = settings
        self._secret = settings.secret_for(bot.token)
        self._bot = bot
        self._lanes = lanes
        self._handled: FIFOCache[int, asyncio.Task[None]] = FIFOCache(MAX_UPDATES_REMEMBERED)
        """The newest updates by number: what Telegram brings once more is not answered once more."""
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen, then register the address with Telegram; WebhookCannotListen, TelegramError."""
        # Anyone who knows the address may connect; behind the proxy all connections come from it.
        gate = ConnectionLimiter(most_each=MAX_CONNECTIONS)
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post(split_url(self._settings.url).path or "/", self._handle_update)
        host, port = self._settings.host, self._settings.port
        try:
            self._runner, self.port = await serve_app(app, gate, host, port, shutdown_timeout=5.0)
        except OSError as error:
            raise WebhookCannotListen(host, port) from error
        await self.register(self._settings.url)

    async def register(self, url: str) -> None:
        """Register the address with Telegram; TelegramError."""
        await self._bot.set_webhook(url, secret_token=self._secret, allowed_updates=ALLOWED_UPDATES)

    async def stop(self) -> None:
        """Stop listening; Telegram stores what comes meanwhile."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle_update(self, request: web.Request) -> web.Response:
        shown = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(shown.encode(), self._secret.encode()):
            log.warning("webhook-without-secret", remote=request.remote)
            return web.Response(status=403)
        try:
            raw = json.loads(await request.read())
        except (ValueError, RecursionError, HttpProcessingError, ClientError, web.RequestPayloadError):
            raw = None
        number = update_number(raw)
        if number is None:
            log.warning("webhook-not-understood", remote=request.remote)
            return web.Response(status=400)
        handling = self._handled.get(number)
        if handling is None:
            update = read_update(raw, self._bot)
            if update is None:
                return web.Response()  # or Telegram would only send it again
            handling = asyncio.create_task(self._lanes.handle(update), name=f"update {number}")
            self._handled[number] = handling
        # The call that brought it may end before: then the next one waits for the same work.
        await asyncio.shield(handling)
        return web.Response()
