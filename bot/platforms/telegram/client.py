"""HTTP requests of python-telegram-bot, made with aiohttp.

The library itself uses httpx, which takes about three times as much CPU time: a quarter of the cost of a move on
Telegram. aiohttp is a dependency anyway, for Discord and the page.

A Bot whose calls raise one error if Telegram's answer is not as its API describes it.

python-telegram-bot reads answers without checking them: a missing field is a TypeError, another type of value an
AttributeError or an OverflowError somewhere in the library, or a wrong id in a message.
"""

import json
import re
import ssl
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from functools import cache, wraps
from http import HTTPStatus
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import aiohttp
import certifi
import structlog
from telegram import Bot, ChatMember, Message, SentGuestMessage
from telegram.constants import ChatMemberStatus
from telegram.error import BadRequest, ChatMigrated, Forbidden, NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData
from yarl import URL

from bot.kernel.operations.listening import READING_ERRORS, summarize_error
from bot.kernel.operations.settings import find_proxy
from bot.kernel.requests import (
    BAD_REQUEST_BACKOFF_SECONDS,
    RateLimited,
    TryLater,
    Undeliverable,
    UndeliverableReason,
    limit_wait,
)
from bot.platforms.telegram.decode import PLATFORM
from storage import Json

_MEMBER_STATUSES: Final = frozenset(ChatMemberStatus)

log = structlog.get_logger(__name__)


class UnreadableAnswer(NetworkError):
    """Telegram, or a proxy, has sent an answer that the API does not describe; the call may have been carried out."""


class CheckedBot(Bot):
    """A Bot that raises UnreadableAnswer, after logging one line, if an answer cannot be read."""


def _checked(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    # Only edits of inline messages may be answered by True; the library accepts it for all calls.
    returns_message = method.__annotations__.get("return") is Message

    @wraps(method)
    async def call(self: CheckedBot, *arguments: Any, **named: Any) -> Any:
        try:
            answer = await method(self, *arguments, **named)
            if returns_message and not isinstance(answer, Message):
                raise TypeError
            _check_used_values(answer)
        except (*READING_ERRORS, ChatMigrated, RetryAfter, UnreadableAnswer) as error:
            if isinstance(error, (ChatMigrated, RetryAfter)) and _has_usable_value(error):
                raise
            log.warning("answer-not-readable", platform=PLATFORM, call=method.__name__, reason=summarize_error(error))
            if isinstance(error, UnreadableAnswer):
                raise
            raise UnreadableAnswer(f"unreadable answer to {method.__name__}") from error
        return answer

    return call


def _check_used_values(answer: object) -> None:
    """Raise TypeError if a value that the program uses is of another type: the library accepts any type."""
    if isinstance(answer, Message):
        right = type(answer.message_id) is int and type(answer.chat.id) is int
        right = right and all(isinstance(each.file_id, str) for each in answer.photo)
    elif isinstance(answer, SentGuestMessage):
        right = isinstance(answer.inline_message_id, str)
    elif isinstance(answer, ChatMember):
        right = answer.status in _MEMBER_STATUSES
    else:
        return
    if not right:
        raise TypeError


def _has_usable_value(error: ChatMigrated | RetryAfter) -> bool:
    if isinstance(error, ChatMigrated):
        return type(error.new_chat_id) is int
    return isinstance(error.retry_after, (int, float, timedelta))


for _name, _method in vars(Bot).items():
    if iscoroutinefunction(_method) and not _name.startswith("_"):
        setattr(CheckedBot, _name, _checked(_method))


REQUEST_TIMEOUT_SECONDS: Final = 20.0
"""Timeout in seconds for each of connecting, sending and waiting for a response, unless a request sets another."""


_parse: Callable[[bytes], Any]
try:
    _parse = import_module("orjson").loads
except ImportError:  # not built for this platform
    _parse = json.loads

_TIME_TAG: Final = "tg-time"
_TIME_TAGS: Final = re.compile(rf"<{_TIME_TAG} [^>]*>|</{_TIME_TAG}>")
"""Typed text is escaped, so only our own tags match, even within JSON."""
_ECHOED: Final = ("from", "text", "entities", "caption", "caption_entities", "reply_markup", "reply_to_message")
"""Fields of a sent or edited message in a response that only repeat what we sent."""


class AiohttpRequest(BaseRequest):
    """Makes requests over a limited number of connections; others wait for one."""

    def __init__(self, connections: int) -> None:
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None
        self._knows_times = True
        """False after the server has refused a time tag in a text, because its version is older."""

    @property
    def read_timeout(self) -> float:
        """Seconds to wait for a response."""
        return REQUEST_TIMEOUT_SECONDS

    async def initialize(self) -> None:
        """Open the client session, unless it is open."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections, ssl=_ssl_context()),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.USER_AGENT},
            )

    async def shutdown(self) -> None:
        """Close all connections; `initialize` opens them again."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Return the status and body of the response; RuntimeError before `initialize`, TimedOut, NetworkError.

        If the server does not support time tags in texts, the request is sent again without them.
        """
        # The library sets only the time to wait for a response. That for sending is limited as part of the total.
        read = REQUEST_TIMEOUT_SECONDS if read_timeout is self.DEFAULT_NONE else read_timeout
        whole = read + 3 * REQUEST_TIMEOUT_SECONDS
        limits = aiohttp.ClientTimeout(total=whole, sock_connect=REQUEST_TIMEOUT_SECONDS, sock_read=read)
        status, payload = await self._request(url, method, request_data, limits)
        if self._knows_times and status == HTTPStatus.BAD_REQUEST and _TIME_TAG.encode() in payload:
            self._knows_times = False
            log.warning("moments-not-known", platform=PLATFORM)
            return await self._request(url, method, request_data, limits)
        return status, payload

    async def _request(
        self, url: str, method: str, request_data: RequestData | None, limits: aiohttp.ClientTimeout
    ) -> tuple[int, bytes]:
        if self._session is None:
            raise RuntimeError("not initialized")
        address, body = URL(url), _request_body(request_data, times=self._knows_times)
        proxy = find_proxy(str(address.origin()))
        try:
            async with self._session.request(method, address, data=body, timeout=limits, proxy=proxy) as answer:
                status, payload = answer.status, await answer.read()
        except TimeoutError as error:
            raise TimedOut from error
        except aiohttp.ClientError as error:
            # The error's own text may contain the address, and with it the token.
            reason = getattr(error, "strerror", None)
            raise NetworkError(": ".join(filter(None, (type(error).__name__, reason)))) from None
        if not 200 <= status <= 299 and not _is_refusal(payload):
            # An answer from a proxy says nothing about the token or a chat, whatever its status.
            raise UnreadableAnswer(f"status {status}")
        return status, payload

    def parse_json_payload(self, payload: bytes) -> Json:  # type: ignore[override] # called on the object
        """Return Telegram's response without the fields that repeat our message: parsing its buttons takes longest."""
        answer = _read_json(payload)
        message = answer.get("result") if isinstance(answer, dict) else None
        if isinstance(message, dict) and "message_id" in message:
            for name in _ECHOED:
                message.pop(name, None)
            if "photo" in message:
                message["photo"] = message["photo"][-1:]  # the largest size, which is sent again by its id
        return answer  # type: ignore[no-any-return]


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return a context that trusts the machine's certificates and those of browsers, since some machines have none."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _read_json(payload: bytes) -> Any:
    """Return the JSON data of a payload, even with invalid UTF-8; UnreadableAnswer.

    The library's own method would log the whole payload, with a traceback.
    """
    try:
        return _parse(payload)
    except ValueError:
        try:
            return json.loads(payload.decode(errors="replace"))
        except (ValueError, RecursionError) as error:
            raise UnreadableAnswer(type(error).__name__) from error


def _is_refusal(payload: bytes) -> bool:
    """Return True if a payload is Telegram's refusal of a call (https://core.telegram.org/bots/api#making-requests)."""
    try:
        answer = _read_json(payload)
    except UnreadableAnswer:
        return False
    return isinstance(answer, dict) and answer.get("ok") is False and isinstance(answer.get("description", ""), str)


def _request_body(data: RequestData | None, *, times: bool) -> aiohttp.BytesPayload | None:
    """Return a request's parameters as JSON, or as a form if it has files; without `times`, time tags are removed.

    The body is built in memory as a whole, since aiohttp's own forms are far slower.
    """
    if data is None:
        return None
    if not data.contains_files:
        said = json.dumps(data.parameters)
        said = said if times else _TIME_TAGS.sub("", said)
        return aiohttp.BytesPayload(said.encode(), content_type="application/json")
    boundary = uuid4().hex
    parts: list[bytes] = []
    for name, value in data.json_parameters.items():
        said = value if times else _TIME_TAGS.sub("", value)
        parts += (_field_head(boundary, name), b"\r\n\r\n", said.encode())
    for name, (filename, content, kind) in data.multipart_data.items():
        head = f'; filename="{quote(filename)}"\r\nContent-Type: {kind}\r\n\r\n'
        whole = content if isinstance(content, bytes) else content.read()
        parts += (_field_head(boundary, name), head.encode(), whole)
    parts.append(f"\r\n--{boundary}--\r\n".encode())
    return aiohttp.BytesPayload(b"".join(parts), content_type=f"multipart/form-data; boundary={boundary}")


def _field_head(boundary: str, name: str) -> bytes:
    return f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="{name}"'.encode()


_REASONS: Final[Mapping[UndeliverableReason, tuple[str, ...]]] = {
    "message-gone": (
        "message to edit not found",
        "message to delete not found",
        "message to react not found",
        "message can't be edited",
        "message can't be deleted",
        "message_id_invalid",
        "message identifier is not specified",
    ),
    "channel-gone": ("chat not found", "message thread not found", "topic_deleted", "peer_id_invalid"),
    "forbidden": (
        "topic_closed",
        "not enough rights",
        "have no rights",
        "chat_write_forbidden",
        "chat_restricted",
        "need administrator rights",
        "bot was kicked",
        "user is deactivated",
        "reaction_invalid",
        "reactions_too_many",
    ),
}
NOT_MODIFIED: Final = "message is not modified"
NO_TEXT: Final = "there is no text in the message to edit"
NO_ANIMATIONS: Final = "not enough rights to send animations"
NO_PHOTOS: Final = "not enough rights to send photos"
LOST_FILE: Final = "file identifier"
OLD_QUERY: Final = "query is too old"


def mentions(error: TelegramError, *phrases: str) -> bool:
    """Return True if an error's message contains one of some phrases."""
    message = error.message.lower()
    return any(phrase in message for phrase in phrases)


def retry_after(error: RetryAfter) -> float:
    """Return the seconds that Telegram asks us to wait."""
    wait = error.retry_after
    return limit_wait(wait.total_seconds() if isinstance(wait, timedelta) else float(wait))


def translate_telegram_error(error: TelegramError) -> Undeliverable | TryLater:
    """Return the error for delivery."""
    if isinstance(error, RetryAfter):
        return RateLimited(retry_after(error))
    for reason, phrases in _REASONS.items():
        if mentions(error, *phrases):
            return Undeliverable(reason)
    if isinstance(error, Forbidden):
        return Undeliverable("forbidden")
    if isinstance(error, BadRequest) or not isinstance(error, NetworkError):
        log.error("telegram-refused", reason=error.message)
        return TryLater(BAD_REQUEST_BACKOFF_SECONDS)
    return TryLater()
