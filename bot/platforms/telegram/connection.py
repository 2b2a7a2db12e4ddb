"""The connection to Telegram: logging in, polling or a webhook, retrying while Telegram is unreachable."""

import asyncio
from contextlib import suppress
from typing import Final, Self

import structlog
from telegram import Bot, MenuButtonCommands, User
from telegram.error import BadRequest, InvalidToken, TelegramError

from bot.kernel.advice import SearchFollower
from bot.kernel.operations import CONTESTED, NOT_LISTENING
from bot.kernel.operations.clock import BackgroundRetry
from bot.kernel.operations.listening import CannotConnect, ConnectionLost, Listener
from bot.platforms.app import Tavoliere
from bot.platforms.telegram.adapter import MiniApp, TelegramAdapter
from bot.platforms.telegram.answers import EphemeralMessages, TelegramAnswers
from bot.platforms.telegram.client import AiohttpRequest, CheckedBot
from bot.platforms.telegram.decode import PLATFORM
from bot.platforms.telegram.dispatcher import TelegramDispatcher
from bot.platforms.telegram.menu import register_if_changed
from bot.platforms.telegram.updates import UpdatePoller, UpdateRequests, Webhook, WebhookSettings

API_ADDRESS: Final = "https://api.telegram.org"
MIN_BACKOFF_SECONDS: Final = 5.0
MAX_BACKOFF_SECONDS: Final = 300.0
MAX_CONNECTIONS: Final = 32


log = structlog.get_logger(__name__)


class TelegramTokenRefused(CannotConnect):
    """Telegram rejects the token."""

    event = "telegram-token-refused"
    final = True


class SetupRefused(CannotConnect):
    """Telegram rejects a setting that we make before listening, such as the webhook's address."""

    event = "telegram-refused"
    is_reported = False


class TelegramConnection:
    """The program's connection to Telegram; `name` is the account it is logged in as, None while it is not."""

    def __init__(
        self,
        tavoliere: Tavoliere,
        *,
        token: str,
        webhook: WebhookSettings | None = None,
        api: str = API_ADDRESS,
        store_chat: int | None = None,
        app: MiniApp | None = None,
    ) -> None:
        """Create the connection; `api` is the address of the Bot API, `webhook` its settings, None for polling.

        `store_chat` is the chat to which pictures are uploaded for messages that take no uploads. `app` is the Mini
        App.
        """
        self._tavoliere = tavoliere
        self._context = tavoliere.context
        self._token = token
        self._api = api.rstrip("/")
        self._settings = webhook
        self._bot: Bot | None = None
        self._registration = BackgroundRetry("telegram commands", self._register)
        self._poller: UpdatePoller | None = None
        self._webhook: Webhook | None = None
        self._listener = Listener(
            PLATFORM, self._listen, self._connect, first=MIN_BACKOFF_SECONDS, longest=MAX_BACKOFF_SECONDS
        )
        self.adapter = TelegramAdapter(tavoliere, lambda: self._bot, store_chat=store_chat, app=app)
        self._app = app
        self.ephemeral = EphemeralMessages(self.adapter)
        self._searches = SearchFollower(tavoliere.press, self._context.advice.wait)
        answers = TelegramAnswers(self.adapter, self.ephemeral, self._searches)
        self.dispatcher = TelegramDispatcher(tavoliere, answers)

    @property
    def name(self) -> str | None:
        """The account that the program is logged in as."""
        return None if self._bot is None else f"@{self._bot.username}"

    @property
    def account(self) -> User | None:
        """The account that the program is logged in as, with the modes that are enabled for it."""
        return None if self._bot is None else self._bot.bot

    @property
    def is_listening(self) -> bool:
        """True if updates can reach us now."""
        return self._listener.listening

    @property
    def problem(self) -> str | None:
        """The code of the reason why not all updates reach us although Telegram is reachable, None if there is none."""
        if self._listener.failing:
            return NOT_LISTENING
        return CONTESTED if self._listener.contested else None

    async def start(self) -> Self:
        """Log in and listen, retrying while Telegram is unreachable; TelegramTokenRefused, WebhookCannotListen."""
        await self.ephemeral.restore()
        await self._listener.start()
        self._tavoliere.add(self.adapter)
        self.ephemeral.start()
        return self

    async def drain(self) -> None:
        """Stop listening; return when all received updates are answered."""
        await self._listener.stop()
        await self.ephemeral.close()
        if self._webhook is not None:
            await self._webhook.stop()
        await self.dispatcher.wait_until_idle()

    async def stop(self, timeout_seconds: float = 5.0) -> None:
        """Finish the updates being handled, within `timeout_seconds` seconds, and disconnect."""
        await self._searches.close()
        try:
            async with asyncio.timeout(timeout_seconds):
                await self.drain()
        except TimeoutError:
            log.warning("telegram-shutdown-timed-out")
        if self._poller is not None:
            await self._poller.stop(timeout_seconds)
        await self.adapter.outbox.close()
        await self._leave()

    async def _connect(self) -> None:
        """Log in, register commands, and set up polling or the webhook, unless done; ConnectionLost, CannotConnect."""
        if self._bot is not None:
            return
        fetching = UpdateRequests(2)
        bot = CheckedBot(
            self._token,
            base_url=f"{self._api}/bot",
            base_file_url=f"{self._api}/file/bot",
            request=AiohttpRequest(MAX_CONNECTIONS),
            get_updates_request=fetching,
        )
        try:
            await bot.initialize()
            # Set this before listening: a call may arrive while we are registering the webhook.
            self._bot = bot
            await self._registration.start()
            await self._set_up_updates(bot, fetching)
        except BaseException as error:
            await self._registration.stop()
            self._bot = None
            await _shut_down_bot(bot)
            if isinstance(error, InvalidToken):
                raise TelegramTokenRefused from error
            if isinstance(error, BadRequest):
                raise SetupRefused(reason=error.message) from error
            if isinstance(error, TelegramError):
                raise ConnectionLost(error.message) from error
            raise
        log.info("telegram-connected", name=self.name)
        # We may have missed updates about regained permissions.
        await self._tavoliere.is_reopened(PLATFORM)
        self._tavoliere.delivery.wake()

    async def _register(self) -> bool:
        button = MenuButtonCommands() if self._app is None else self._app.menu_button(self._context.speaker(None))
        return await register_if_changed(self.adapter.require_bot(), self._context.store, self._context.texts, button)

    async def _set_up_updates(self, bot: Bot, fetching: UpdateRequests) -> None:
        self._poller = UpdatePoller(bot, self.dispatcher.handle, self._context.store, fetching, self._listener)
        if self._settings is None:
            # Pending updates are not dropped: the poller fetches them.
            await bot.delete_webhook(drop_pending_updates=False)
            return
        webhook = Webhook(self._settings, bot, self.dispatcher.handle)
        try:
            await webhook.start()
        except BaseException:
            await webhook.stop()
            raise
        self._webhook = webhook

    async def _listen(self) -> None:
        """Poll for updates forever, or let the webhook receive them; TelegramTokenRefused."""
        if self._poller is None:
            return
        try:
            if self._webhook is None:
                await self._poller.run()
            self._listener.connected()
            await self._poller.finish_stored()
        except InvalidToken as error:
            raise TelegramTokenRefused from error

    async def _leave(self) -> None:
        await self._registration.stop()
        bot, self._bot = self._bot, None
        if bot is not None:
            await _shut_down_bot(bot)


async def _shut_down_bot(bot: Bot) -> None:
    with suppress(TelegramError, RuntimeError):
        await bot.shutdown()
