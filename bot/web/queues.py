"""How much one browser, and one address, has carried out at a time: the rest waits in turn, very much is refused."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.operations.gate import bounded_as
from bot.web.callers import Callers
from bot.web.guard import Rejected
from bot.web.sessions import session_of

AT_ONCE: Final = 4
"""How many requests of one browser are carried out at a time."""
WAITING: Final = 100
"""How many more may wait: a page that opens asks for all its pictures at once."""
EACH_ADDRESS: Final = 8
"""How many times as much one address may have, behind which there may be a whole school."""
STREAM: Final = "/api/live"
_FREE: Final = ("/healthz", "/static/", "/fonts/", STREAM)
"""What costs nothing, and what is bounded by itself."""


class Queues:
    """The queues of those who ask."""

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._queues: dict[str, _Queue] = {}

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Have a request wait for its turn; Rejected where too many wait already."""
        if request.path.startswith(_FREE):
            return await handler(request)
        session, address = session_of(request), bounded_as(self._callers.address(request))
        asking = [] if session is None else [(f"browser {session.fingerprint}", 1)]
        asking += [] if address is None else [(f"address {address}", EACH_ADDRESS)]
        async with AsyncExitStack() as stack:
            for name, times in asking:
                await stack.enter_async_context(_Turn(self._queues, name, times))
            return await handler(request)


class _Queue:
    def __init__(self, times: int) -> None:
        self.places = asyncio.Semaphore(AT_ONCE * times)
        self.most = (AT_ONCE + WAITING) * times
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
