"""How much one browser, and one address, has carried out at a time: the rest waits in turn, very much is refused."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.operations.connection_limits import limits_for
from bot.web.client_addresses import ClientAddresses
from bot.web.mounts import NO_MOUNTS, Mounts
from bot.web.request_guard import Rejected
from bot.web.sessions import session_of

MAX_CONCURRENT_PER_BROWSER: Final = 4
"""How many requests of one browser are carried out at a time."""
MAX_QUEUED_PER_BROWSER: Final = 100
"""How many more may wait: a page that opens asks for all its pictures at once."""
ADDRESS_FACTOR: Final = 8
"""How many times as much one address may have, behind which there may be a whole school."""
STREAM_PATH: Final = "/api/live"
_UNLIMITED_PATHS: Final = ("/healthz", "/static/", "/fonts/", STREAM_PATH)
"""What costs nothing, and what is bounded by itself."""


class RequestQueues:
    """The queues of those who ask."""

    def __init__(self, callers: ClientAddresses, mounts: Mounts = NO_MOUNTS) -> None:
        self._callers = callers
        self._mounts = mounts
        self._queues: dict[str, _Queue] = {}

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Have a request wait for its turn; Rejected where too many wait already."""
        if request.path.startswith(_UNLIMITED_PATHS):
            return await handler(request)
        mount = self._mounts.find(request.path)
        if mount is not None and mount.has_own_limits:
            return await handler(request)
        client = None if mount is None else mount.client(request)
        session, address = session_of(request), limits_for(self._callers.address(request))
        if client is not None:
            # Through a platform's proxy many come from one address.
            asking = [(f"client {client}", 1)]
        else:
            asking = [] if session is None else [(f"browser {session.fingerprint}", 1)]
            asking += [] if address is None else [(f"address {address}", ADDRESS_FACTOR)]
        async with AsyncExitStack() as stack:
            for name, times in asking:
                await stack.enter_async_context(_Turn(self._queues, name, times))
            return await handler(request)


class _Queue:
    def __init__(self, times: int) -> None:
        self.places = asyncio.Semaphore(MAX_CONCURRENT_PER_BROWSER * times)
        self.most = (MAX_CONCURRENT_PER_BROWSER + MAX_QUEUED_PER_BROWSER) * times
        self.inside = 0


class _Turn:
    """A place in a queue, which is there for as long as anybody stands in it."""

    def __init__(self, queues: dict[str, _Queue], name: str, times: int) -> None:
        self._queues = queues
        self._name = name
        self._times = times

    async def __aenter__(self) -> None:
        queue = self._queues.setdefault(self._name, _Queue(self._times))
        if queue.inside >= queue.most:
            raise Rejected(429, "too-many-requests")
        queue.inside += 1
        try:
            await queue.places.acquire()
        except BaseException:
            self._leave(queue)
            raise

    async def __aexit__(self, *_: object) -> None:
        queue = self._queues[self._name]
        queue.places.release()
        self._leave(queue)

    def _leave(self, queue: _Queue) -> None:
        queue.inside -= 1
        if not queue.inside:
            del self._queues[self._name]
