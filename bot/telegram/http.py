"""The HTTP requests of python-telegram-bot, made with aiohttp.

The library's own are made with httpx, which takes about three times as long of the processor: a quarter of all that a
move on Telegram takes. aiohttp is there anyway, for Discord and for the page.
"""

from __future__ import annotations

import ssl
from functools import cache
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

import aiohttp
import certifi
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData
from yarl import URL

REQUEST_TIMEOUT_SECONDS: Final = 20.0
"""How many seconds connecting, sending or waiting for an answer may each take, unless a request says otherwise."""

_ECHOED: Final = ("reply_markup", "caption_entities", "entities", "reply_to_message")
"""What Telegram says of a message that we have just sent or edited and that we know ourselves."""


class AiohttpRequest(BaseRequest):
    """Makes requests over so many connections at once at most; the others wait for one."""

    def __init__(self, connections: int) -> None:
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}

    @property
    def read_timeout(self) -> float:
        """How many seconds to wait for an answer."""
        return REQUEST_TIMEOUT_SECONDS

    async def initialize(self) -> None:
        """Open what requests are made with, unless it is open."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections, ssl=_trusted()),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.USER_AGENT},
            )

    async def shutdown(self) -> None:
        """Close all connections; `initialize` opens them anew."""
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
        """Return the status and the body of the answer; RuntimeError before `initialize`, TimedOut, NetworkError."""
        if self._session is None:
            raise RuntimeError("not initialized")
        read, write, connect, pool = (
            REQUEST_TIMEOUT_SECONDS if each is self.DEFAULT_NONE else each
            for each in (read_timeout, write_timeout, connect_timeout, pool_timeout)
        )
        # How long sending takes is not watched by itself, only as a part of the whole.
        whole = None if None in (read, write, connect, pool) else read + write + connect + pool
        timeout = aiohttp.ClientTimeout(total=whole, sock_connect=connect, sock_read=read)
        address, body = URL(url), _body(request_data)
        proxy = self._proxy(address.scheme, address.host or "")
        try:
            async with self._session.request(method, address, data=body, timeout=timeout, proxy=proxy) as answer:
                return answer.status, await answer.read()
        except TimeoutError as error:
            raise TimedOut from error
        except aiohttp.ClientError as error:
            # Its own words may have the address in them, and with it the token.
            reason = getattr(error, "strerror", None)
            raise NetworkError(": ".join(filter(None, (type(error).__name__, reason)))) from None

    def parse_json_payload(self, payload: bytes) -> dict[str, Any]:  # type: ignore[override] # called on the object
        """Return what Telegram answers, without what a message of ours repeats: reading its buttons takes longest."""
        answer: Any = super().parse_json_payload(payload)
        message = answer.get("result") if isinstance(answer, dict) else None
        if isinstance(message, dict) and "message_id" in message:
            for name in _ECHOED:
                message.pop(name, None)
        return answer  # type: ignore[no-any-return]

    def _proxy(self, scheme: str, host: str) -> str | None:
        """Return the proxy that the machine is set to, asked once: aiohttp would read files for every request."""
        if (scheme, host) not in self._proxies:
            self._proxies[scheme, host] = None if proxy_bypass(host) else getproxies().get(scheme)
        return self._proxies[scheme, host]


@cache
def _trusted() -> ssl.SSLContext:
    """Trust what the machine trusts, and what browsers do: some machines come without any certificates."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _body(data: RequestData | None) -> aiohttp.FormData | dict[str, str] | None:
    if data is None or not data.contains_files:
        return None if data is None else data.json_parameters
    form = aiohttp.FormData(data.json_parameters, default_to_multipart=True)
    for name, (filename, content, kind) in data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=kind)
    return form
