"""The page's server: routes, security headers, and a queue of requests per visitor."""

import errno
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.kernel.context import Context
from bot.kernel.operations.health import Failing, HealthWatch
from bot.kernel.operations.limits import ConnectionLimiter, WorkQueues, limits_for, serve_app
from bot.kernel.operations.settings import page_address
from bot.platforms.app import Tavoliere
from bot.platforms.public.site import PREFIXES, PublicSite
from bot.platforms.web.api import Api
from bot.platforms.web.assets import STYLES, Assets
from bot.platforms.web.request_guard import (
    DIRECT_ADDRESSES,
    MAX_BODY_BYTES,
    ClientAddresses,
    Mount,
    Rejected,
    RequestGuard,
    add_security_headers,
    find_mount,
)
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.sessions import MAX_BROWSERS_PER_HOUR, Managers, Secret, session_of, without_secret

MAX_CONCURRENT_PER_BROWSER: Final = 4
"""Maximum number of concurrent requests per browser."""
MAX_QUEUED_PER_BROWSER: Final = 100
"""Maximum number of further queued requests: an opening page requests all its pictures at once."""
ADDRESS_FACTOR: Final = 8
"""Ratio of the limits of an address to those of a browser; a whole school may share an address."""
STREAM_PATH: Final = "/api/live"
_INDEX: Final = "static/index.html"
_UNLIMITED_PATHS: Final = ("/healthz", "/static", "/fonts/", STREAM_PATH)
"""Paths that cost little or have separate limits."""


def limit_requests(callers: ClientAddresses, mounts: Sequence[Mount]) -> Middleware:
    """Return the middleware that makes requests wait for their turn; Rejected if a client has too many in its queue."""
    clients, addresses = (
        WorkQueues(
            MAX_CONCURRENT_PER_BROWSER * factor,
            MAX_QUEUED_PER_BROWSER * factor,
            lambda: Rejected(429, "too-many-requests"),
        )
        for factor in (1, ADDRESS_FACTOR)
    )

    @web.middleware
    async def wait(request: web.Request, handler: Handler) -> web.StreamResponse:
        mount = find_mount(mounts, request.path)
        if request.path.startswith(_UNLIMITED_PATHS) or (mount is not None and mount.client is None):
            return await handler(request)
        client = None if mount is None or mount.client is None else mount.client(request)
        address = None
        if client is None:
            # Limits per address apply only here: behind a platform's proxy, many clients share one address.
            session, address = session_of(request), limits_for(callers.address(request))
            client = None if session is None else session.fingerprint
        async with AsyncExitStack() as stack:
            for queues, name in ((clients, client), (addresses, address)):
                if name is not None:
                    await stack.enter_async_context(queues.turn(name))
            return await handler(request)

    return wait


_SHUTDOWN_TIMEOUT_SECONDS: Final = 3.0
_SOCKETS: Final = web.AppKey("sockets", set)


class PageCannotListen(Exception):
    """Raised when the address cannot be bound; `reason` is `taken`, `not-allowed` or `no-such-address`."""

    def __init__(self, reason: str, host: str, port: int) -> None:
        super().__init__(reason, host, port)
        self.reason = reason
        self.host = host
        self.port = port


class WebServer:
    """The running page, at `address`."""

    def __init__(self, runner: web.AppRunner, host: str, port: int, gate: ConnectionLimiter) -> None:
        self._runner = runner
        self._gate = gate
        self.host = host
        self.port = port

    @property
    def connections(self) -> int:
        """Number of open connections, streams included."""
        return self._gate.connections

    @property
    def streams(self) -> int:
        """Number of open streams to tabs."""
        return len(self._runner.app[_SOCKETS])

    @property
    def address(self) -> str:
        """Address of the page for a browser on this machine."""
        return page_address(self.host, self.port)

    async def stop(self) -> None:
        """Finish running requests, close the streams and stop listening."""
        await self._runner.cleanup()


async def start_web(
    front: Tavoliere,
    room: ChatRoom,
    *,
    host: str,
    port: int,
    hosts: Iterable[str] = (),
    secret: Secret = without_secret,
    failing: Failing = dict,
    callers: ClientAddresses = DIRECT_ADDRESSES,
    mounts: Sequence[Mount] = (),
    newcomers_per_hour: int = MAX_BROWSERS_PER_HOUR,
) -> WebServer:
    """Start the page's server; port 0 chooses a free one. PageCannotListen if the address cannot be bound.

    `hosts` are additional names of this machine, besides localhost and its addresses. `secret` returns the secret of
    the manager's link. `failing` returns the platforms whose updates the program cannot receive, with the reasons.
    `callers` resolves client addresses behind trusted proxies. `mounts` are other pages, under separate paths.
    `newcomers_per_hour` is the maximum number of new browsers per address that may take names.
    """
    await room.restore()
    assets = Assets(["bot.platforms.web"], STYLES)
    index = assets.files[_INDEX]
    assets.files[_INDEX] = assets.make_page(index.data.decode(), "/", {"main.js": "low"})
    api = Api(front, room, assets, Managers(secret), callers, newcomers_per_hour)

    async def page(request: web.Request) -> web.Response:
        return assets.files[_INDEX].answer(request)

    watch = HealthWatch(front.context.store, failing)

    async def well(_: web.Request) -> web.Response:
        health = await watch.look()
        said = " ".join((health.reason or "ok", *health.platforms))
        return web.Response(text=f"{said}\n", status=200 if health.reason is None else 503)

    middlewares = [RequestGuard((*hosts, host), mounts).middleware, limit_requests(callers, mounts)]
    app = web.Application(middlewares=middlewares, client_max_size=MAX_BODY_BYTES)
    app.add_routes(api.routes())
    app.add_routes(assets.routes("/"))
    app.add_routes([web.get("/", page), web.get("/healthz", well)])
    for mount in mounts:
        app.add_routes(mount.routes)

    async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
        mount = find_mount(mounts, request.path)
        await (add_security_headers if mount is None else mount.add_headers)(request, response)

    app.on_response_prepare.append(add_headers)

    async def close(_: web.Application) -> None:
        await api.streams.close()
        for mount in mounts:
            await mount.close()

    app.on_shutdown.append(close)
    app[_SOCKETS] = api.streams.sockets

    gate = ConnectionLimiter(trusts=callers.is_trusted_proxy)
    try:
        runner, port = await serve_app(app, gate, host, port, shutdown_timeout=_SHUTDOWN_TIMEOUT_SECONDS)
    except OSError as error:
        raise PageCannotListen(_reason(error), host, port) from error
    return WebServer(runner, host, port, gate)


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "taken"
    return "not-allowed" if error.errno in (errno.EACCES, errno.EPERM) else "no-such-address"


def public_mounts(context: Context, callers: ClientAddresses) -> tuple[Mount, ...]:
    """Return the mounts of the public pages; none without a public address."""
    if not context.web_address:
        return ()
    site = PublicSite(context, callers.address)
    return (Mount(PREFIXES, site.routes(), site.streams.close),)
