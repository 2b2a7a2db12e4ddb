"""A server that webhooks are sent to."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class Receiver:
    """A server that is sent things, and answers as it is told."""

    address: str = ""
    status: int = 200
    taken: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    on_taken: Callable[[str], None] = field(default=lambda _: None)
    """Called with the id of a message that has come and is not answered yet."""
    _kinds: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _held: dict[str, asyncio.Event] = field(default_factory=dict)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    def hold(self, name: str) -> None:
        """Answer nothing to what is sent to the address with a name as its query, until it is released."""
        self._held[name] = asyncio.Event()

    def release(self, name: str) -> None:
        """Answer what is sent to an address that was held."""
        self._held.pop(name).set()

    def kinds(self, name: str) -> list[str]:
        """Return the kinds of what came to the address with a name as its query, answered or not."""
        return self._kinds[name]

    async def has_taken(self, name: str, number: int) -> None:
        """Return once so many messages have come to the address with a name as its query."""
        async with self._news:
            await self._news.wait_for(lambda: len(self._kinds[name]) >= number)

    async def take(self, request: web.Request) -> web.Response:
        """Take a message."""
        self.taken.append(({name.lower(): value for name, value in request.headers.items()}, await request.read()))
        self.on_taken(request.headers["webhook-id"])
        async with self._news:
            self._kinds[request.query_string].append(self.messages[-1].get("type", ""))
            self._news.notify_all()
        if request.query_string in self._held:
            await self._held[request.query_string].wait()
        headers = {"Location": self.address} if 300 <= self.status < 400 else {}
        return web.Response(status=self.status, headers=headers)

    @property
    def ids(self) -> list[str]:
        """The ids of what came, in its order."""
        return [headers["webhook-id"] for headers, _ in self.taken]

    @property
    def messages(self) -> list[Any]:
        """What was said, in its order."""
        return [json.loads(body) for _, body in self.taken]
