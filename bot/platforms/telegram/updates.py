"""Polling for Telegram's updates; the offset advances only past updates that are handled or stored."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

import structlog
from aiohttp import ClientError, web
from aiohttp.http_exceptions import HttpProcessingError
from cachetools import FIFOCache
from telegram import Bot, Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from bot.kernel.operations.limits import MAX_CONNECTIONS, ConnectionLimiter, serve_app
from bot.kernel.operations.listening import CannotConnect, Listener, drop_message, log_outage
from bot.kernel.operations.settings import split_url
from bot.kernel.operations.tasks import cancel_tasks
from bot.platforms.telegram.client import AiohttpRequest, retry_after
from bot.platforms.telegram.decode import PLATFORM, trim_update
from storage import Json, StorageError, Store

OTHER_UPDATE: Final = "other"


def update_number(update: Any) -> int | None:
    """Return the number of an update, None if it has none."""
    number = update.get("update_id") if isinstance(update, dict) else None
    return number if type(number) is int else None


def read_update(update: Json, bot: Bot) -> Update | None:
    """Return a parsed update; None for one that the library cannot parse, which is logged and counted."""
    try:
        trim_update(update)
        return Update.de_json(update, bot)
    except Exception as error:  # noqa: BLE001 - logged there: no one else's updates wait for it
        kind = next((kind for kind in Update.ALL_TYPES if kind in update), OTHER_UPDATE)
        drop_message(PLATFORM, kind, error, update=update["update_id"])
        return None


ALLOWED_UPDATES: Final = (
    Update.MESSAGE,
    Update.CALLBACK_QUERY,
    Update.MY_CHAT_MEMBER,
    Update.INLINE_QUERY,
    Update.CHOSEN_INLINE_RESULT,
    Update.GUEST_MESSAGE,
)
LONG_POLL_SECONDS: Final = 50
"""Seconds for which Telegram holds a request if there are no new updates."""
BUSY_POLL_SECONDS: Final = 0.1
"""Minimum seconds between polls while updates are being handled."""
MAX_STORED_PER_SECOND: Final = 1000
"""Maximum number of updates that are stored per second while they are being handled: those of each poll."""
MAX_HANDLED: Final = 400
"""Maximum number of updates handled at once; Telegram keeps the others."""
MIN_BACKOFF_SECONDS: Final = 1.0
MAX_BACKOFF_SECONDS: Final = 60.0
_OFFSET_KEY: Final = "updates"
_INVALID_RESPONSE: Final = "Not an answer of the Bot API"

log = structlog.get_logger(__name__)

Handle = Callable[[Update], Coroutine[Any, Any, None]]
"""A function that handles an update and returns when its work is done; it raises nothing."""


class UpdateRequests(AiohttpRequest):
    """Requests for updates that keep the raw updates until they are taken.

    The library would parse all of them at once, and one update that it cannot parse would make it lose the others.
    """

    def __init__(self, connections: int) -> None:
        super().__init__(connections)
        self._updates: list[Any] = []

    def parse_json_payload(self, payload: bytes) -> Json:  # type: ignore[override] # called on the object
        """Return Telegram's response without the updates; TelegramError if it is no response of Telegram."""
        answer: Any = super().parse_json_payload(payload)
        if isinstance(answer, dict) and isinstance(answer.get("result"), list):
            self._updates, answer["result"] = answer["result"], []
        elif not isinstance(answer, dict) or "error_code" not in answer:
            raise TelegramError(_INVALID_RESPONSE)
        return answer

    def take_updates(self) -> list[Any]:
        """Return the raw updates of the last response."""
        updates, self._updates = self._updates, []
        return updates


class UpdatePoller:
    """Polls Telegram for updates.

    A request with an offset confirms all updates before it. What is still being handled is stored with the offset
    first, so that a killed program handles it again, and no slow update holds up those behind it. A repeated update is
    recognised by its event id.
    """

    def __init__(
        self,
        bot: Bot,
        handle: Handle,
        store: Store,
        fetching: UpdateRequests,
        listener: Listener,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Create the poller; `fetching` makes the requests for updates, `listener` records whether they succeed."""
        self._bot = bot
        self._fetching = fetching
        self._listener = listener
        self._handle = handle
        self._store = store
        self._rest = rest
        self._next = 0
        self._begun: dict[int, asyncio.Task[None]] = {}
        """The updates that are being handled or not confirmed."""
        self._raw: dict[int, Any] = {}
        """The same updates, as Telegram sent them."""
        self._stored: tuple[int, list[int]] | None = None
        """The stored offset, and the numbers of the stored updates; None if they have to be loaded."""

    async def run(self) -> None:
        """Poll and handle updates forever; InvalidToken."""
        pause = MIN_BACKOFF_SECONDS
        while True:
            if self._stored is None:
                await self._load_offset()
            # No long poll before the first successful request.
            held = self._listener.listening and not self._begun
            try:
                await self._bot.get_updates(
                    offset=self._next or None, timeout=LONG_POLL_SECONDS if held else 0, allowed_updates=ALLOWED_UPDATES
                )
            except InvalidToken:
                raise
            except TelegramError as error:
                wait = retry_after(error) if isinstance(error, RetryAfter) else pause
                if isinstance(error, Conflict):
                    self._listener.conflict(error.message)
                    self._stored = None  # another process stores the offset
                else:
                    self._listener.lost()
                    log.warning("updates-not-fetched", reason=error.message, seconds=wait)
                await self._rest(wait)
                pause = min(pause * 2, MAX_BACKOFF_SECONDS)
                continue
            self._listener.connected()
            numbered = [self._begin_new(raw) for raw in self._fetching.take_updates()]
            await self._wait_for_work()
            await self._store_offset()
            if all(numbered):
                pause = MIN_BACKOFF_SECONDS
                continue
            # Telegram repeats such an update immediately, until a later one is confirmed.
            log.error("update-without-number", seconds=pause)
            await self._rest(pause)
            pause = min(pause * 2, MAX_BACKOFF_SECONDS)

    async def finish_stored(self) -> None:
        """Handle the updates that an earlier process stored unfinished, without polling."""
        await self._load_offset()
        if self._begun:
            await asyncio.wait(self._begun.values())
        await self._store_offset()

    async def stop(self, timeout_seconds: float) -> None:
        """Finish the updates being handled, within `timeout_seconds` seconds, and store the offset."""
        if self._begun:
            await asyncio.wait(self._begun.values(), timeout=timeout_seconds)
        await self._store_offset()
        await cancel_tasks(*self._begun.values())

    @property
    def _unfinished(self) -> dict[int, asyncio.Task[None]]:
        """The updates that are being handled, by number."""
        return {number: task for number, task in self._begun.items() if not task.done()}

    def _begin_new(self, raw: Any) -> bool:
        """Start handling an update unless it is being handled; return True if it has a number."""
        number = update_number(raw)
        if number is None:
            return False
        if number not in self._begun:
            # After a week without updates Telegram may choose lower numbers.
            self._next = min(self._next, number)
            self._begin(number, raw)
        return True

    def _begin(self, number: int, raw: Any) -> None:
        self._raw[number] = raw
        self._begun[number] = asyncio.create_task(self._handle_raw(raw), name=f"update {number}")

    async def _handle_raw(self, raw: Any) -> None:
        update = read_update(raw, self._bot)
        if update is not None:
            await self._handle(update)

    async def _wait_for_work(self) -> None:
        """Wait until all updates are handled, or until the next poll is due and there is room for more of them."""
        if self._begun:
            pause = max(BUSY_POLL_SECONDS, len(self._begun) / MAX_STORED_PER_SECOND)
            await asyncio.wait(self._begun.values(), timeout=pause)
        while len(unfinished := self._unfinished) >= MAX_HANDLED:
            await asyncio.wait(unfinished.values(), return_when=asyncio.FIRST_COMPLETED)

    async def _load_offset(self) -> None:
        """Load the offset of an earlier process, and handle the updates that it had stored."""
        noted = await self._store.key_values.get(PLATFORM, _OFFSET_KEY)
        self._stored = 0, []
        if noted is not None and noted["bot"] == self._bot.id:
            updates = {raw["update_id"]: raw for raw in noted.get("updates", ())}
            self._stored = noted["next"], sorted(updates)
            self._next = max(self._next, noted["next"])
            for number in updates.keys() - self._begun.keys():
                self._begin(number, updates[number])

    async def _store_offset(self) -> None:
        """Store the offset after all updates, with those still being handled; then the next poll confirms them all."""
        unfinished = sorted(self._unfinished)
        offset = max((self._next, *(number + 1 for number in self._begun)))
        # Before it is loaded, the offset of an earlier process and the updates with it must not be overwritten.
        if self._stored is None:
            return
        if (offset, unfinished) != self._stored:
            value: Json = {"next": offset, "bot": self._bot.id}
            value |= {"updates": [self._raw[number] for number in unfinished]} if unfinished else {}
            try:
                await self._store.key_values.set(PLATFORM, _OFFSET_KEY, value)
            except StorageError as error:
                log_outage(log, "updates-not-noted", error)
                # What was handled is confirmed all the same.
                offset = min((number for number in unfinished if number >= self._next), default=offset)
            else:
                self._stored = offset, unfinished
        self._next = offset
        for number in [each for each in self._begun if each < offset and each not in unfinished]:
            del self._begun[number], self._raw[number]


SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a name, no secret
MAX_BODY_BYTES: Final = 1024 * 1024
MAX_UPDATES_REMEMBERED: Final = 2000


class WebhookCannotListen(CannotConnect):
    """The webhook's address cannot be used; `host`, `port`."""

    event = "telegram-cannot-listen"


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
    """Receives Telegram's calls; a call is answered after its update is handled, otherwise Telegram repeats it."""

    def __init__(self, settings: WebhookSettings, bot: Bot, handle: Handle) -> None:
        self._settings = settings
        self._secret = settings.secret_for(bot.token)
        self._bot = bot
        self._handle = handle
        self._handled: FIFOCache[int, asyncio.Task[None]] = FIFOCache(MAX_UPDATES_REMEMBERED)
        """The newest updates by number: repeated ones are not handled again."""
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen, then register the address with Telegram; WebhookCannotListen, TelegramError."""
        # Anyone who knows the address may connect; behind a proxy all connections come from the proxy.
        gate = ConnectionLimiter(most_each=MAX_CONNECTIONS)
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post(split_url(self._settings.url).path or "/", self._handle_update)
        host, port = self._settings.host, self._settings.port
        try:
            self._runner, self.port = await serve_app(app, gate, host, port, shutdown_timeout=5.0)
        except OSError as error:
            raise WebhookCannotListen(host=host, port=port) from error
        await self._bot.set_webhook(self._settings.url, secret_token=self._secret, allowed_updates=ALLOWED_UPDATES)

    async def stop(self) -> None:
        """Stop listening; Telegram stores updates meanwhile."""
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
                return web.Response()  # answered, or Telegram would send it again
            handling = asyncio.create_task(self._handle(update), name=f"update {number}")
            self._handled[number] = handling
        # The call may end before its update is handled: then the repeated call waits for the same task.
        await asyncio.shield(handling)
        return web.Response()
