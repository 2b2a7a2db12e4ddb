"""The local chat page's server."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterable, Sequence
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.language.texts import Texts
from bot.operations import NOT_LISTENING
from bot.operations.connection_limits import KEEPALIVE_TIMEOUT_SECONDS, ConnectionLimiter, GateSite
from bot.operations.health import Failing, HealthWatch, nothing_fails
from bot.operations.settings import page_address
from bot.web.api import Api
from bot.web.assets import Assets
from bot.web.client_addresses import DIRECT, ClientAddresses
from bot.web.front import PageFront
from bot.web.live import close_all
from bot.web.managers import Managers, Secret, no_secret
from bot.web.mounts import Mount, Mounts
from bot.web.request_guard import MAX_BODY_BYTES, Rejected, RequestGuard, add_security_headers
from bot.web.request_queues import RequestQueues
from bot.web.room import ChatRoom
from storage import Store, Unavailable

_SHUTDOWN_TIMEOUT_SECONDS: Final = 3.0
_SOCKETS: Final = web.AppKey("sockets", set)


class PageCannotListen(Exception):
    """The address cannot be listened at; `reason` is `taken`, `not-allowed` or `no-such-address`."""

    def __init__(self, reason: str, host: str, port: int) -> None:
        super().__init__(reason, host, port)
        self.reason = reason
        self.host = host
        self.port = port


class WebServer:
    """The page, running at `address`."""

    def __init__(self, runner: web.AppRunner, host: str, port: int, gate: ConnectionLimiter) -> None:
        self._runner = runner
        self._gate = gate
        self.host = host
        self.port = port

    @property
    def connections(self) -> int:
        """How many connections there are, streams and all others."""
        return self._gate.connections

    @property
    def streams(self) -> int:
        """How many streams to tabs are open."""
        return len(self._runner.app[_SOCKETS])

    @property
    def address(self) -> str:
        """What to type into a browser on this machine."""
        return page_address(self.host, self.port)

    async def stop(self) -> None:
        """Finish what was begun, close the streams and stop listening."""
        await self._runner.cleanup()


def make_app(
    front: PageFront,
    store: Store,
    texts: Texts,
    room: ChatRoom,
    hosts: Iterable[str] = (),
    secret: Secret = no_secret,
    failing: Failing = nothing_fails,
    callers: ClientAddresses = DIRECT,
    gate: ConnectionLimiter | None = None,
    mounts: Sequence[Mount] = (),
) -> web.Application:
    """Return the application.

    `hosts` are names of this machine beyond localhost and its addresses; `secret` is that of the link through which its
    manager opens the page; `failing` tells the platforms that the program fails to hear; `callers` knows the proxies,
    and the `gate` learns which requests are handled. `mounts` are other pages, under paths of their own.
    """
    mounted = Mounts(mounts)
    assets = Assets()
    api = Api(front, store, texts, room, assets, Managers(secret), callers)

    watch = HealthWatch(store, failing)

    async def well(_: web.Request) -> web.Response:
        health = await watch.look()
        which = health.failing if health.reason == NOT_LISTENING else ()
        said = " ".join((health.reason or "ok", *which))
        return web.Response(text=f"{said}\n", status=200 if health.reason is None else 503)

    inside = [RequestGuard(hosts, mounted).middleware, RequestQueues(callers, mounted).middleware, _unavailable]
    middlewares = inside if gate is None else [gate.middleware, *inside]
    app = web.Application(middlewares=middlewares, client_max_size=MAX_BODY_BYTES)
    app.add_routes(api.routes())
    app.add_routes(
        [
            web.get("/", assets.page),
            web.get("/static/{name}", assets.file),
            web.get("/fonts/{name}", assets.file),
            web.get("/healthz", well),
        ]
    )
    for mount in mounts:
        app.add_routes(mount.routes)

    async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
        mount = mounted.find(request.path)
        await (add_security_headers if mount is None else mount.add_headers)(request, response)

    app.on_response_prepare.append(add_headers)

    async def close(_: web.Application) -> None:
        await close_all(api.sockets)
        for mount in mounts:
            await mount.close()

    app.on_shutdown.append(close)
    app[_SOCKETS] = api.sockets
    return app


async def start_web(
    front: PageFront,
    store: Store,
    texts: Texts,
    room: ChatRoom,
    *,
    host: str,
    port: int,
    hosts: Iterable[str] = (),
    secret: Secret = no_secret,
    failing: Failing = nothing_fails,
    callers: ClientAddresses = DIRECT,
    mounts: Sequence[Mount] = (),
) -> WebServer:
    """Start the page's server; with port 0 it chooses one. CannotListen if the address cannot be had.

    `proxies` are the addresses and networks of those that are trusted to say whose requests they pass on.
    """
    await room.restore()
    gate = ConnectionLimiter(trusts=callers.is_trusted_proxy)
    app = make_app(front, store, texts, room, (*hosts, host), secret, failing, callers, gate, mounts)
    runner = web.AppRunner(
        app,
        access_log=None,
        shutdown_timeout=_SHUTDOWN_TIMEOUT_SECONDS,
        handle_signals=False,
        keepalive_timeout=KEEPALIVE_TIMEOUT_SECONDS,
    )
    await runner.setup()
    site = GateSite(runner, gate, host, port)
    try:
        await site.start()
    except OSError as error:
        await runner.cleanup()
        raise PageCannotListen(_reason(error), host, port) from error
    return WebServer(runner, host, site.port, gate)


def _reason(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "taken"
    return "not-allowed" if error.errno in (errno.EACCES, errno.EPERM) else "no-such-address"


@web.middleware
async def _unavailable(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Ask for patience where the database does; the page tries again with the same event."""
    try:
        return await handler(request)
    except Unavailable as error:
        logging.getLogger(__name__).warning("the database cannot be used now: %s", error)
        raise Rejected(503, "unavailable") from error
