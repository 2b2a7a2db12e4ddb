"""HTTP requests of python-telegram-bot, made with aiohttp.

The library's own use httpx, which takes about three times as much processor time: a quarter of the cost of a move on
Telegram. aiohttp is there anyway, for Discord and for the page.
"""

import json
import re
import ssl
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import aiohttp
import certifi
import structlog
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData
from yarl import URL

from bot.operations.proxies import find_proxy
from bot.telegram.checked_bot import UnreadableAnswer
from bot.telegram.decode import PLATFORM

REQUEST_TIMEOUT_SECONDS: Final = 20.0
"""Timeout in seconds for each of connecting, sending and waiting for a response, unless a request sets another."""

log = structlog.get_logger(__name__)

_parse: Callable[[bytes], Any]
try:
    _parse = import_module("orjson").loads
except ImportError:  # where it is not built for the platform
    _parse = json.loads

_TIME_TAG: Final = "tg-time"
_TIME_TAGS: Final = re.compile(rf"<{_TIME_TAG} [^>]*>|</{_TIME_TAG}>")
"""What people have typed is escaped, so only tags of our own match, also within JSON."""
_ECHOED: Final = ("from", "text", "entities", "caption", "caption_entities", "reply_markup", "reply_to_message")
"""Fields of a sent or edited message in a response that we know already."""


class AiohttpRequest(BaseRequest):
    """Makes requests over a limited number of connections; others wait for one."""

    def __init__(self, connections: int) -> None:
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None
        self._knows_times = True
        """False once the server has refused a moment in a text: one of an older version."""

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
        """Return status and body of the response; RuntimeError before `initialize`, TimedOut, NetworkError.

        Where the server does not know moments in texts, they are sent again as they are written for older programs.
        """
        timeouts = (read_timeout, write_timeout, connect_timeout, pool_timeout)
        status, payload = await self._request(url, method, request_data, *timeouts)
        if self._knows_times and status == HTTPStatus.BAD_REQUEST and _TIME_TAG.encode() in payload:
            self._knows_times = False
            log.warning("moments-not-known", platform=PLATFORM)
            return await self._request(url, method, request_data, *timeouts)
        return status, payload

    async def _request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None,
        read_timeout: Any,
        write_timeout: Any,
        connect_timeout: Any,
        pool_timeout: Any,
    ) -> tuple[int, bytes]:
        if self._session is None:
            raise RuntimeError("not initialized")
        read, write, connect, pool = (
            REQUEST_TIMEOUT_SECONDS if each is self.DEFAULT_NONE else each
            for each in (read_timeout, write_timeout, connect_timeout, pool_timeout)
        )
        # The time for sending is only limited as part of the total.
        whole = None if None in (read, write, connect, pool) else read + write + connect + pool
        timeout = aiohttp.ClientTimeout(total=whole, sock_connect=connect, sock_read=read)
        address, body = URL(url), _request_body(request_data, times=self._knows_times)
        proxy = find_proxy(str(address.origin()))
        try:
            async with self._session.request(method, address, data=body, timeout=timeout, proxy=proxy) as answer:
                status, payload = answer.status, await answer.read()
        except TimeoutError as error:
            raise TimedOut from error
        except aiohttp.ClientError as error:
            # The error's own text may contain the address, and with it the token.
            reason = getattr(error, "strerror", None)
            raise NetworkError(": ".join(filter(None, (type(error).__name__, reason)))) from None
        if not 200 <= status <= 299 and not _is_refusal(payload):
            # What a proxy answers says nothing about the token or a chat, whatever its status.
            raise UnreadableAnswer(f"status {status}")
        return status, payload

    def parse_json_payload(self, payload: bytes) -> dict[str, Any]:  # type: ignore[override] # called on the object
        """Return Telegram's response without what it repeats of our message: parsing its buttons takes longest."""
        answer = _read_json(payload)
        message = answer.get("result") if isinstance(answer, dict) else None
        if isinstance(message, dict) and "message_id" in message:
            for name in _ECHOED:
                message.pop(name, None)
            if "photo" in message:
                message["photo"] = message["photo"][-1:]  # the largest, which is sent again by its id
        return answer  # type: ignore[no-any-return]


@cache
def _ssl_context() -> ssl.SSLContext:
    """Return a context that trusts the machine's and the browsers' certificates: some machines have none."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _read_json(payload: bytes) -> Any:
    """Return what a payload holds, also if it is not quite UTF-8; UnreadableAnswer.

    The library's own method would log all of the payload, with a traceback.
    """
    try:
        return _parse(payload)
    except ValueError:
        try:
            return json.loads(payload.decode(errors="replace"))
        except (ValueError, RecursionError) as error:
            raise UnreadableAnswer(type(error).__name__) from error


def _is_refusal(payload: bytes) -> bool:
    """Return True if a payload is how Telegram refuses a call (https://core.telegram.org/bots/api#making-requests)."""
    try:
        answer = _read_json(payload)
    except UnreadableAnswer:
        return False
    return isinstance(answer, dict) and answer.get("ok") is False and isinstance(answer.get("description", ""), str)


def _request_body(data: RequestData | None, *, times: bool) -> aiohttp.BytesPayload | None:
    """Return a request's parameters as JSON, with files as a form; without `times`, moments lose their tags.

    It is one piece, since all of it is in memory anyway: aiohttp's own forms take far longer.
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
