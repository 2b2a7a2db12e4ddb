"""Checks of every request to the page, and the security headers of every response."""

import asyncio
import ipaddress
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final, Literal, TypeVar

from aiohttp import ClientError, web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler

from bot.kernel.operations.settings import Network, split_url
from bot.kernel.requests import Reply
from storage import Json, Unavailable

T = TypeVar("T")
Responses = Callable[[web.Request, web.StreamResponse], Awaitable[None]]


def _refuse_nothing(_: web.Request) -> None:
    """Allow every request."""


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers that block other sites, frames and inline scripts (a response signal)."""
    host = request.headers.get("Host", "")
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        f"connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        if HOST_PATTERN.fullmatch(host)
        else "default-src 'none'; frame-ancestors 'none'"
    )
    response.headers.update(
        {
            "Server": "Tavoliere",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        }
    )
    # Public pages set this header themselves so that other sites may show them.
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    response.headers.setdefault("Cache-Control", "no-store")


@dataclass(frozen=True, slots=True)
class Mount:
    """Pages under path prefixes.

    `close` ends the requests for which the server's shutdown would wait. `check` raises Rejected for a request that is
    not allowed. `add_headers` adds the headers that say which sites may show a response. `client` identifies the client
    if its address is too coarse; concurrent requests are limited per client. Without it, a mount has its own limits.
    """

    prefixes: tuple[str, ...]
    routes: Sequence[web.RouteDef]
    close: Callable[[], Awaitable[None]]
    check: Callable[[web.Request], None] = _refuse_nothing
    add_headers: Responses = add_security_headers
    client: Callable[[web.Request], str | None] | None = None


def find_mount(mounts: Sequence[Mount], path: str) -> Mount | None:
    """Return the mount of a path; None if it is one of the page's own."""
    return next((mount for mount in mounts if path.startswith(mount.prefixes)), None)


MAX_BODY_BYTES: Final = 16 * 1024
"""Maximum size of a request's body, in bytes: more than the longest text."""

BODY_TIMEOUT_SECONDS: Final = 20.0
"""Maximum seconds until a body has arrived."""

_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
HOST_PATTERN: Final = re.compile(r"[A-Za-z0-9.:\[\]-]{1,255}")
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

    def to_json(self) -> Json:
        """Return the code and parameters from which the page builds the error message."""
        return {"code": self.code, "params": self.params}


def check_origin(method: str, headers: Mapping[str, str], is_own: Callable[[str], bool] = lambda _: False) -> None:
    """Raise Rejected for a request of another site's page, unless its origin `is_own`.

    Whatever does more than read must name its origin.
    """
    host, origin = headers.get("Host", ""), headers.get("Origin")
    if origin is None:
        if method not in _SAFE_METHODS or headers.get("Upgrade", "").lower() == "websocket":
            raise Rejected(403, "cross-site")
    elif origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()) and not is_own(origin):
        raise Rejected(403, "cross-site")


class RequestGuard:
    """Allows only requests from the page itself, opened under a known host name of this machine.

    A foreign site can point its own name at 127.0.0.1 (DNS rebinding), so a name in `Host` must be known:
    `localhost`, or one of `hosts`. An IP address needs no such check, since no one can redirect an address.
    """

    def __init__(self, hosts: Iterable[str] = (), mounts: Sequence[Mount] = ()) -> None:
        self._hosts = {"localhost", *(host.lower().rstrip(".") for host in hosts if host)}
        self._mounts = mounts

    def is_known_host(self, host: str) -> bool:
        """Return True if a `Host` header names this machine; the port is ignored."""
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
        check_origin(method, headers)
        site = headers.get("Sec-Fetch-Site", "none")
        followed_link = headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"
        if site not in _ALLOWED_FETCH_SITES and not (method in _SAFE_METHODS and followed_link):
            raise Rejected(403, "cross-site")

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check every request first, and turn Rejected, or a database outage, into an error response."""
        try:
            mount = find_mount(self._mounts, request.path)
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
        except Unavailable as error:
            # The page retries with the same event.
            logging.getLogger(__name__).warning("the database cannot be used now: %s", error)
            return Rejected(503, "unavailable").answer()


def check_carried_out(reply: Reply) -> Reply:
    """Return a reply unchanged; Rejected with a matching status if the action failed."""
    if reply.failed:
        raise Rejected(503 if reply.failed == "unavailable" else 500, reply.failed)
    return reply


async def read_body(request: web.Request) -> Json:
    """Return the JSON object in a request's body; Rejected if it is none, or too large."""
    body = await read_body_as(request, "application/json", json.loads)
    if not isinstance(body, dict):
        raise Rejected(400, "not-json")
    return body


def json_route(
    method: Literal["GET", "POST"],
    read: Callable[[web.Request, Mapping[str, Any]], Awaitable[T]],
    path: str,
    answer: Callable[[T], Awaitable[Json]],
    *,
    compresses: bool = False,
) -> web.RouteDef:
    """Return the route of a function that answers requests with JSON.

    `read` makes its argument of a request and what was sent with it: the JSON object in the body of a POST, otherwise
    the query. `compresses`: the answers are compressed if the client accepts that.
    """

    async def handle(request: web.Request) -> web.Response:
        sent = await read_body(request) if method == "POST" else request.query
        response = web.json_response(await answer(await read(request, sent)))
        if compresses:
            response.enable_compression()
        return response

    return web.route(method, path, handle)


async def read_body_as(request: web.Request, content_type: str, read: Callable[[str], Any]) -> Any:
    """Return the result of `read` for a request's body; Rejected if it is of another type, malformed, or too large."""
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


_IPV6_PREFIX_BITS: Final = 64
"""Prefix length that identifies one household by its IPv6 addresses."""


class ClientAddresses:
    """Resolver of client addresses; forwarding headers are trusted only from the proxies in `networks`."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self._networks = tuple(networks)

    def address(self, request: web.Request) -> str:
        """Return the client address, for IPv6 the household's network; empty if there is none."""
        address = _read(request.remote or "")
        hops = [hop.strip() for line in request.headers.getall("X-Forwarded-For", []) for hop in line.split(",")]
        while self._is_proxy(address) and hops:
            # Each proxy appends its caller; earlier entries may be forged.
            further = _read(hops.pop())
            if further is None:
                break
            address = further
        if isinstance(address, IPv6Address):
            return str(ip_network((address, _IPV6_PREFIX_BITS), strict=False))
        return "" if address is None else str(address)

    def is_trusted_proxy(self, address: str) -> bool:
        """Return True if an address is that of a trusted proxy."""
        return self._is_proxy(_read(address))

    def is_encrypted(self, request: web.Request) -> bool:
        """Return True if the browser opened the page by https, according to a trusted proxy, Origin or Referer.

        Origin and Referer can be trusted here: the browser itself sends them, and they affect only its own cookies.
        """
        if request.secure:
            return True
        if self.is_trusted_proxy(request.remote or ""):
            forwarded = ",".join(request.headers.getall("X-Forwarded-Proto", [])).lower()
            if "https" in [each.strip() for each in forwarded.split(",")]:
                return True
        return any(_is_our_https(request.headers.get(name), request.host) for name in ("Origin", "Referer"))

    def _is_proxy(self, address: IPv4Address | IPv6Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


DIRECT_ADDRESSES: Final = ClientAddresses()
"""Resolver without trusted proxies."""


def _read(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_our_https(address: str | None, host: str) -> bool:
    if not address:
        return False
    try:
        parts = split_url(address)
    except ValueError:
        return False
    return parts.scheme == "https" and parts.netloc.lower() == host.lower()
