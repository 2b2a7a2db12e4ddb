"""Checks of every request to the page, and the security headers of every response."""

import asyncio
import ipaddress
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from aiohttp import ClientError, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler

from bot.interface.requests import Reply
from bot.operations.urls import split_url
from bot.web.mounts import NO_MOUNTS, Mounts

MAX_BODY_BYTES: Final = 16 * 1024
"""Maximum size of a request's body, in bytes: the longest text, with room to spare."""

BODY_TIMEOUT_SECONDS: Final = 20.0
"""Seconds a body may take to arrive."""

_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_HOST_PATTERN: Final = re.compile(r"[A-Za-z0-9.:\[\]-]{1,255}")
_ALLOWED_FETCH_SITES: Final = frozenset({"same-origin", "none"})


BODY_ERRORS: Final = (HttpProcessingError, ClientError, web.RequestPayloadError)
"""Errors of a body that ends too soon, or does not match its headers."""


class Rejected(Exception):
    """A request refused with a status and an error code; the page's text for it is `error.<code>`."""

    def __init__(self, status: int, code: str, **params: str | int) -> None:
        super().__init__(status, code, params)
        self.status = status
        self.code = code
        self.params = params

    def answer(self) -> web.Response:
        """Return the error response."""
        return web.json_response({"error": self.to_json()}, status=self.status)

    def to_json(self) -> dict[str, Any]:
        """Return the code and parameters from which the page words the error."""
        return {"code": self.code, "params": self.params}


class RequestGuard:
    """Allows only requests from the page itself, opened under a host name that is known to be this machine.

    A foreign site can point its own name at 127.0.0.1 (DNS rebinding), so a name in `Host` must be known:
    `localhost`, or one of `hosts`. An IP address needs no such check, since nobody can point an address elsewhere.
    """

    def __init__(self, hosts: Iterable[str] = (), mounts: Mounts = NO_MOUNTS) -> None:
        self._hosts = {"localhost", *(host.lower().rstrip(".") for host in hosts if host)}
        self._mounts = mounts

    def is_known_host(self, host: str) -> bool:
        """True if a `Host` header names this machine; the port is ignored."""
        try:
            name = split_url(f"//{host}").hostname
        except ValueError:
            return False
        if not name or "@" in host:
            return False
        name = name.rstrip(".")
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._hosts or name.endswith(".localhost")
        return True

    def check(self, method: str, headers: Mapping[str, str]) -> None:
        """Raise Rejected unless the request comes from the page itself or, for reading, from the address bar."""
        host = headers.get("Host", "")
        if not self.is_known_host(host):
            raise Rejected(421, "wrong-host")
        origin = headers.get("Origin")
        if origin is not None and origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()):
            raise Rejected(403, "cross-site")
        live = headers.get("Upgrade", "").lower() == "websocket"
        if origin is None and (live or method not in _SAFE_METHODS):
            raise Rejected(403, "cross-site")
        site = headers.get("Sec-Fetch-Site", "none")
        followed_link = headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"
        if site not in _ALLOWED_FETCH_SITES and not (method in _SAFE_METHODS and followed_link):
            raise Rejected(403, "cross-site")

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check every request first, and turn Rejected into its error response."""
        try:
            mount = self._mounts.find(request.path)
            if mount is None:
                self.check(request.method, request.headers)
            elif not self.is_known_host(request.headers.get("Host", "")):
                raise Rejected(421, "wrong-host")
            else:
                mount.check(request)
            if (request.content_length or 0) > MAX_BODY_BYTES:
                raise Rejected(413, "too-large", most=MAX_BODY_BYTES)
            return await handler(request)
        except Rejected as refused:
            return refused.answer()


def check_carried_out(reply: Reply) -> Reply:
    """Return a reply unchanged; Rejected with a matching status if the action failed."""
    if reply.failed:
        raise Rejected(503 if reply.failed == "unavailable" else 500, reply.failed)
    return reply


async def read_body(request: web.Request) -> dict[str, Any]:
    """Return the JSON object in a request's body; Rejected if it is none, or too large."""
    body = await read_body_as(request, "application/json", json.loads)
    if not isinstance(body, dict):
        raise Rejected(400, "not-json")
    return body


async def read_body_as(request: web.Request, content_type: str, read: Callable[[str], Any]) -> Any:
    """Return what `read` finds in a request's body of a type; Rejected if it is of another, malformed, or too large."""
    if request.content_type != content_type:
        raise Rejected(415, "not-json")
    try:
        async with asyncio.timeout(BODY_TIMEOUT_SECONDS):
            return read(await request.text())
    except TimeoutError as error:
        raise Rejected(408, "too-slow") from error
    except web.HTTPRequestEntityTooLarge as error:
        raise Rejected(413, "too-large", most=MAX_BODY_BYTES) from error
    except (ValueError, LookupError, RecursionError, *BODY_ERRORS) as error:
        raise Rejected(400, "not-json") from error


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers that keep other sites, frames and inline scripts out (a response signal)."""
    host = request.headers.get("Host", "")
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        f"connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        if _HOST_PATTERN.fullmatch(host)
        else "default-src 'none'; frame-ancestors 'none'"
    )
    response.headers["Server"] = "Tavoliere"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    # Public pages set this header themselves so that other sites may show them.
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    response.headers.setdefault("Cache-Control", "no-store")
